from __future__ import annotations

import threading
from pathlib import Path

import pytest

from kg_pipeline.errors import DatasetError
from kg_pipeline.pmc.raw import ArticleStore
from kg_pipeline.pmc.remote.ledger import FetchLedger
from kg_pipeline.pmc.remote.outcomes import Fetched, Wanted


def _article(pmcid: str, version: int | None, content: bytes | None = b"<article/>", **more: str) -> Fetched:
    return Fetched(pmcid, version, "ok", content=content, **more)


def test_an_article_comes_back_as_it_was(tmp_path: Path, store: ArticleStore) -> None:
    with FetchLedger(tmp_path, store) as ledger:
        ledger.keep(
            "cloud", _article("PMC1", 2, md5="aa", article_type="review-article", license_class="unknown")
        )
    with FetchLedger(tmp_path, store) as ledger:
        known = ledger.known("cloud", Wanted("PMC1", 2, md5="aa"))
        assert known is not None
        assert known.is_reused
        assert (known.content, known.article_type, known.version) == (b"<article/>", "review-article", 2)
        assert store.get(known.content_sha256) == b"<article/>"


def test_only_the_same_article_counts(tmp_path: Path, store: ArticleStore) -> None:
    with FetchLedger(tmp_path, store) as ledger:
        ledger.keep("cloud", _article("PMC1", 2, md5="aa"))
        assert ledger.known("entrez", Wanted("PMC1", 2)) is None
        assert ledger.known("cloud", Wanted("PMC1", 3)) is None
        assert ledger.known("cloud", Wanted("PMC1", 2, md5="bb")) is None
        assert ledger.known("cloud", Wanted("PMC11", 2)) is None
        ledger.keep("cloud", _article("PMC1", 10))
        newest = ledger.known("cloud", Wanted("PMC1"))
        assert newest is not None
        assert newest.version == 10


@pytest.mark.parametrize("status", ["failed", "not_found", "not_open", "embargoed", "malformed"])
def test_what_may_change_is_not_remembered(tmp_path: Path, store: ArticleStore, status: str) -> None:
    with FetchLedger(tmp_path, store) as ledger:
        ledger.keep("cloud", Fetched("PMC1", 1, status, "because"))
        assert ledger.known("cloud", Wanted("PMC1", 1)) is None


def test_lost_or_damaged_content_is_fetched_anew(tmp_path: Path, store: ArticleStore) -> None:
    with FetchLedger(tmp_path, store) as ledger:
        kept = ledger.keep("cloud", _article("PMC1", 1))
        store.path(kept.content_sha256).write_bytes(b"damaged")
        assert ledger.known("cloud", Wanted("PMC1", 1)) is None
        assert ledger.keep("cloud", kept).content_sha256 == kept.content_sha256
        assert ledger.known("cloud", Wanted("PMC1", 1)) is not None
        store.path(kept.content_sha256).unlink()
        assert ledger.known("cloud", Wanted("PMC1", 1)) is None


def test_threads_and_several_users_share_it(tmp_path: Path, store: ArticleStore) -> None:
    with FetchLedger(tmp_path, store) as one, FetchLedger(tmp_path, store) as other:

        def run(ledger: FetchLedger, start: int) -> None:
            for number in range(start, start + 20):
                ledger.keep("cloud", _article(f"PMC{number}", 1, f"<article>{number}</article>".encode()))

        threads = [
            threading.Thread(target=run, args=(ledger, start))
            for ledger, start in ((one, 1), (one, 101), (other, 201), (other, 101))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for start in (1, 101, 201):
            for number in range(start, start + 20):
                known = one.known("cloud", Wanted(f"PMC{number}", 1))
                assert known is not None
                assert known.content == f"<article>{number}</article>".encode()


def test_a_damaged_file_is_named(tmp_path: Path, store: ArticleStore) -> None:
    (tmp_path / "fetched.sqlite").write_bytes(b"not a database" * 100)
    with pytest.raises(DatasetError, match=r"fetched\.sqlite cannot be used .* Delete it and build again"):
        FetchLedger(tmp_path, store)
