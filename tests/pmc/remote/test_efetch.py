from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kg_pipeline.pmc.jats.xml import parse_xml
from kg_pipeline.pmc.raw import ArticleStore
from kg_pipeline.pmc.remote.articles import split_set
from kg_pipeline.pmc.remote.efetch import EntrezArticles
from kg_pipeline.pmc.remote.entrez import EntrezClient
from kg_pipeline.pmc.remote.http import Fetcher
from kg_pipeline.pmc.remote.ledger import FetchLedger
from kg_pipeline.pmc.remote.outcomes import Fetched, Wanted
from tests.pmc.remote.replies import article_set, article_xml, flag, not_available
from tests.pmc.remote.server import Asked, Reply, Server

MakeFetcher = Callable[..., Fetcher]


@pytest.fixture
def service(server: Server, make_fetcher: MakeFetcher) -> EntrezArticles:
    return EntrezArticles(EntrezClient(make_fetcher(), base_url=server.url), batch=50, threads=1)


@pytest.fixture
def keeper(tmp_path: Path, store: ArticleStore):
    with FetchLedger(tmp_path / "ledger", store) as ledger:
        yield ledger


def _numbers(asked: Asked) -> list[int]:
    return [int(number) for number in asked.values["id"].split(",")]


def _fetch(service: EntrezArticles, keeper: FetchLedger, *numbers: int) -> dict[str, Fetched]:
    return {got.pmcid: got for got in service.fetch([Wanted(f"PMC{number}") for number in numbers], keeper)}


OUTCOMES = {
    11: (article_xml(11), "ok"),
    12: (article_xml(12, body=""), "no_body"),
    13: (not_available(13), "not_found"),
    14: ('<Reply Id="14" error="cannot get document summary"/>', "not_found"),
    15: (article_xml(15, body="", flags=flag("pmc-status-embargo", "yes")), "embargoed"),
    16: (article_xml(16, flags=flag("pmc-prop-open-access", "no")), "not_open"),
    17: (
        article_xml(17, flags=flag("pmc-prop-open-access", "no") + flag("pmc-prop-manuscript", "yes")),
        "not_open",
    ),
    18: (article_xml(18, flags=flag("pmc-status-live", "no")), "not_open"),
    19: (article_xml(19, flags=flag("pmc-prop-legally-suppressed", "yes")), "not_open"),
    20: (article_xml(20, kind="retraction"), "retracted"),
    21: ("<error>The following PMCID is not available: PMC21</error>", "not_found"),
    22: ("<article><sub-article/></article>", "failed"),
    23: (article_xml(23, body="<sec><title> </title></sec>"), "no_body"),
    24: (article_xml(24, body='<preformat preformat-type="pmc-ocr-text">Old text.</preformat>'), "ok"),
}


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6), size=st.integers(1, len(OUTCOMES)))
def test_every_id_ends_once_whatever_the_order(
    server: Server, make_fetcher: MakeFetcher, tmp_path_factory, seed: int, size: int
) -> None:
    generator = random.Random(seed)
    wanted = generator.sample(sorted(OUTCOMES), size)

    def handler(asked: Asked) -> Reply:
        numbers = _numbers(asked)
        generator.shuffle(numbers)
        return Reply(article_set(*(OUTCOMES[number][0] for number in numbers)))

    server.handler = handler
    service = EntrezArticles(EntrezClient(make_fetcher(), base_url=server.url), batch=5, threads=1)
    folder = tmp_path_factory.mktemp("fetch")
    with FetchLedger(folder, ArticleStore(folder / "raw")) as keeper:
        got = list(service.fetch([Wanted(f"PMC{number}") for number in wanted], keeper))
    assert [article.pmcid for article in got] == [f"PMC{number}" for number in wanted]
    assert [article.status for article in got] == [OUTCOMES[number][1] for number in wanted]
    for article in got:
        assert bool(article.reason) == (article.status != "ok")
        assert (article.content is not None) == (article.status in {"ok", "no_body", "retracted"})
        if article.content is not None:
            assert f"<article-title>Article {article.pmcid[3:]}<".encode() in article.content


