from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from retrieval.graph import Graph
from retrieval.methods.asking import understand
from retrieval.questions.question import Question
from retrieval.words.terms import stem
from tests.retrieval.memory_graph import Builder


def read(graph: Graph, text: str) -> Question:
    return understand(text, graph.context)


def linked(question: Question) -> list[tuple[str, str]]:
    return [(link.text, link.ids[0]) for link in question.links]


def test_longest_names_win(lupus_graph: Graph) -> None:
    assert linked(read(lupus_graph, "Can UV forecasting affect SLE?")) == [
        ("UV forecasting", "C13"),
        ("SLE", "C5"),
    ]


def test_aliases_plurals_and_case_are_linked(lupus_graph: Graph) -> None:
    assert linked(read(lupus_graph, "Do plasmacytoid dendritic cells cause LUPUS flares?")) == [
        ("plasmacytoid dendritic cells", "C8"),
        ("LUPUS flares", "C14"),
    ]


def test_part_of_a_name_is_linked_as_such(lupus_graph: Graph) -> None:
    question = read(lupus_graph, "What do keratinocytes do?")
    assert linked(question) == [("keratinocytes", "C2")]
    assert not question.links[0].exact


@pytest.mark.parametrize("name", ["interferon γ", "interferon gamma", "type II interferon"])
def test_a_part_of_a_name_leaves_out_no_letter_or_number_that_tells_it_apart(
    open_graph: Callable[..., Graph], name: str
) -> None:
    b = Builder()
    b.entity("E1", name, "Protein")
    b.article("PMC1", "A", [f"An {name} activates macrophages.", "Interferon activates macrophages."])
    graph = open_graph(b.build())
    assert read(graph, "What blocks the receptor of type I interferon?").links == ()


@pytest.mark.parametrize("name", ["IL-10", "IL-6R", "IL-17", "BAFFR", "IL 61"])
def test_similar_names_are_not_linked(lupus_graph: Graph, name: str) -> None:
    question = read(lupus_graph, f"What is the role of {name}?")
    assert question.links == ()
    assert question.unknown_names


def test_words_for_one_thing_are_one_link(lupus_graph: Graph) -> None:
    assert linked(read(lupus_graph, "Does UV light matter?")) == [("UV", "C1")]


def test_words_that_ask_are_no_terms(lupus_graph: Graph) -> None:
    question = read(lupus_graph, "What is the role of BAFF in pregnancy?")
    assert question.terms == (stem("pregnancy"),)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Does HCQ treat SLE?", "yes_no"),
        ("Is SLE rare?", "yes_no"),
        ("How is UV related to lupus?", "how"),
        ("Why does UV cause lupus?", "why"),
        ("Which drugs treat SLE?", "which"),
        ("In SLE, what does belimumab inhibit?", "what"),
        ("Who found BAFF?", "which"),
        ("Describe BAFF.", "other"),
    ],
)
def test_kinds(lupus_graph: Graph, text: str, kind: str) -> None:
    assert read(lupus_graph, text).kind == kind


def test_the_asked_relation_its_direction_and_type_are_read(lupus_graph: Graph) -> None:
    question = read(lupus_graph, "Which drugs prevent disease flares?")
    assert "prevents" in question.predicates
    assert question.sign == -1
    assert "Drug" in question.categories
    assert question.role == "tail"


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("What does belimumab inhibit?", "head"),
        ("What inhibits BAFF?", "tail"),
        ("What is BAFF inhibited by?", "tail"),
        ("What is inhibited by belimumab?", "head"),
        ("What are the targets of belimumab?", "head"),
        ("What is belimumab?", None),
        ("Which drugs target BAFF?", "tail"),
        ("What targets BAFF?", "tail"),
        ("What does BAFF target?", "head"),
        ("What are the targets of BAFF?", "head"),
    ],
)
def test_who_does_and_who_undergoes(lupus_graph: Graph, text: str, role: str | None) -> None:
    assert read(lupus_graph, text).role == role


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("What do B cells release?", True),
        ("Which release of BAFF is known?", False),
        ("What does the release of BAFF need?", False),
    ],
)
def test_a_verb_that_is_mostly_a_noun_is_read_where_it_can_be_nothing_else(
    lupus_graph: Graph, text: str, asked: bool
) -> None:
    assert ("produces" in read(lupus_graph, text).predicates) is asked


def test_words_of_a_name_are_not_what_is_asked(open_graph: Callable[..., Graph]) -> None:
    b = Builder()
    b.entity("E1", "gene therapy", "Procedure")
    graph = open_graph(b.build())
    assert "treats" not in read(graph, "What does gene therapy cause?").predicates
    assert "treats" in read(graph, "Which therapy follows gene therapy?").predicates


def test_of_three_things_the_rarest_is_what_the_question_is_about(open_graph: Callable[..., Graph]) -> None:
    b = Builder()
    b.entity("E1", "tumour", "Disease")
    b.entity("E2", "immunity", "BiologicalProcess")
    b.entity("E3", "galectin", "Protein")
    b.article("PMC1", "A", ["Galectin weakens immunity against a tumour."])
    b.article("PMC2", "B", ["Immunity limits a tumour."])
    graph = open_graph(b.build())
    question = read(graph, "How does galectin change the immunity against a tumour?")
    assert question.focus is not None
    assert question.links[question.focus].ids == ("E3",)
    assert read(graph, "How does galectin change immunity?").focus is None
    text = graph.ask(question.text, "naive").text
    assert "Galectin weakens" in text
    assert "limits" not in text


@pytest.mark.parametrize(
    ("text", "demanded"),
    [
        ("Does UV cause flares in the UK?", ()),
        ("Does UV cause flares in XLA?", ("XLA",)),
        ("Does the XLA cause flares?", ("XLA",)),
    ],
)
def test_the_place_of_a_study_need_not_be_named(
    lupus_graph: Graph, text: str, demanded: tuple[str, ...]
) -> None:
    assert read(lupus_graph, text).unknown_names == demanded


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Does the SLE drug belimumab cause flares?", ["belimumab", "flares"]),
        ("Does SLE or the drug belimumab cause flares?", ["SLE", "belimumab", "flares"]),
    ],
)
def test_what_a_thing_belongs_to_is_not_asked_about(lupus_graph: Graph, text: str, named: list[str]) -> None:
    assert [link.text for link in read(lupus_graph, text).links] == named


@pytest.mark.parametrize("name", ["MS4A4A", "HIF1A", "CDKN2A"])
def test_a_symbol_that_ends_like_an_article_is_a_name(open_graph: Callable[..., Graph], name: str) -> None:
    b = Builder()
    b.entity("E1", name, "Gene")
    b.article("PMC1", "A", [f"{name} binds dectin."])
    assert linked(read(open_graph(b.build()), f"What does {name} bind?")) == [(name, "E1")]


def test_words_that_may_be_left_out_count_only_where_they_are_found(lupus_graph: Graph) -> None:
    question = replace(
        read(lupus_graph, "Does BAFF matter?"), terms=("option", "renal"), asides=frozenset({"option"})
    )
    assert question.coverage({"renal"}) == 1.0
    assert question.coverage({"option"}) == 0.5
    assert question.coverage(()) == 0.0
