"""What articles only suggest, or deny, is told as that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from retrieval.graph import Graph
from retrieval.paths.facts import load_facts
from tests.retrieval.memory_graph import Builder


def _graph(open_graph: Callable[..., Graph], sentence: str, **flags: bool) -> Graph:
    b = Builder()
    b.entity("C1", "zelfovir", "Drug")
    b.entity("D1", "nephrosis", "Disease")
    b.article("PMC1", "Zelfovir", [sentence])
    b.relation("C1", "causes", "D1", sentence, **flags)
    return open_graph(b.build())


@pytest.mark.parametrize(
    "sentence",
    [
        "Zelfovir allegedly causes nephrosis.",
        "Reportedly, zelfovir causes nephrosis.",
        "Zelfovir is thought to cause nephrosis.",
        "Zelfovir, which is cheap, probably causes nephrosis.",
    ],
)
def test_a_reservation_that_the_graph_overlooks_gives_no_yes(
    open_graph: Callable[..., Graph], sentence: str
) -> None:
    answer = _graph(open_graph, sentence).ask("Does zelfovir cause nephrosis?")
    assert answer.verdict == "maybe"
    assert answer.text.startswith("It is suggested that zelfovir causes nephrosis.")


@pytest.mark.parametrize(
    "sentence",
    ["Zelfovir causes nephrosis.", "Zelfovir, which might be cheap, causes nephrosis and possibly rash."],
)
def test_a_reservation_about_something_else_leaves_a_yes(
    open_graph: Callable[..., Graph], sentence: str
) -> None:
    answer = _graph(open_graph, sentence).ask("Does zelfovir cause nephrosis?")
    assert answer.verdict == "yes"
    assert "suggested" not in answer.text


def test_a_no_says_that_it_is_denied(open_graph: Callable[..., Graph]) -> None:
    graph = _graph(open_graph, "Zelfovir does not cause nephrosis.", negated=True)
    answer = graph.ask("Does zelfovir cause nephrosis?")
    assert answer.verdict == "no"
    assert answer.text.startswith("It is not the case that zelfovir causes nephrosis.")


def test_the_rule_of_a_hypothesis_has_names_beside_its_ids(open_graph: Callable[..., Graph]) -> None:
    b = Builder()
    for entity_id, name in (("C1", "zelfovir"), ("G1", "PDX9"), ("D1", "nephrosis")):
        b.entity(entity_id, name, "Gene")
    said = ["Zelfovir binds PDX9.", "PDX9 binds nephrosis."]
    b.article("PMC1", "Zelfovir", said)
    premises = (b.relation("C1", "binds", "G1", said[0]), b.relation("G1", "binds", "D1", said[1]))
    drawn = b.relation("C1", "related_to", "D1", kind="community", premises=premises)
    graph = open_graph(b.build())
    relation = replace(graph.reader.relations([drawn])[0], rule="neighbours of G1 and D1, across C1")
    (fact,) = load_facts(graph.reader, [relation])
    assert fact.rule == "neighbours of PDX9 (G1) and nephrosis (D1), across zelfovir (C1)"


@pytest.fixture
def clinic(open_graph: Callable[..., Graph]) -> Graph:
    b = Builder()
    for entity_id, name, category in (
        ("G1", "PDX9", "Gene"),
        ("G2", "kinase I", "Gene"),
        ("C1", "zelfovir", "Drug"),
        ("C2", "cytokine", "Protein"),
        ("L1", "hepatocytes", "Cell"),
        ("D1", "nephrosis", "Disease"),
        ("D2", "rash", "Disease"),
        ("T1", "dog", "OrganismTaxon"),
        ("T2", "horse", "OrganismTaxon"),
    ):
        b.entity(entity_id, name, category)
    said = [
        "PDX9 inhibits kinase I in tubules.",
        "Zelfovir reduced the release of PDX9.",
        "Hepatocytes are large.",
        "Zelfovir does not treat nephrosis.",
        "Zelfovir caused rash.",
    ]
    b.article("PMC1", "Kinases of tubules", [*said[:4], "The horse is large."])
    b.article("PMC2", "Zelfovir in a dog", [*said[4:], "The dog was old."])
    b.relation("G1", "inhibits", "G2", said[0])
    b.relation("C1", "decreases", "G1", said[1])
    b.relation("C1", "treats", "D1", said[3], negated=True)
    b.relation("C1", "causes", "D2", said[4])
    return open_graph(b.build())


def test_a_relation_that_runs_the_other_way_is_no_yes(clinic: Graph) -> None:
    assert clinic.ask("Does PDX9 inhibit kinase I?").verdict == "yes"
    answer = clinic.ask("Does kinase I inhibit PDX9?")
    assert answer.verdict != "yes"
    assert "runs the other way" in answer.text or not answer.answered


def test_what_is_stated_elsewhere_is_no_yes_for_the_place_asked_about(clinic: Graph) -> None:
    assert clinic.ask("Does PDX9 inhibit kinase I in hepatocytes?").verdict != "yes"


def test_what_only_is_denied_names_nothing(clinic: Graph) -> None:
    assert not clinic.ask("Which drug treats nephrosis?").answered
    assert clinic.ask("Does zelfovir treat nephrosis?").verdict == "no"


def test_what_lowers_the_release_of_a_thing_suppresses_it(clinic: Graph) -> None:
    assert "Zelfovir reduced" in clinic.ask("What suppresses PDX9 secretion?").text


def test_a_name_may_end_with_a_stop_word_in_capitals(clinic: Graph) -> None:
    assert "PDX9 inhibits" in clinic.ask("What inhibits kinase I?").text


def test_a_title_tells_the_species_of_its_sentences(clinic: Graph) -> None:
    assert clinic.ask("Does zelfovir cause rash in a dog?").answered
    assert not clinic.ask("Does zelfovir cause rash in a horse?").answered
    assert "Zelfovir caused rash" in clinic.ask("Which drug causes rash in the dog?").text
    assert not clinic.ask("Which drug causes rash in the horse?").answered


def test_another_relation_of_the_two_is_told_as_that(clinic: Graph) -> None:
    answer = clinic.ask("Does zelfovir bind PDX9?")
    assert answer.verdict != "yes"
    assert not answer.answered or "another relation: zelfovir decreases PDX9" in answer.text


def test_a_sentence_with_both_directions_is_no_yes(open_graph: Callable[..., Graph]) -> None:
    b = Builder()
    b.entity("C1", "zelfovir", "Drug")
    b.entity("G1", "PDX9", "Gene")
    said = "Zelfovir inhibited tubule cells to produce PDX9."
    b.article("PMC1", "Zelfovir", [said])
    b.relation("C1", "produces", "G1", said)
    graph = open_graph(b.build())
    assert graph.ask("Does zelfovir increase PDX9?").verdict == "maybe"
    assert graph.ask("Does zelfovir reduce PDX9?").verdict == "maybe"


@pytest.mark.parametrize(
    "sentence",
    [
        "Zelfovir reduced VEGF-induced nephrosis formation.",
        "Zelfovir, which raises cost, reduced nephrosis formation.",
    ],
)
def test_words_beside_a_relation_leave_its_direction_alone(
    open_graph: Callable[..., Graph], sentence: str
) -> None:
    b = Builder()
    b.entity("C1", "zelfovir", "Drug")
    b.entity("D1", "nephrosis formation", "BiologicalProcess")
    b.article("PMC1", "Zelfovir", [sentence])
    b.relation("C1", "decreases", "D1", sentence)
    assert open_graph(b.build()).ask("Does zelfovir increase nephrosis formation?").verdict == "no"


def test_a_sentence_that_stands_twice_is_told_once_and_cited_twice(open_graph: Callable[..., Graph]) -> None:
    b = Builder()
    b.entity("C1", "zelfovir", "Drug")
    b.entity("G1", "PDX9", "Gene")
    said = "Zelfovir inhibits PDX9."
    b.article("PMC1", "Abstract of zelfovir", [said])
    b.article("PMC2", "Zelfovir again", [said])
    graph = open_graph(b.build())
    answer = graph.ask("What does zelfovir inhibit?")
    assert [sentence.text for sentence in answer.sentences] == [said]
    assert len(answer.sentences[0].citations) == 2


@pytest.mark.parametrize(
    ("sentence", "question", "verdict"),
    [
        ("Zelfovir causes nephrosis, except in women.", "Does zelfovir cause nephrosis in women?", "maybe"),
        (
            "Zelfovir causes nephrosis in rats but not in mice.",
            "Does zelfovir cause nephrosis in mice?",
            "maybe",
        ),
        (
            "Zelfovir causes nephrosis less than water.",
            "Does zelfovir cause nephrosis more than water?",
            "maybe",
        ),
        ("Zelfovir causes nephrosis, except in women.", "Does zelfovir cause nephrosis?", "yes"),
        (
            "Zelfovir causes nephrosis in rats but not in mice.",
            "Does zelfovir cause nephrosis in rats?",
            "yes",
        ),
    ],
)
def test_an_exception_or_a_comparison_gives_no_yes_to_what_it_leaves_out(
    open_graph: Callable[..., Graph], sentence: str, question: str, verdict: str
) -> None:
    answer = _graph(open_graph, sentence).ask(question)
    assert answer.verdict == verdict or not answer.answered
    assert answer.answered or verdict == "maybe"