def test_a_record_without_body_is_kept_as_such_and_not_repeated(
    server: Server, service: EntrezArticles, keeper: FetchLedger
) -> None:
    stub = (
        '<article article-type="research-article"><!--The publisher of this article does not allow downloading of the '
        'full text in XML form.--><front><article-meta><article-id pub-id-type="pmcid">PMC99000010</article-id>'
        "<abstract><p>Zinc lowered IL-8.</p></abstract></article-meta></front></article>"
    )
    server.handler = lambda asked: Reply(article_set(stub))
    got = _fetch(service, keeper, 99000010)["PMC99000010"]
    assert got.status == "no_body"
    assert got.content is not None
    assert b"Zinc lowered IL-8." in got.content
    assert len(server.asked) == 1


def test_the_recorded_denial_has_no_body(
    server: Server, service: EntrezArticles, keeper: FetchLedger, shared: Path
) -> None:
    path = shared / "data" / "entrez" / "pmc_cloud_s3" / "efetch_pmc_denial_stub_trimmed.xml"
    server.handler = lambda asked: Reply(path.read_bytes())
    got = _fetch(service, keeper, 3390974)["PMC3390974"]
    assert (got.status, got.version) == ("no_body", 2)
    assert "does not allow" in got.reason


def test_recorded_sets_are_joined_by_id(
    server: Server, service: EntrezArticles, keeper: FetchLedger, shared: Path
) -> None:
    data = (shared / "data" / "entrez" / "pubget_pmc_articleset_7_ccby.xml").read_bytes()
    server.handler = lambda asked: Reply(data)
    pmcids = sorted(split_set(parse_xml(data)), reverse=True)
    assert len(pmcids) == 7
    got = list(service.fetch([Wanted(pmcid) for pmcid in pmcids], keeper))
    assert [article.pmcid for article in got] == pmcids
    assert {article.status for article in got} == {"ok"}
    assert {article.license_class for article in got} == {"redistributable"}
    assert len(server.asked) == 1


def test_an_article_of_today_recorded_by_biopython(
    server: Server, service: EntrezArticles, keeper: FetchLedger, shared: Path
) -> None:
    data = (shared / "data" / "entrez" / "biopython" / "efetch_pmc.xml").read_bytes()
    server.handler = lambda asked: Reply(data)
    assert _fetch(service, keeper, 8435807)["PMC8435807"].article_type == "correction"


def test_all_ids_unknown_is_told(server: Server, service: EntrezArticles, keeper: FetchLedger) -> None:
    server.handler = lambda asked: Reply(article_set(*(not_available(number) for number in _numbers(asked))))
    got = _fetch(service, keeper, 99999999, 99999998)
    assert {article.status for article in got.values()} == {"not_found"}
    assert "not available: 99999999" in got["PMC99999999"].reason


def test_a_pubmed_id_never_stands_in_for_a_pmcid(
    server: Server, service: EntrezArticles, keeper: FetchLedger
) -> None:
    other = (
        '<article><front><article-meta><article-id pub-id-type="pmid">1000017</article-id>'
        '<article-id pub-id-type="pmcaid">1000017</article-id></article-meta></front><body><p>1976</p></body></article>'
    )
    server.handler = lambda asked: Reply(article_set(other))
    assert _fetch(service, keeper, 1000017)["PMC1000017"].status == "failed"
    server.handler = lambda asked: Reply(
        article_set(article_xml(1000017))
    )  # it has no PubMed id, and is kept
    assert _fetch(service, keeper, 1000017)["PMC1000017"].status == "ok"


