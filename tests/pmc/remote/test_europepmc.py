from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kg_pipeline.errors import ServiceError, ServiceUnavailable
from kg_pipeline.pmc.raw import ArticleStore
from kg_pipeline.pmc.remote.europepmc import EuropePmcArticles, EuropePmcClient
from kg_pipeline.pmc.remote.http import Fetcher
from kg_pipeline.pmc.remote.ledger import FetchLedger
from kg_pipeline.pmc.remote.outcomes import Wanted
from tests.pmc.remote.replies import article_xml
from tests.pmc.remote.server import Asked, Reply, Server

MakeFetcher = Callable[..., Fetcher]


@pytest.fixture
def client(server: Server, make_fetcher: MakeFetcher) -> EuropePmcClient:
    return EuropePmcClient(make_fetcher(max_bytes=200_000), base_url=server.url, page_size=2)


@pytest.fixture
def keeper(tmp_path: Path, store: ArticleStore):
    with FetchLedger(tmp_path / "ledger", store) as ledger:
        yield ledger


def _hit(number: int, **more: object) -> dict[str, object]:
    return {"id": str(number), "pmcid": f"PMC{number}", "isOpenAccess": "Y", "license": "cc by"} | more


def _service(hits: list[dict[str, object]], *, last_cursor: str | None = None) -> Callable[[Asked], Reply]:
    """Europe PMC with these results, paged by a cursor; full texts of the open ones, 500 for the others."""

    def handler(asked: Asked) -> Reply:
        if asked.path.endswith("/fullTextXML"):
            pmcid = asked.path.split("/")[1]
            if any(hit.get("pmcid") == pmcid and hit["isOpenAccess"] == "Y" for hit in hits):
                return Reply(article_xml(int(pmcid[3:])).encode())
            return Reply(b"", 500)
        found = hits
        if "PMCID:" in asked.values["query"]:
            names = asked.values["query"].strip("()").replace("PMCID:", "").split(" OR ")
            found = [hit for hit in hits if hit.get("pmcid") in names]
        start = 0 if asked.values["cursorMark"] == "*" else int(asked.values["cursorMark"])
        size = int(asked.values["pageSize"])
        page: dict[str, object] = {
            "hitCount": len(found),
            "resultList": {"result": found[start : start + size]},
        }
        if start + size < len(found):
            page["nextCursorMark"] = str(start + size)
        elif last_cursor is not None:
            page["nextCursorMark"] = asked.values["cursorMark"] if last_cursor == "same" else last_cursor
        return Reply(json.dumps(page).encode(), headers={"Content-Type": "application/json"})

    return handler


@pytest.mark.parametrize("last_cursor", [None, "same"])
def test_all_pages_are_read_and_the_end_is_seen(
    server: Server, client: EuropePmcClient, last_cursor: str | None
) -> None:
    hits = [_hit(n) for n in range(1, 6)] + [{"id": "39709209", "source": "MED", "isOpenAccess": "N"}]
    server.handler = _service(hits, last_cursor=last_cursor)
    assert [record.pmcid for record in client.search("lupus")] == [f"PMC{n}" for n in range(1, 6)]
    assert len(server.asked) == 3
    assert server.asked[0].values["cursorMark"] == "*"


def test_an_end_before_all_results_is_an_error(server: Server, client: EuropePmcClient) -> None:
    page = {"hitCount": 9, "resultList": {"result": [_hit(1)]}}
    server.handler = lambda asked: Reply(json.dumps(page).encode())
    with pytest.raises(ServiceError, match=r"counts 9 results .* but gave 1"):
        list(client.search("lupus"))


def test_at_most(server: Server, client: EuropePmcClient) -> None:
    server.handler = _service([_hit(n) for n in range(1, 100)])
    assert len(list(client.search("lupus", at_most=3))) == 3
    assert len(server.asked) == 2


