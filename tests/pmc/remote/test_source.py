from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from pydantic import ValidationError

from kg_pipeline.errors import StageError
from kg_pipeline.pmc.raw import ArticleStore
from kg_pipeline.pmc.remote.opening import open_remote
from kg_pipeline.pmc.remote.outcomes import Listed
from kg_pipeline.pmc.remote.settings import RemoteSettings
from kg_pipeline.pmc.remote.source import RemoteSource
from kg_pipeline.queries import PmcQuery
from tests.pmc.remote.replies import article_xml
from tests.pmc.remote.server import Asked, Reply, Server
from tests.pmc.remote.services import Pmc

Open = Callable[..., RemoteSource]


@pytest.fixture
def pmc(server: Server) -> Pmc:
    made = Pmc()
    server.handler = made.handler
    return made


@pytest.fixture
def settings(server: Server, tmp_path: Path) -> RemoteSettings:
    return RemoteSettings(
        entrez_url=server.url,
        cloud_url=server.url,
        europepmc_url=server.url,
        limiter_folder=tmp_path / "limits",
        requests_per_second=1000,
        first_wait=0.001,
        longest_wait=0.01,
        tries=3,
        trust_environment=False,
    )


@pytest.fixture
def open_source(settings: RemoteSettings, store: ArticleStore, tmp_path: Path):
    opened: list[RemoteSource] = []

    def make(query: PmcQuery | None = None, **options: object) -> RemoteSource:
        chosen = settings.model_copy(update=options)
        source = open_remote(
            query or PmcQuery(terms=("lupus",)),
            chosen,
            store,
            tmp_path / "ledger",
            today=lambda: date(2026, 11, 30),
        )
        opened.append(source)
        return source

    yield make
    for source in opened:
        source.close()


def listed_now(source: RemoteSource, *previous: str) -> list[Listed]:
    return list(source.look_up(source.find().pmcids, previous))


def test_from_query_to_articles(server: Server, pmc: Pmc, open_source: Open, store: ArticleStore) -> None:
    pmc.found = {"lupus": [30, 4, 100], "UV": [100, 7]}
    for number in (4, 7, 30, 100):
        pmc.bucket.add(number, 2)
    source = open_source(PmcQuery(terms=("lupus", "UV")))
    listed = listed_now(source)
    assert [(row.pmcid, row.version, row.status) for row in listed] == [
        (f"PMC{number}", 2, "ok") for number in (4, 7, 30, 100)
    ]
    got = list(source.fetch(row.source_ref for row in listed))
    assert [article.pmcid for article in got] == [row.pmcid for row in listed]
    for article in got:
        assert article.status == "ok"
        assert article.content == store.get(article.content_sha256)
    # A listing takes two requests an article, a fetch one.
    counts = Counter(re.sub(r"\d+", "#", path) for path in server.paths())
    assert counts == {"/esearch.fcgi": 2, "/": 4, "/metadata/PMC#.#.json": 4, "/PMC#.#/PMC#.#.xml": 4}


def test_spellings_of_one_id_are_one_fetch(server: Server, pmc: Pmc, open_source: Open) -> None:
    pmc.bucket.add(3531190, 2)
    pmc.bucket.add(3531190, 3)
    asked = ["PMC03531190", "pmc3531190", " PMC3531190 ", "PMC3531190.2"]
    got = list(open_source().fetch(asked))
    assert [(article.pmcid, article.version, article.status) for article in got] == [
        ("PMC3531190", 3, "ok"),
        ("PMC3531190", 2, "ok"),
    ]
    assert sum(path.endswith(".xml") for path in server.paths()) == 2


@pytest.mark.parametrize("articles", ["cloud", "entrez"])
def test_a_bad_id_is_told_and_never_sent(server: Server, pmc: Pmc, open_source: Open, articles: str) -> None:
    for number in (99000001, 99000002, 99000003):
        pmc.bucket.add(number)
    got = list(open_source(articles=articles).fetch(["99000001", "99000002", "bad id", "99000003", "bad id"]))
    assert [article.status for article in got] == ["ok", "ok", "failed", "ok"]
    assert got[2].reason.startswith("bad_request: 'bad id'")
    assert all("bad" not in str(asked.values) + asked.target for asked in server.asked)


@pytest.mark.parametrize("articles", ["cloud", "entrez"])
def test_every_id_ends_once(pmc: Pmc, open_source: Open, articles: str) -> None:
    for number in range(1, 200, 2):
        pmc.bucket.add(number)
    asked = [f"PMC{number}" for number in range(200, 0, -1)]
    got = list(open_source(articles=articles, batch=7).fetch(asked))
    assert [article.pmcid for article in got] == asked
    assert Counter(article.status for article in got) == {"ok": 100, "not_found": 100}


