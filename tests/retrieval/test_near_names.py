"""A refusal says which word is nowhere, and what the graph has instead."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from retrieval.graph import Graph
from retrieval.questions.near_names import shortens
from tests.retrieval.memory_graph import Builder


@pytest.mark.parametrize(
    ("word", "name", "does"),
    [
        ("CRS", "cytokine release syndrome", True),
        ("hcq", "hydroxychloroquine", True),
        ("mtx", "methotrexate", True),
        ("SOL", "syndrome of lupus", False),
        ("hcq", "heparin", False),
        ("aps", "apoptosis", False),
        ("ro", "rosacea", False),
        ("il6", "interleukin 6", False),
    ],
)
def test_short_forms_of_names(word: str, name: str, does: bool) -> None:
    assert shortens(word, name) is does


def test_a_refusal_names_what_the_graph_has_instead(open_graph: Callable[..., Graph]) -> None:
    b = Builder()
    b.entity("C1", "zelfohydrochlorine", "Drug")
    b.entity("D1", "renal nephrosis disease", "Disease")
    b.entity("D2", "rash", "Disease")
    said = ["Zelfohydrochlorine treats renal nephrosis disease.", "Zelfohydrochlorine causes rash."]
    b.article("PMC1", "Zelfohydrochlorine", said)
    b.relation("C1", "treats", "D1", said[0])
    b.relation("C1", "causes", "D2", said[1])
    graph = open_graph(b.build())
    for question, near in (
        ("Does zhc cause rash?", "zelfohydrochlorine"),
        ("What causes RND?", "renal nephr"),
    ):
        answer = graph.ask(question)
        assert not answer.answered
        assert near in answer.trace.reason
    assert "near names" not in graph.ask("Does quorvelin cause rash?").trace.reason
