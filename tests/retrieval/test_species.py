from __future__ import annotations

from collections.abc import Callable

import pytest

from retrieval.graph import Graph
from retrieval.words.species import species_in
from tests.retrieval.memory_graph import Builder


@pytest.mark.parametrize(
    ("text", "species"),
    [
        ("Infected mice and murine cells", {"mouse"}),
        ("in dogs, but not in cats", {"canine", "feline"}),
        ("Patients were treated.", set()),
        ("in a rat model and in a mouse", {"rat", "mouse"}),
        ("Guinea pigs were immunised.", {"guinea pig"}),
        ("human papillomavirus, swine flu and cat eye syndrome persist", set()),
        ("Bovine serum albumin raised CAT activity and PIG-A.", set()),
        ("Does the drug work in humans?", {"human"}),
    ],
)
def test_species_are_named_by_one_word(text: str, species: set[str]) -> None:
    assert species_in(text) == species


def test_what_holds_for_one_species_is_not_told_of_another(open_graph: Callable[..., Graph]) -> None:
    b = Builder()
    b.entity("G1", "PDX9", "Gene")
    b.entity("D1", "nephrosis", "Disease")
    b.article("PMC1", "PDX9", ["PDX9 causes nephrosis in mice."])
    b.relation("G1", "causes", "D1", "PDX9 causes nephrosis in mice.")
    graph = open_graph(b.build())
    assert not graph.ask("Does PDX9 cause nephrosis in rats?").answered
    assert graph.ask("Does PDX9 cause nephrosis in a mouse?").answered
    assert graph.ask("Does PDX9 cause nephrosis?").answered


def test_a_species_inside_a_name_is_not_what_is_asked_about(open_graph: Callable[..., Graph]) -> None:
    b = Builder()
    b.entity("C1", "zelfovir", "Drug")
    b.entity("V1", "human ocelovirus", "OrganismTaxon", "HOV")
    b.article("PMC1", "Zelfovir", ["Zelfovir inhibits HOV in macaques."])
    b.relation("C1", "inhibits", "V1", "Zelfovir inhibits HOV in macaques.")
    graph = open_graph(b.build())
    assert graph.ask("What inhibits human ocelovirus?").answered
    assert not graph.ask("Does zelfovir inhibit human ocelovirus in ferrets?").answered