def test_nothing_found_is_an_error_with_the_complaints_of_the_service(pmc: Pmc, open_source: Open) -> None:
    with pytest.raises(
        StageError, match=r"No article of PMC matches the query lupuz .* does not know the phrase 'lupuz'"
    ):
        listed_now(open_source(PmcQuery(terms=("lupuz",))))


def test_a_broken_search_withdraws_nothing(server: Server, pmc: Pmc, open_source: Open) -> None:
    server.handler = lambda asked: Reply(b'{"error":"API rate limit exceeded","count":"11"}')
    with pytest.raises(StageError):
        listed_now(open_source(deadline=0.2), "PMC1")


def test_a_refresh_sees_new_versions_retractions_and_what_is_gone(pmc: Pmc, open_source: Open) -> None:
    previous = ("PMC1", "PMC2", "PMC3", "PMC4", "PMC5")
    pmc.found = {"lupus": [1, 2, 6]}
    pmc.bucket.add(1)
    pmc.bucket.add(2, 1)
    pmc.bucket.add(2, 2)
    pmc.bucket.add(3, is_retracted=True)
    pmc.bucket.add(4)
    pmc.bucket.add(6)
    rows = {row.pmcid: row for row in listed_now(open_source(), *previous)}
    assert {pmcid: (row.status, row.version) for pmcid, row in rows.items()} == {
        "PMC1": ("ok", 1),
        "PMC2": ("ok", 2),
        "PMC3": ("retracted", 1),
        "PMC4": ("not_found", 1),
        "PMC5": ("not_found", None),
        "PMC6": ("ok", 1),
    }
    assert rows["PMC4"].reason == "withdrawn: no query of the corpus finds it any more"
    assert rows["PMC5"].reason.startswith("withdrawn: the PMC Cloud Service does not hold it")


def test_what_the_search_finds_and_the_cloud_does_not_hold_is_not_open(pmc: Pmc, open_source: Open) -> None:
    pmc.found = {"lupus": [1, 2]}
    pmc.bucket.add(1)
    rows = listed_now(open_source())
    assert [row.status for row in rows] == ["ok", "not_open"]


def test_licences_and_types_outside_of_the_corpus(pmc: Pmc, open_source: Open) -> None:
    pmc.found = {"lupus": [1, 2, 3, 4]}
    pmc.bucket.add(1)
    pmc.bucket.add(2, license_code="CC BY-NC-ND")
    stated = article_xml(3).replace(
        "</abstract>", '</abstract><permissions><license license-type="CC BY 4.0"/></permissions>'
    )
    pmc.bucket.add(3, content=stated.encode(), license_code=None)
    pmc.bucket.add(4, content=article_xml(4, kind="editorial").encode(), license_code=None)
    query = PmcQuery(terms=("lupus",), license=("redistributable",), article_types=("research-article",))
    source = open_source(query)
    rows = listed_now(source)
    assert [row.status for row in rows] == ["ok", "excluded", "ok", "ok"]
    assert "CC BY-NC-ND" in rows[1].reason
    wanted = [row.as_wanted() for row in rows if row.status == "ok"]
    got = {article.pmcid: article for article in source.fetch(wanted)}
    assert {pmcid: article.status for pmcid, article in got.items()} == {
        "PMC1": "ok",  # it states no licence itself, its record does
        "PMC3": "ok",
        "PMC4": "excluded",
    }
    assert (got["PMC1"].license, got["PMC1"].license_class) == ("CC BY", "redistributable")
    assert {article.pmcid: article.status for article in source.fetch(["PMC1"])} == {"PMC1": "ok"}


def test_at_most_so_many_articles(pmc: Pmc, open_source: Open) -> None:
    pmc.found = {"lupus": list(range(1, 50)), "UV": list(range(40, 60))}
    assert open_source(PmcQuery(terms=("lupus", "UV"), max_articles=12)).find().pmcids == tuple(
        f"PMC{number}" for number in range(48, 60)
    )


@pytest.mark.parametrize("articles", ["cloud", "entrez"])
def test_a_service_that_is_down_ends_the_run(
    server: Server, pmc: Pmc, open_source: Open, articles: str
) -> None:
    server.handler = lambda asked: Reply(b"", 503)
    source = open_source(articles=articles, patience=4, batch=10)
    with pytest.raises(StageError, match="4 requests failed one after the other"):
        list(source.fetch(f"PMC{number}" for number in range(1, 2000)))
    assert len(server.asked) < 400


def test_single_failures_do_not_end_the_run(server: Server, pmc: Pmc, open_source: Open) -> None:
    for number in range(1, 41):
        pmc.bucket.add(number)
    for number in range(1, 41, 2):
        pmc.bucket.objects[f"PMC{number}.1/PMC{number}.1.xml"] = b"damaged"
    got = list(open_source(patience=3).fetch(f"PMC{number}" for number in range(1, 41)))
    assert Counter(article.status for article in got) == {"ok": 20, "failed": 20}


