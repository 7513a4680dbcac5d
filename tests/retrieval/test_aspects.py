from __future__ import annotations

from collections.abc import Callable

from retrieval.answer import Answer
from retrieval.graph import Graph
from retrieval.methods.asking import understand
from retrieval.questions.aspects import aspects
from tests.retrieval.memory_graph import Builder, MemoryGraph

Open = Callable[..., Graph]


def resistance() -> MemoryGraph:
    b = Builder()
    b.entity("R1", "EZH2", "Gene")
    b.entity("R2", "SLFN11", "Gene")
    b.entity("R3", "PARP inhibitors", "Drug")
    b.entity("R4", "sensitivity to PARP inhibitors", "PhenotypicFeature")
    b.entity("R5", "PARP inhibitors of mice", "Drug")
    b.entity("R6", "sarcoma", "Disease")
    s = [
        "EZH2 represses SLFN11 after chemotherapy.",
        "SLFN11 increases sensitivity to PARP inhibitors.",
        "PARP inhibitors are given by mouth.",
        "SLFN11 is frequent in patients with sarcoma.",
        "PARP inhibitors of mice are rarely used.",
    ]
    b.article("PMC51", "Resistance", s[:3], [s[3]])
    b.article("PMC52", "Mice", [s[4]])
    b.relation("R1", "inhibits", "R2", s[0])
    b.relation("R2", "increases", "R4", s[1])
    b.relation("R2", "associated_with", "R6", s[3])
    return b.build()


def test_an_aspect_ends_with_the_name_after_a_preposition(open_graph: Open) -> None:
    graph = open_graph(resistance())
    [link] = understand("What are PARP inhibitors?", graph.context).links
    assert aspects(graph.reader, link) == ("R4",)


def test_a_chain_to_an_aspect_answers_how(open_graph: Open) -> None:
    graph = open_graph(resistance())
    answer = graph.ask("How could EZH2 change the response to PARP inhibitors?", "egot")
    assert [citation.article_id for citation in answer.citations] == ["PMC51", "PMC51"]
    assert not graph.ask("Does EZH2 inhibit PARP inhibitors?", "egot").answered


def in_sarcoma(open_graph: Open, *, same_article: bool) -> Answer:
    reader = resistance()
    if not same_article:
        [row] = reader.evidence_["R1-inhibits-R2-asserted"]
        assert row.article_id == "PMC51"
        del reader.relations_["R2-associated_with-R6-asserted"]
        reader.chunks_.pop("PMC51:c1")
        reader.mentions.pop("PMC51:c1")
    return open_graph(reader).ask("Does EZH2 inhibit SLFN11 in sarcoma?", "egot")


def test_a_setting_is_shown_by_a_sentence_of_the_same_article_or_not_at_all(open_graph: Open) -> None:
    answer = in_sarcoma(open_graph, same_article=True)
    assert "SLFN11 is frequent in patients with sarcoma." in {c.quote for c in answer.citations}
    assert not in_sarcoma(open_graph, same_article=False).answered