@pytest.mark.parametrize("name", ["search_cancer.json", "search_post_cancer.json"])
def test_recorded_results(server: Server, client: EuropePmcClient, shared: Path, name: str) -> None:
    page = json.loads((shared / "data" / "entrez" / "europepmc_search" / name).read_bytes())
    expected = [
        (hit["pmcid"], hit["isOpenAccess"] == "Y") for hit in page["resultList"]["result"] if "pmcid" in hit
    ]
    page.pop("nextCursorMark")
    page["hitCount"] = len(page["resultList"]["result"])
    server.handler = lambda asked: Reply(json.dumps(page).encode())
    assert [(record.pmcid, record.is_open_access) for record in client.search("cancer")] == expected


def test_the_recorded_xml_instead_of_json_is_unusable(
    server: Server, client: EuropePmcClient, shared: Path
) -> None:
    data = (shared / "data" / "entrez" / "europepmc_search" / "search_cancer.xml").read_bytes()
    server.handler = lambda asked: Reply(data)
    with pytest.raises(ServiceUnavailable, match="no JSON object"):
        list(client.search("cancer"))


@pytest.mark.parametrize(
    "body", [b'{"errCode": 404, "errMsg": "Invalid query"}', b"<html></html>", b"", b'{"error": "x"}', b"[]"]
)
def test_what_is_no_result_is_repeated(server: Server, client: EuropePmcClient, body: bytes) -> None:
    server.handler = _service([_hit(1)])
    server.script = [Reply(body)]
    assert [record.pmcid for record in client.search("x")] == ["PMC1"]


def test_openness_is_found_out_by_search_and_only_open_texts_are_asked_for(
    server: Server, client: EuropePmcClient, keeper: FetchLedger
) -> None:
    hits = [
        _hit(1),
        _hit(2, isOpenAccess="N"),
        _hit(4, pubTypeList={"pubType": ["Retracted Publication"]}),
        _hit(5),
    ]
    server.handler = _service(hits)
    service = EuropePmcArticles(client, threads=2)
    wanted = [Wanted(f"PMC{n}") for n in (5, 3, 2, 4, 1)]
    got = list(service.fetch(wanted, keeper))
    assert [(article.pmcid, article.status) for article in got] == [
        ("PMC5", "ok"),
        ("PMC3", "not_found"),
        ("PMC2", "not_open"),
        ("PMC4", "retracted"),
        ("PMC1", "ok"),
    ]
    texts = sorted(path for path in server.paths() if path.endswith("fullTextXML"))
    assert texts == ["/PMC1/fullTextXML", "/PMC5/fullTextXML"]
    assert [listed.license_class for listed in service.look_up([Wanted("PMC1")])] == ["redistributable"]
    assert all(article.is_reused for article in service.fetch([Wanted("PMC1"), Wanted("PMC5")], keeper))
    assert len([path for path in server.paths() if path.endswith("fullTextXML")]) == 2


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (Reply(b"", 404), "not_found"),
        (Reply(b"", 500), "failed"),
        (Reply(b"<html>no</html>"), "failed"),
        (Reply(b"<article><body>"), "malformed"),
        (Reply(b"", 403), "failed"),
        (Reply(b"<article>" + b" " * 300_000 + b"</article>"), "malformed"),
    ],
)
def test_a_full_text_that_does_not_come(
    server: Server, client: EuropePmcClient, keeper: FetchLedger, reply: Reply, status: str
) -> None:
    search = _service([_hit(1)])
    server.handler = lambda asked: reply if asked.path.endswith("fullTextXML") else search(asked)
    (got,) = EuropePmcArticles(client).fetch([Wanted("PMC1")], keeper)
    assert got.status == status
    assert got.reason


def test_an_outage_of_the_search(server: Server, client: EuropePmcClient, keeper: FetchLedger) -> None:
    server.handler = lambda asked: Reply(b"", 503)
    got = list(EuropePmcArticles(client).fetch([Wanted("PMC1"), Wanted("PMC2")], keeper))
    assert [(article.status, article.is_service_failure) for article in got] == [
        ("failed", True),
        ("failed", False),
    ]
    assert all(path.endswith("search") for path in server.paths())
