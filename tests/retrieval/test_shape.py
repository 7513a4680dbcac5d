from __future__ import annotations

import pytest

from kg_pipeline.graph.reader import Entity
from retrieval.graph import Graph
from retrieval.methods.asking import understand
from retrieval.questions.shape import Shape, named_slot, read_shape
from tests.retrieval.conftest import open_memory
from tests.retrieval.onco_graph import onco


@pytest.fixture(scope="module")
def graph() -> Graph:
    return open_memory(onco())


def shape(graph: Graph, text: str) -> Shape:
    return read_shape(understand(text, graph.context))


@pytest.mark.parametrize(
    ("text", "operator", "answer", "inner"),
    [
        ("Which drug binds the protein whose expression ASCL1 drives?", "chain", "drug", ["protein"]),
        ("Which drugs treat small cell lung cancer?", "aggregation", "drug", []),
        ("How many drugs treat small cell lung cancer?", "count", "drug", []),
        ("Which protein connects tarlatamab and ASCL1?", "shared_neighbour", "protein", []),
        ("Which disease do cisplatin, etoposide and tarlatamab treat?", "intersection", "disease", []),
        ("How is ASCL1 related to tarlatamab?", "chain", None, []),
        ("What does tarlatamab treatment cause?", "chain", None, ["treatment"]),
        ("How many drugs target DLL3?", "count", "drug", []),
        ("Which drugs treat SCLC and target DLL3?", "intersection", "drug", []),
        ("Which proteins does tarlatamab target?", "aggregation", "protein", []),
        ("What is the target of tarlatamab?", "aggregation", "target", []),
        ("Which drug binds the target DLL3 of ASCL1?", "chain", "drug", ["target"]),
    ],
)
def test_operator_and_types_are_read_from_the_words(
    graph: Graph, text: str, operator: str, answer: str | None, inner: list[str]
) -> None:
    found = shape(graph, text)
    assert found.operator == operator
    assert (found.answer.word if found.answer else None) == answer
    assert [slot.word for slot in found.inner] == inner


def test_what_the_answer_does_is_told_apart_from_what_is_done(graph: Graph) -> None:
    lead = shape(graph, "Which drug treats cytokine release syndrome?").lead
    assert lead is not None
    assert "treats" in lead.predicates
    assert shape(graph, "Which disease does tarlatamab cause?").lead is None
    assert shape(graph, "Which drug is inhibited by ASCL1 in SCLC?").lead is None


def test_the_last_name_after_in_is_a_setting(graph: Graph) -> None:
    found = shape(graph, "Which drug binds the protein whose expression ASCL1 drives in SCLC?")
    assert found.setting == frozenset({1})
    assert shape(graph, "How is ASCL1 related to SCLC?").setting == frozenset()


def test_a_type_is_known_by_category_or_by_the_last_word_of_a_name(graph: Graph) -> None:
    [drug] = graph.reader.entities(["M1"])
    [gene] = graph.reader.entities(["G2"])
    [syndrome] = graph.reader.entities(["S2"])
    [cancer] = graph.reader.entities(["S1"])
    slot = named_slot("small molecule drug")
    assert slot is not None
    assert slot.fits(drug)
    assert not slot.fits(gene)
    by_name = named_slot("syndrome")
    assert by_name is not None
    assert by_name.closeness(syndrome, ()) == 1.0
    assert by_name.closeness(cancer, ()) == 0.5
    assert by_name.closeness(gene, ()) == 0.0
    assert named_slot("gizmo") is None


@pytest.mark.parametrize(
    ("word", "name", "fits"),
    [
        ("antibody", "tarlatamab", True),
        ("antibody", "anti-VGCC antibodies", True),
        ("antibody", "cisplatin", False),
        ("kinase", "TANK binding kinase 1", True),
        ("receptor", "glycine receptor subunit alpha 1", True),
        ("enzyme", "retinol acyltransferase", True),
        ("enzyme", "stimulated by retinoic acid 6", False),
    ],
)
def test_the_noun_or_the_ending_of_a_name_tells_its_type(word: str, name: str, fits: bool) -> None:
    slot = named_slot(word)
    assert slot is not None
    assert slot.is_named_by(Entity("E1", name, "biolink:Drug", (), 1, 1)) is fits
