from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.graph import Graph
from retrieval.words.quantity import asked_quantity
from tests.retrieval.memory_graph import Builder


@pytest.mark.parametrize(
    ("question", "text", "gives"),
    [
        ("How many rats were fed?", "We fed twelve male rats on chow.", True),
        ("How many rats were fed?", "The rats were fed (n = 8) on chow.", True),
        ("How many rats were fed?", "Rats were fed 20 mg of the drug on each of the days.", False),
        ("How many rats were fed?", "Figure 3 shows rats.", False),
        ("how many were randomised?", "We randomised 40 adults.", True),
        ("What percentage of nurses left?", "Of the nurses 12.5% left.", True),
        ("What percentage of nurses left?", "Roughly one in seven nurses left.", True),
        ("What percentage of nurses left?", "Two groups of nurses left.", False),
        ("What dose was given?", "A dose of 5 mg was given in type 2 diabetes.", True),
        ("What dose was given?", "A high dose was given in type 2 diabetes.", False),
        ("How long do they live?", "They live for TNF-1 and CD8.", False),
        ("How many rats died?", "One rat died.", True),
        ("How many rats died?", "Fifteen of the rats died.", True),
        ("How many rats died?", "None of the rats died.", True),
        ("How many rats died?", "12 young male and old female hooded rats died.", True),
        ("How many rats died?", "After 3 doses of the drug the rats died.", False),
        ("How many rats died?", "Two cages held hens, and rats died.", False),
        ("How many rats died?", "Three of the old, treated rats died.", True),
        ("How many rats died?", "Rats were fed 20 pellets.", False),
        ("How many hours was it kept?", "It was kept for 12 h.", True),
        ("How many hours was it kept?", "It was kept for 12h at room temperature.", True),
        ("How many hours was it kept?", "It was kept for 12 min.", False),
        ("How many mg were given?", "They were given 5 milligrams of it.", True),
        ("How many years did it last?", "It lasted 2 yrs.", True),
        ("How many weeks did it last?", "It lasted 12 weeks.", True),
        ("How many weeks did it last?", "It lasted long at 12 mg.", False),
        ("What proportion of nurses left?", "It was 0.45 of nurses.", True),
        ("What proportion of nurses left?", "12/30 nurses left.", True),
    ],
)
def test_a_number_that_is_asked_for(question: str, text: str, gives: bool) -> None:
    quantity = asked_quantity(question)
    assert quantity is not None
    assert quantity.is_in(text) is gives


@pytest.mark.parametrize(
    "question",
    [
        "Which drugs treat SLE?",
        "How does UV act?",
        "How much does it help?",
        "Which diseases share genes with asthma?",
        "Which dose-limiting toxicity does it have?",
        "How long non-coding RNA MALAT1 acts?",
        "Which low dose CT is used?",
        "Which copy number variants are known?",
    ],
)
def test_other_questions_ask_for_none(question: str) -> None:
    assert asked_quantity(question) is None


@given(st.text(max_size=40))
def test_any_text_can_be_read(text: str) -> None:
    asked_quantity(text)
    quantity = asked_quantity("How many mice?")
    assert quantity is not None
    assert quantity.is_in(text) in (True, False)


@pytest.fixture
def trial(open_graph: Callable[..., Graph]) -> Graph:
    b = Builder()
    b.entity("D1", "sapirtine", "Drug")
    b.entity("D2", "migraine", "Disease")
    said = ["Sapirtine treats migraine in adults.", "Sapirtine was given to 41 adults with migraine."]
    b.article("PMC1", "Sapirtine", said)
    b.relation("D1", "treats", "D2", said[0])
    return open_graph(b.build())


def test_only_sentences_with_the_number_answer(trial: Graph) -> None:
    answer = trial.ask("How many adults with migraine were given sapirtine?")
    assert [c.quote for c in answer.citations] == ["Sapirtine was given to 41 adults with migraine."]


def test_without_one_there_is_no_answer_and_the_reason_says_so(trial: Graph) -> None:
    answer = trial.ask("What percentage of adults with migraine were given sapirtine?")
    assert not answer.answered
    assert "number" in answer.trace.reason
