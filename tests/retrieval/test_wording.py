from __future__ import annotations

import numpy as np
import pytest

from retrieval.graph import Graph
from retrieval.methods.asking import understand
from retrieval.questions.mention import Reading
from retrieval.questions.wording import asides, is_set_in_capitals, joined_compounds, spelled_out
from retrieval.words.terms import tokenise
from tests.retrieval.conftest import open_memory
from tests.retrieval.memory_graph import Builder


@pytest.fixture(scope="module")
def clotting() -> Graph:
    b = Builder()
    b.entity("E1", "INR", "ClinicalAttribute")
    b.entity("E2", "warfarin", "Drug")
    b.entity("E3", "Listeria", "OrganismTaxon")
    b.entity("E4", "KRAS", "Gene")
    b.entity("E5", "sotorasib", "Drug")
    b.entity("E6", "EGFR", "Gene")
    b.entity("E7", "zinc finger 9", "Protein")
    b.entity("E8", "promoter binder", "Protein")
    b.entity("E9", "core particle", "Protein")
    s = {
        "inr": "The INR was reliable in nine of ten practices and guided warfarin.",
        "peri": "Warfarin changed perisinusoidal cells of the liver.",
        "lis": "L. monocytogenes was grown from two infants.",
        "kras": "Sotorasib targets KRAS in adenocarcinoma.",
        "zinc": "Zinc finger 9 activates KRAS in the colon.",
        "bind": "KRAS is part of the core particle of the membrane.",
    }
    b.article("PMC1", "Clotting", [s["inr"], s["peri"]], [s["lis"]], [s["kras"], s["zinc"], s["bind"]])
    b.relation("E5", "targets", "E4", s["kras"])
    b.relation("E7", "activates", "E4", s["zinc"])
    b.relation("E4", "part_of", "E9", s["bind"])
    return open_memory(b.build())


def words(text: str, places: frozenset[int]) -> list[str]:
    return [token.text for token in tokenise(text) if token.start in places]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Is the international normalised ratio (INR) reliable?",
            ["international", "normalised", "ratio"],
        ),
        ("Do natural killer cells (NKs) kill?", []),
        ("Do giant cells (GCs) fuse?", ["giant", "cells"]),
        ("Is aspirin (ASA) safe?", []),
        ("Is it safe (or not)?", []),
    ],
)
def test_what_an_abbreviation_says_again(text: str, expected: list[str]) -> None:
    assert words(text, spelled_out(text, tokenise(text))) == expected


def test_an_abbreviation_of_the_corpus_answers_for_its_long_form(clotting: Graph) -> None:
    question = understand("Is the international normalised ratio (INR) reliable?", clotting.context)
    assert (question.terms, question.foreign) == (("reliabl",), ())
    assert clotting.ask(question.text).answered
    assert not clotting.ask("Is the intracranial nerve recording (XNR) reliable?").answered


def test_a_compound_is_read_as_the_corpus_writes_it(clotting: Graph) -> None:
    question = understand("Does warfarin change peri-sinusoidal cells?", clotting.context)
    assert question.foreign == ()
    assert "perisinusoid" in question.terms
    known = {"long", "term", "longterm"}
    kept = joined_compounds(tokenise("long-term"), known.__contains__)
    assert [token.text for token in kept] == ["long", "term"], "both words are known"


def test_a_genus_may_be_abbreviated() -> None:
    reading = Reading(["L. monocytogenes was grown from two infants."])
    mentioned = reading.mentions(_terms("Does Listeria monocytogenes infect infants?"))
    assert "Listeria" not in mentioned.missing
    other = reading.mentions(_terms("Does Klebsiella monocytogenes infect infants?"))
    assert "Klebsiella" in other.missing


def _terms(text: str):
    graph = open_memory(Builder().build())
    return understand(text, graph.context)


def test_a_short_plural_is_the_same_word() -> None:
    assert Reading(["One cup was placed."]).has_word("cups")
    assert not Reading(["One cup was placed."]).has_word("caps")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DOES EARLY FEEDING HELP?", True),
        ("Does EARLY feeding help?", False),
        ("DNA?", False),
        ("IL-6?", False),
    ],
)
def test_a_question_in_capitals(text: str, expected: bool) -> None:
    assert is_set_in_capitals(text, tokenise(text)) is expected


def test_capitals_throughout_are_no_names(clotting: Graph) -> None:
    assert understand("DOES WARFARIN CHANGE HEPATIC CELLS?", clotting.context).unknown_names == ()
    assert understand("Does warfarin change ABCD cells?", clotting.context).unknown_names == ("ABCD",)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which antigens does sotorasib target?", "KRAS"),
        ("Which molecule does sotorasib target?", "KRAS"),
        ("Which complex is KRAS part of?", "core particle"),
        ("What activates KRAS?", "Zinc finger 9"),
    ],
)
@pytest.mark.parametrize("method", ["auto", "egot"])
def test_a_type_asked_for_need_not_be_repeated(
    clotting: Graph, question: str, answer: str, method: str
) -> None:
    found = clotting.ask(question, method)
    assert found.answered, found.trace.reason
    assert answer in found.text


@pytest.mark.parametrize(
    "question", ["Which antigens does warfarin target?", "Which complex is warfarin part of?"]
)
def test_a_type_asked_for_does_not_answer_what_is_not_known(clotting: Graph, question: str) -> None:
    assert not clotting.ask(question).answered


def test_the_name_of_a_class_after_which_is_the_type_asked_for() -> None:
    b = Builder()
    b.entity("E1", "transcription factor", "Protein")
    b.entity("E2", "SP1", "Gene")
    b.entity("E3", "MALAT1", "Gene")
    said = "SP1 activates MALAT1 in the stomach."
    other = "A transcription factor binds DNA."
    b.article("PMC1", "Genes", [said, other])
    b.relation("E2", "activates", "E3", said)
    graph = open_memory(b.build())
    question = understand("Which transcription factor activates MALAT1?", graph.context)
    assert [link.text for link in question.links] == ["MALAT1"]
    assert "Gene" in question.categories
    assert "SP1" in graph.ask(question.text).text
    both = understand("How does a transcription factor act on MALAT1?", graph.context)
    assert [link.text for link in both.links] == ["transcription factor", "MALAT1"]


def test_a_word_without_which_a_question_asks_the_same_is_beside_it() -> None:
    text = "treatment options for lupus"
    whole = np.array([1.0, 0.0], dtype=np.float32)
    turned = np.array([0.6, 0.8], dtype=np.float32)
    vectors = {"treatment for lupus": whole, "treatment options for": turned}
    tokens = tokenise(text)
    found = asides(text, [tokens[1], tokens[3]], len(tokens), whole, vectors.__getitem__)
    assert words(text, found) == ["options"]
    # The same turn tells less of a word that is one of few.
    nearly = np.array([0.94, 0.3412], dtype=np.float32)
    for length, expected in ((2, ["options"]), (10, [])):
        said = asides(text, [tokens[1]], length, whole, lambda _: nearly)
        assert words(text, said) == expected