@pytest.mark.parametrize("status", [400, 413, 414])
def test_a_refused_batch_is_split_and_never_sent_again_as_it_is(
    server: Server, service: EntrezArticles, keeper: FetchLedger, status: int
) -> None:
    def handler(asked: Asked) -> Reply:
        numbers = _numbers(asked)
        if 99000003 in numbers:
            return Reply(b"Bad Request", status)
        return Reply(article_set(*map(article_xml, numbers)))

    server.handler = handler
    got = _fetch(service, keeper, 99000001, 99000002, 99000003, 99000004)
    counts = Counter(article.status for article in got.values())
    assert counts["ok"] == 3
    assert got["PMC99000003"].status in {"failed", "malformed"}
    if status == 400:
        assert got["PMC99000003"].reason.startswith("bad_request: ")
    bodies = [asked.values["id"] for asked in server.asked]
    assert len(bodies) == len(set(bodies))


def test_one_malformed_article_does_not_take_the_others_along(
    server: Server, service: EntrezArticles, keeper: FetchLedger
) -> None:
    def handler(asked: Asked) -> Reply:
        return Reply(
            article_set(*(article_xml(n, body="<p>open" if n == 5 else "<p>x</p>") for n in _numbers(asked)))
        )

    server.handler = handler
    got = _fetch(service, keeper, *range(1, 9))
    assert got.pop("PMC5").status == "malformed"
    assert {article.status for article in got.values()} == {"ok"}


def test_an_outage_marks_all_of_the_batch_once(
    server: Server, service: EntrezArticles, keeper: FetchLedger
) -> None:
    server.handler = lambda asked: Reply(b"", 503)
    got = list(_fetch(service, keeper, 1, 2, 3).values())
    assert [article.status for article in got] == ["failed"] * 3
    assert [article.is_service_failure for article in got] == [True, False, False]
    assert len(server.asked) == 4


def test_batches_are_bounded_and_posted_when_long(
    server: Server, make_fetcher: MakeFetcher, keeper: FetchLedger
) -> None:
    server.handler = lambda asked: Reply(article_set(*map(article_xml, _numbers(asked))))
    service = EntrezArticles(EntrezClient(make_fetcher(), base_url=server.url), batch=500, threads=3)
    wanted = [Wanted(f"PMC{number}") for number in range(99000000, 99000120)]
    assert [article.pmcid for article in service.fetch(wanted, keeper)] == [one.pmcid for one in wanted]
    assert sorted(len(_numbers(asked)) for asked in server.asked) == [20, 50, 50]


def test_another_version_than_asked_for_is_not_passed_off_as_it(
    server: Server, service: EntrezArticles, keeper: FetchLedger
) -> None:
    server.handler = lambda asked: Reply(article_set(article_xml(7, version=3)))
    (two,) = service.fetch([Wanted("PMC7", 2)], keeper)
    assert (two.status, two.content) == ("not_found", None)
    assert "version 3" in two.reason
    (three,) = service.fetch([Wanted("PMC7", 3)], keeper)
    assert (three.status, three.version) == ("ok", 3)


def test_what_was_fetched_is_not_asked_for_again(
    server: Server, service: EntrezArticles, keeper: FetchLedger
) -> None:
    server.handler = lambda asked: Reply(article_set(*map(article_xml, _numbers(asked))))
    first = _fetch(service, keeper, 1, 2)
    second = _fetch(service, keeper, 2, 3, 1)
    assert [_numbers(asked) for asked in server.asked] == [[1, 2], [3]]
    assert second["PMC1"].is_reused
    assert second["PMC1"].content == first["PMC1"].content
    assert not second["PMC3"].is_reused


def test_manuscripts_if_the_corpus_wants_more_than_open_access(
    server: Server, make_fetcher: MakeFetcher, keeper: FetchLedger
) -> None:
    server.handler = lambda asked: Reply(article_set(OUTCOMES[17][0]))
    service = EntrezArticles(EntrezClient(make_fetcher(), base_url=server.url), open_access=False)
    assert _fetch(service, keeper, 17)["PMC17"].status == "ok"
