"""Answers from a graph that does not hold the sentences of its articles: the licence is named instead of a failure."""

from __future__ import annotations

import dataclasses

import pytest

from retrieval.evidence import WITHHELD
from tests.retrieval.conftest import Open
from tests.retrieval.memory_graph import MemoryGraph


def without_text(reader: MemoryGraph, *, quotes: bool) -> MemoryGraph:
    """The graph as it is under the policy `quote`, or else `edges`."""
    for key, chunk in reader.chunks_.items():
        reader.chunks_[key] = dataclasses.replace(chunk, text="")
    for key, rows in reader.evidence_.items():
        reader.evidence_[key] = [row if quotes else dataclasses.replace(row, quote="") for row in rows]
    return reader


@pytest.mark.parametrize("method", ["auto", "egot", "inses", "bioweave", "naive"])
@pytest.mark.parametrize("quotes", [True, False])
def test_no_method_fails_without_texts(
    open_graph: Open, lupus_reader: MemoryGraph, method: str, *, quotes: bool
) -> None:
    graph = open_graph(without_text(lupus_reader, quotes=quotes))
    graph.ask("How does UV light cause lupus?", method).render()


def test_a_withheld_quote_is_cited_by_place_and_says_so(open_graph: Open, lupus_reader: MemoryGraph) -> None:
    graph = open_graph(without_text(lupus_reader, quotes=False))
    answer = graph.ask("What does belimumab inhibit?")
    assert answer.answered, answer.trace.reason
    assert "BAFF" in answer.text
    assert all(citation.quote.endswith(WITHHELD) for citation in answer.citations)
    assert all(citation.end > citation.start for citation in answer.citations)


def test_a_kept_quote_is_cited_though_its_text_is_not_there(
    open_graph: Open, lupus_reader: MemoryGraph
) -> None:
    answer = open_graph(without_text(lupus_reader, quotes=True)).ask("What does belimumab inhibit?")
    assert answer.answered, answer.trace.reason
    assert "neutralizes BAFF" in answer.citations[0].quote