def test_a_run_goes_on_where_it_was_stopped(server: Server, pmc: Pmc, open_source: Open) -> None:
    for number in range(1, 101):
        pmc.bucket.add(number)
    refs = [f"PMC{number}.1" for number in range(1, 101)]
    first = open_source(threads=2)
    outcomes = first.fetch(refs)
    for _ in range(30):
        next(outcomes)
    outcomes.close()
    first.close()
    got = list(open_source().fetch(refs))
    assert [article.status for article in got] == ["ok"] * 100
    assert 30 <= sum(article.is_reused for article in got) < 40
    downloads = Counter(path for path in server.paths() if path.endswith(".xml"))
    assert len(downloads) == 100
    assert sum(downloads.values()) <= 100 + 2  # what was on its way may come twice


_CHILD = """
import sys
from pathlib import Path
from kg_pipeline.pmc.raw import ArticleStore
from kg_pipeline.pmc.remote.opening import open_remote
from kg_pipeline.queries import PmcQuery
from kg_pipeline.pmc.remote.settings import RemoteSettings

settings = RemoteSettings.model_validate_json(sys.argv[1])
folder = Path(sys.argv[2])
with open_remote(PmcQuery(terms=("lupus",)), settings, ArticleStore(folder / "raw"), folder / "ledger") as source:
    for article in source.fetch(f"PMC{n}.1" for n in range(1, 61)):
        sys.stdout.write(article.pmcid + "\\n")
        sys.stdout.flush()
"""


@pytest.mark.integration
def test_a_killed_run_fetches_nothing_twice(
    server: Server, pmc: Pmc, open_source: Open, settings: RemoteSettings, tmp_path: Path
) -> None:
    pmc.slow = 0.02
    for number in range(1, 61):
        pmc.bucket.add(number)
    threads = 4
    options = settings.model_copy(update={"threads": threads}).model_dump_json(exclude={"api_key"})
    child = subprocess.Popen(
        [sys.executable, "-c", _CHILD, options, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    with child:
        assert child.stdout is not None
        for _ in range(20):
            assert child.stdout.readline().startswith("PMC")
        child.send_signal(signal.SIGKILL)
        child.wait()
    got = list(open_source(threads=threads).fetch(f"PMC{number}.1" for number in range(1, 61)))
    assert [article.status for article in got] == ["ok"] * 60
    reused = {article.pmcid for article in got if article.is_reused}
    assert len(reused) >= 20
    downloads = Counter(path for path in server.paths() if path.endswith(".xml"))
    for pmcid in reused:
        assert downloads[f"/{pmcid}.1/{pmcid}.1.xml"] == 1
    # Only what was on its way when the process was killed may come twice.
    assert sum(downloads.values()) <= 60 + threads


def test_requests_are_under_way_together_but_bounded(server: Server, pmc: Pmc, open_source: Open) -> None:
    pmc.slow = 0.02
    refs = [pmc.bucket.add(number) for number in range(1, 33)]
    got = list(open_source(threads=8).fetch(refs))
    assert 1 < pmc.most <= 8
    assert [article.pmcid for article in got] == [f"PMC{number}" for number in range(1, 33)]
    assert len({asked.port for asked in server.asked}) <= 8


def test_europe_pmc_searches_and_serves(server: Server, open_source: Open) -> None:
    hits = [{"pmcid": f"PMC{number}", "isOpenAccess": "Y", "license": "cc by"} for number in (3, 1, 2)]

    def handler(asked: Asked) -> Reply:
        if asked.path.endswith("fullTextXML"):
            return Reply(article_xml(int(asked.path.split("/")[1][3:])).encode())
        body = str({"hitCount": 3, "resultList": {"result": hits}}).replace("'", '"').encode()
        return Reply(body, headers={"Content-Type": "application/json"})

    server.handler = handler
    source = open_source(search="europepmc", articles="europepmc")
    listed = listed_now(source)
    assert [row.pmcid for row in listed] == ["PMC1", "PMC2", "PMC3"]
    assert [article.status for article in source.fetch(row.source_ref for row in listed)] == ["ok"] * 3


def test_the_key_is_in_no_representation_of_the_settings(tmp_path: Path) -> None:
    settings = RemoteSettings(limiter_folder=tmp_path, api_key="k3y", email="me@lab.example")
    for text in (repr(settings), str(settings), settings.model_dump_json(exclude={"email"})):
        assert "k3y" not in text
    assert "lab.example" not in repr(settings)
    assert settings.entrez_rate == 10.0
    assert RemoteSettings(limiter_folder=tmp_path).entrez_rate == 3.0


@pytest.mark.parametrize(
    "url", ["ftp://ftp.ncbi.nlm.nih.gov/pub/pmc", "file:///etc", "eutils.ncbi.nlm.nih.gov"]
)
def test_only_web_addresses_are_settings(tmp_path: Path, url: str) -> None:
    with pytest.raises(ValidationError):
        RemoteSettings(limiter_folder=tmp_path, entrez_url=url)
