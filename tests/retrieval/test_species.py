from __future__ import annotations

from collections.abc import Callable

import pytest

from kg_pipeline.graph.reader import Entity
from retrieval.graph import Graph
from retrieval.words.species import species_in
from tests.retrieval.memory_graph import Builder


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Infected mice and murine cells", "in a mouse with nephrosis"),
        ("in dogs, but not in cats", "a dog and a cat"),
        ("Patients were treated.", "Does the drug work in humans?"),
        ("in a rat model, in mice", "of a mouse and of a rat."),
        ("Guinea pigs were immunised.", "the guinea pig was treated"),
        ("Human and equine cells", "in a horse and in people"),
    ],
)
def test_texts_about_the_same_species_agree(text: str, same: str) -> None:
    assert species_in(text) == species_in(same) != frozenset()


@pytest.mark.parametrize(
    "text",
    [
        "human papillomavirus, swine flu and cat eye syndrome persist",
        "Bovine serum albumin raised CAT activity and PIG-A.",
        "Lysis of sheep red blood cells rose.",
        "Anti-rabbit antibody was added.",
    ],
)
def test_a_word_inside_a_name_tells_no_species(text: str) -> None:
    assert species_in(text) == frozenset()


def test_names_of_the_graph_hide_the_words_in_them_and_illnesses_have_a_species() -> None:
    lupus = Entity("D1", "lupus", "biolink:Disease", (), 1, 1)
    vole = Entity("T1", "cotton rat", "biolink:OrganismTaxon", (), 1, 1)
    cells = Entity("L1", "mouse liver slices", "biolink:Cell", (), 1, 1)
    assert species_in("BAFF drives murine lupus.", [lupus]) == species_in("in mice")
    assert species_in("It was raised in the cotton rat.", [vole]) == species_in("in rats")
    assert species_in("It was raised in mouse liver slices.", [cells]) == frozenset()
    assert species_in("It was raised in mouse liver slices.") == species_in("in mice")


def test_what_holds_for_one_species_is_not_told_of_another(open_graph: Callable[..., Graph]) -> None:
    b = Builder()
    b.entity("G1", "PDX9", "Gene")
    b.entity("D1", "nephrosis", "Disease")
    b.article("PMC1", "PDX9", ["PDX9 causes nephrosis in mice."])
    b.relation("G1", "causes", "D1", "PDX9 causes nephrosis in mice.")
    graph = open_graph(b.build())
    assert not graph.ask("Does PDX9 cause nephrosis in rats?").answered
    assert not graph.ask("Does PDX9 cause nephrosis in patients?").answered
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
