"""Dense graphs: what comes back is bounded, ranked and has its evidence, and nothing is connected by way of everything."""

from __future__ import annotations

import time
from collections.abc import Callable

from retrieval.graph import Graph
from tests.retrieval.memory_graph import Builder, MemoryGraph


def many_ways(width: int = 40) -> MemoryGraph:
    """Metformin and longevity with `width` things between them, each with a sentence on either side."""
    b = Builder()
    b.entity("M", "metformin", "Drug")
    b.entity("L", "longevity", "PhenotypicFeature")
    for i in range(width):
        b.entity(f"X{i:02}", f"factor {chr(97 + i % 26)}{chr(97 + i // 26)}", "Protein")
    for i in range(width):
        name = b.graph.entities_[f"X{i:02}"].name
        first, second = (
            f"Metformin increases {name} in mice.",
            f"{name.capitalize()} increases longevity in worms.",
        )
        b.article(f"PMC{100 + i}", f"Article {i}", [first, second])
        b.relation("M", "increases", f"X{i:02}", first, confidence=0.5 + i / 100)
        b.relation(f"X{i:02}", "increases", "L", second)
    return b.build()


def test_of_many_chains_a_few_ranked_ones_are_told_with_evidence_for_each_hop(
    open_graph: Callable[..., Graph],
) -> None:
    graph = open_graph(many_ways())
    started = time.perf_counter()
    answer = graph.ask("How is metformin related to longevity?")
    assert time.perf_counter() - started < 20
    chains = [sentence for sentence in answer.sentences if sentence.kind == "finding"]
    assert 1 <= len(chains) <= 3
    assert all(len(sentence.citations) == 2 for sentence in chains)
    assert len(answer.sentences) <= 12
    assert all(edge.citations for edge in answer.graph.edges)


def test_a_search_stays_within_its_caps(open_graph: Callable[..., Graph]) -> None:
    found = open_graph(many_ways()).search("metformin increases longevity")
    settings = open_graph(many_ways()).context.search
    assert len(found.relations) <= settings.max_relations
    assert len(found.passages) <= settings.chunks
