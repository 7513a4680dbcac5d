from __future__ import annotations

import dataclasses

from kg_pipeline.graph.reader import ASSERTED
from retrieval.chains import Chain, find_chains
from retrieval.graph import Graph
from tests.retrieval.memory_graph import MemoryGraph


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
