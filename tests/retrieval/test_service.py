from __future__ import annotations

import dataclasses

import pytest

from kg_pipeline.errors import KgError
from retrieval.graph import Graph
from retrieval.service import LONGEST_QUESTION, MOST_FOUND, Service
from tests.retrieval.conftest import Open
from tests.retrieval.memory_graph import MemoryGraph


@pytest.fixture
def service(lupus_graph: Graph) -> Service:
    return Service(lupus_graph)


async def test_an_answer_comes_with_its_sources(service: Service, lupus_graph: Graph) -> None:
    given = await service.ask("Does vitamin D treat lupus?")
    asked = await lupus_graph.aask("Does vitamin D treat lupus?")
    assert (given.answered, given.verdict, given.corpus) == (True, "maybe", "test")
    assert all(1 <= n <= len(given.sources) for s in given.sentences for n in s.citations)
    for source in given.sources:
        [citation] = [
            c for c in asked.citations if (c.article_id, c.start) == (source.article_id, source.start)
        ]
        assert (source.quote, source.end) == (citation.quote, citation.end)
        assert source.address == f"https://pmc.ncbi.nlm.nih.gov/articles/{source.article_id}/"
    [contradiction] = given.contradictions
    assert contradiction.startswith("vitamin D treats systemic lupus erythematosus: [")


async def test_a_refusal_has_its_reason(service: Service) -> None:
    given = await service.ask("What is the capital of France?")
    assert (given.answered, given.sources, given.text) == (False, [], "no information available")
    assert given.reason


async def test_a_search_is_cut_at_its_limit_and_says_how_much_is_left(service: Service) -> None:
    few, many = await service.search("lupus", 1), await service.search("lupus", MOST_FOUND)
    assert (len(few.passages), len(few.entities), len(few.relations)) == (1, 1, 1)
    total = len(many.passages) + len(many.entities) + len(many.relations)
    assert few.left_out == total - 3
    assert few.passages[0] == many.passages[0]


async def test_relations_of_an_entity_have_sources_or_premises(service: Service) -> None:
    found = await service.neighbourhood("pDC")
    kinds = {relation.kind: relation for relation in found.relations}
    assert (
        kinds["asserted"].sources[0].quote
        == "Plasmacytoid dendritic cells secrete large amounts of type I interferon."
    )
    assert kinds["transitive"].premises == [
        "plasmacytoid dendritic cell produces type I interferon",
        "type I interferon increases systemic lupus erythematosus",
    ]
    stated = await service.neighbourhood("C8", inferred=False)
    assert [relation.kind for relation in stated.relations] == ["asserted"]
    assert (await service.neighbourhood("SLE", 2)).left_out > 0


async def test_a_path_leads_from_one_to_the_other(service: Service) -> None:
    found = await service.path("UV", "SLE")
    assert found.paths[0][0].head == "UV radiation"
    assert found.paths[0][-1].tail == "systemic lupus erythematosus"
    assert all(relation.sources for path in found.paths for relation in path)
    assert (await service.path("UV", "SLE", max_length=1)).paths == []
    assert len((await service.path("belimumab", "SLE", limit=1)).paths) == 1
    assert len((await service.path("belimumab", "SLE")).paths) > 1


async def test_a_name_of_two_things_is_asked_back_with_their_ids(
    open_graph: Open, lupus_reader: MemoryGraph
) -> None:
    known = lupus_reader.entities_["C15"]
    lupus_reader.entities_["C99"] = dataclasses.replace(known, entity_id="C99", category="biolink:Procedure")
    with pytest.raises(KgError, match=r"id C15.*id C99.*Give the id of one"):
        await Service(open_graph(lupus_reader)).neighbourhood("stroke")


@pytest.mark.parametrize(
    ("call", "arguments", "message"),
    [
        ("ask", {"question": " "}, "empty"),
        ("ask", {"question": "x" * (LONGEST_QUESTION + 1)}, "at most"),
        ("ask", {"question": "Why?", "method": "magic"}, "no retrieval method"),
        ("search", {"question": "lupus", "limit": MOST_FOUND + 1}, "between 1 and"),
        ("neighbourhood", {"entity": "zzz"}, "no entity"),
        ("neighbourhood", {"entity": "SLE", "limit": 0}, "between 1 and"),
        ("path", {"source": "SLE", "target": "lupus"}, "two different"),
        ("path", {"source": "SLE", "target": "BAFF", "max_length": 9}, "between 1 and"),
    ],
)
async def test_what_cannot_be_looked_up_is_refused_with_a_sentence(
    service: Service, call: str, arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(KgError, match=message):
        await getattr(service, call)(**arguments)
