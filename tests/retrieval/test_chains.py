from __future__ import annotations

import dataclasses

from kg_pipeline.graph.reader import ASSERTED
from retrieval.graph import Graph
from retrieval.methods.asking import understand
from retrieval.paths.chains import Chain, find_chains
from retrieval.reasoning.compose import chain_sentences
from tests.retrieval.conftest import open_memory
from tests.retrieval.memory_graph import Builder, MemoryGraph


def chains(graph: Graph, source: str, target: str, **options: object) -> list[Chain]:
    vector = graph.context.embedder.vector("question")
    return find_chains(graph.reader, [source], [target], vector, **options)  # type: ignore[arg-type]


def test_every_hop_has_a_sentence_and_the_ends_are_those_asked(lupus_graph: Graph) -> None:
    [chain] = chains(lupus_graph, "C1", "C5")
    assert chain.entity_ids == ("C1", "C2", "C3", "C4", "C5")
    assert all(fact.quotes for fact in chain.facts)
    assert chain.runs_forward
    assert not chain.runs_backward
    assert chain.sign == 1


def test_chains_are_no_longer_than_asked(lupus_graph: Graph) -> None:
    assert chains(lupus_graph, "C1", "C5", max_hops=3) == []


def test_a_denied_relation_is_no_hop(sclc_graph: Graph) -> None:
    assert chains(sclc_graph, "D5", "D2") == []


def test_a_stated_relation_is_told_where_the_path_names_a_denied_one(
    lupus_graph: Graph, lupus_reader: MemoryGraph
) -> None:
    denied = lupus_reader.relations_["C16-not-treats-C5-asserted"]
    lupus_reader.relations_[denied.relation_id] = dataclasses.replace(denied, confidence=1.0)
    found = chains(lupus_graph, "C16", "C5", max_hops=1)
    assert [fact.relation.relation_id for fact in found[0].facts] == ["C16-treats-C5-asserted"]


def test_stated_chains_come_before_inferred_ones_and_kinds_can_be_left_out(lupus_graph: Graph) -> None:
    both = chains(lupus_graph, "C8", "C5")
    assert [[fact.relation.kind for fact in chain.facts] for chain in both] == [
        ["asserted", "asserted"],
        ["transitive"],
    ]
    stated = chains(lupus_graph, "C8", "C5", kinds=ASSERTED)
    assert [chain.entity_ids for chain in stated] == [("C8", "C7", "C5")]


def ways() -> Graph:
    """Smoking and cough, by way of mucus or of dust, with a loose and a telling relation on the first step."""
    b = Builder()
    b.entity("S", "smoking", "EnvironmentalExposure")
    b.entity("M", "mucus", "AnatomicalEntity")
    b.entity("D", "dust", "EnvironmentalExposure")
    b.entity("C", "cough", "PhenotypicFeature")
    b.entity("A", "antibodies", "Protein")
    s = {
        "loose": "Smoking is associated with mucus.",
        "telling": "Smoking increases mucus in the airways.",
        "cough": "Mucus causes cough at night.",
        "dust": "Smoking is associated with dust.",
        "and": "Dust is associated with cough.",
        "anti": "Antibodies are associated with cough.",
    }
    b.article("PMC1", "Airways", list(s.values()))
    b.relation("S", "associated_with", "M", s["loose"], confidence=0.9)
    b.relation("S", "increases", "M", s["telling"], confidence=0.8)
    b.relation("M", "causes", "C", s["cough"], confidence=0.8)
    b.relation("S", "associated_with", "D", s["dust"], confidence=0.9)
    b.relation("D", "associated_with", "C", s["and"], confidence=0.9)
    b.relation("A", "associated_with", "C", s["anti"], confidence=0.9)
    return open_memory(b.build())


def test_what_says_more_is_told_before_what_only_connects() -> None:
    first, second = chains(ways(), "S", "C")
    assert [fact.relation.predicate for fact in first.facts] == ["increases", "causes"]
    assert [fact.relation.predicate for fact in second.facts] == ["associated_with", "associated_with"]


def test_a_chain_reads_onwards() -> None:
    graph = ways()
    question = understand("How are mucus and antibodies connected?", graph.context)
    [chain] = chains(graph, "M", "A", max_hops=2)
    assert chain_sentences(chain, question)[0].text == (
        "Mucus causes cough, and cough is associated with antibodies."
    )
    [back] = chains(graph, "C", "S", max_hops=2)[:1]
    assert back.entity_ids == ("C", "M", "S")
    assert chain_sentences(back, question)[0].text == "Smoking increases mucus, and mucus causes cough."


def test_a_chain_is_told_in_the_authors_words_and_holds_under_verification() -> None:
    b = Builder()
    b.entity("K", "prosocial behaviour", "Behavior", "altruism")
    b.entity("O", "oxytocin", "Protein")
    b.entity("T", "trust", "Behavior")
    up, on = "Oxytocin increases altruism in voles.", "Altruism increases trust."
    b.article("PMC1", "Voles", [up, on])
    for relation_id, side in (
        (b.relation("O", "increases", "K", up), "tail_text"),
        (b.relation("K", "increases", "T", on), "head_text"),
    ):
        [row] = b.graph.evidence_[relation_id]
        b.graph.evidence_[relation_id] = [dataclasses.replace(row, **{side: "altruism"})]
    graph = open_memory(b.build())
    answer = graph.ask("How is oxytocin related to trust?", "egot")
    assert answer.sentences[0].text == (
        "Oxytocin increases altruism (prosocial behaviour), and altruism (prosocial behaviour) increases trust."
    )
    assert set(answer.graph.entities.values()) == {"oxytocin", "prosocial behaviour", "trust"}
