from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from kg_pipeline.errors import KgError, ServiceRefused, ServiceUnavailable
from kg_pipeline.pmc.remote.entrez import EntrezClient
from kg_pipeline.pmc.remote.http import Fetcher
from tests.pmc.remote.conftest import Time
from tests.pmc.remote.replies import article_set, article_xml, search_result
from tests.pmc.remote.server import Reply, Server

MakeFetcher = Callable[..., Fetcher]


@pytest.fixture
def client(server: Server, make_fetcher: MakeFetcher) -> EntrezClient:
    return EntrezClient(make_fetcher(), base_url=server.url)


def _recorded(shared: Path, name: str) -> bytes:
    return (shared / "data" / "entrez" / "biopython" / name).read_bytes()


@pytest.mark.parametrize(
    ("name", "count", "listed"),
    [("esearch1.xml", 63, 20), ("esearch2.xml", 42249, 100), ("esearch3.xml", 2651, 6)],
)
def test_recorded_searches(
    server: Server, client: EntrezClient, shared: Path, name: str, count: int, listed: int
) -> None:
    server.script = [Reply(_recorded(shared, name))]
    page = client.search_page("biopython", 0, 20)
    assert page.count == count
    assert len(page.numbers) == listed
    assert page.warnings == ()
    asked = server.asked[0]
    assert (asked.method, asked.path) == ("GET", "/esearch.fcgi")
    assert asked.values == {
        "db": "pmc",
        "retmode": "xml",
        "tool": "kg-pipeline",
        "term": "biopython",
        "retstart": "0",
        "retmax": "20",
    }


def test_a_recorded_search_for_an_unknown_phrase(server: Server, client: EntrezClient, shared: Path) -> None:
    server.script = [Reply(_recorded(shared, "esearch8.xml"))]
    page = client.search_page("abcXYZ", 0, 20)
    assert page.count == 0
    assert page.warnings == ("PMC does not know the phrase 'abcXYZ' and left it out of the search",)


def test_an_unknown_field_is_an_error_not_a_larger_result(server: Server, client: EntrezClient) -> None:
    extra = "<ErrorList><FieldNotFound>pmcrdate</FieldNotFound></ErrorList>"
    server.script = [Reply(search_result(5, [1, 2, 3, 4, 5], extra))]
    with pytest.raises(ServiceRefused, match="does not know the field pmcrdate"):
        client.search_page("2020[pmcrdate]", 0, 20)


def test_a_final_error_inside_a_200_is_a_sentence_at_once(server: Server, client: EntrezClient) -> None:
    server.script = [
        Reply(b"<eSearchResult><ERROR>Empty term and query_key - nothing todo</ERROR></eSearchResult>")
    ]
    with pytest.raises(ServiceRefused, match="declined the request: Empty term"):
        client.search_page("", 0, 20)
    assert len(server.asked) == 1


PASSING = [
    Reply(b"<eSearchResult><ERROR>Search Backend failed: timed out</ERROR></eSearchResult>"),
    Reply(b'{"error":"API rate limit exceeded","count":"11"}'),
    Reply(b'{"error":"API rate limit exceeded","count":"11"}', 429),
    Reply(b'{"error":"API rate limit exceeded","count":"11"}', 202),
    Reply(b"<!DOCTYPE html><html><body>Down for maintenance</body></html>"),
    Reply(b"  <HTML><title>Oops"),
    Reply(b""),
    Reply(b"[Error] : No result can be found."),
    Reply(b"<eSearchResult><Count>1</Count><IdList><Id>1"),
    Reply(b"<error>internal</error>"),
    Reply(b"", 502),
    Reply(search_result(1, [7]), sent=20),
]


@pytest.mark.parametrize("reply", PASSING, ids=range(len(PASSING)))
def test_passing_errors_are_repeated(
    server: Server, client: EntrezClient, fake_time: Time, reply: Reply
) -> None:
    server.script = [reply, Reply(search_result(1, [7]))]
    assert client.search_page("zinc", 0, 20).numbers == (7,)
    assert len(server.asked) == 2
    assert fake_time.waits != []


@pytest.mark.parametrize("reply", PASSING, ids=range(len(PASSING)))
def test_errors_that_stay_are_one_sentence(server: Server, client: EntrezClient, reply: Reply) -> None:
    server.handler = lambda asked: reply
    with pytest.raises(ServiceUnavailable, match=r"failed 4 times; the last time: .+\. Try again later"):
        client.search_page("zinc", 0, 20)


def test_a_recorded_html_page_is_no_article_set(server: Server, client: EntrezClient, shared: Path) -> None:
    server.script = [Reply(_recorded(shared, "pubmed3.html")), Reply(article_set(article_xml(1)))]
    assert client.fetch_set([1]).tag == "pmc-articleset"
    assert len(server.asked) == 2


def test_a_count_that_is_no_number_is_refused(server: Server, client: EntrezClient) -> None:
    server.script = [Reply(b"<eSearchResult><Count>many</Count></eSearchResult>")]
    with pytest.raises(ServiceRefused, match="that is no number"):
        client.search_page("zinc", 0, 20)


@pytest.mark.parametrize("number", ["0", "-4", "5.2", "9999999999999", "zinc", ""])
def test_an_id_that_is_none_is_refused_by_its_name(server: Server, client: EntrezClient, number: str) -> None:
    listed = f"<eSearchResult><Count>2</Count><IdList><Id>7</Id><Id>{number}</Id></IdList></eSearchResult>"
    server.script = [Reply(listed.encode())]
    with pytest.raises(ServiceRefused, match=f"lists '{number}' for zinc; that is no PMCID"):
        client.search_page("zinc", 0, 20)


def test_long_requests_go_into_a_body(server: Server, client: EntrezClient) -> None:
    numbers = list(range(99_000_000, 99_000_800))
    server.script = [Reply(article_set()), Reply(search_result(0, []))]
    client.fetch_set(numbers)
    client.search_page(" OR ".join(f"gene{n}" for n in range(300)), 0, 20)
    for asked in server.asked:
        assert asked.method == "POST"
        assert len(asked.target) < 100
    assert server.asked[0].values["id"].split(",") == [str(number) for number in numbers]


def test_key_and_address_are_sent_but_shown_nowhere(
    server: Server, make_fetcher: MakeFetcher, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    secrets = ("k3y", "me@lab.example")
    client = EntrezClient(
        make_fetcher(secrets=secrets), base_url=server.url, email=secrets[1], api_key=secrets[0]
    )
    server.script = [Reply(search_result(0, [])), Reply(b'{"error":"API key invalid","api-key":"k3y"}', 400)]
    client.search_page("zinc", 0, 20)
    with pytest.raises(KgError) as caught:
        client.search_page("zinc", 0, 20)
    for asked in server.asked:
        assert asked.values["api_key"] == "k3y"
        assert asked.values["email"] == "me@lab.example"
        assert asked.target == "/esearch.fcgi"
    logged = "\n".join(record.getMessage() for record in caplog.records)
    for text in (logged, str(caught.value)):
        assert "k3y" not in text
        assert "lab.example" not in text
