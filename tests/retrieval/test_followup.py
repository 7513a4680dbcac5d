from __future__ import annotations

from collections.abc import Callable

import pytest

from retrieval.followup import Resolved, Turn, Unclear, resolve
from retrieval.graph import Graph
from retrieval.methods.asking import understand
from tests.retrieval.memory_graph import Builder


def after(graph: Graph, first: str, method: str = "auto") -> Turn:
    return Turn(understand(first, graph.context), graph.ask(first, method))


def resolved(graph: Graph, first: str, then: str, method: str = "auto") -> Resolved | Unclear:
    return resolve(then, after(graph, first, method), graph.context)


@pytest.mark.parametrize(
    ("first", "then", "full"),
    [
        ("What does belimumab inhibit?", "Does it treat SLE?", "Does belimumab treat SLE?"),
        ("What does belimumab inhibit?", "What are its targets?", "What are belimumab's targets?"),
        ("Tell me about BAFF.", "How does belimumab act on it?", "How does belimumab act on BAFF?"),
        ("Does belimumab treat SLE?", "What else does this drug do?", "What else does belimumab do?"),
        ("Does belimumab treat SLE?", "What drives this disease?", "What drives SLE?"),
        ("Does belimumab treat SLE?", "What about hydroxychloroquine?", "Does hydroxychloroquine treat SLE?"),
        ("What does belimumab inhibit?", "And hydroxychloroquine?", "What does hydroxychloroquine inhibit?"),
    ],
)
def test_a_follow_up_is_asked_in_full_words_and_says_so(
    lupus_graph: Graph, first: str, then: str, full: str
) -> None:
    found = resolved(lupus_graph, first, then)
    assert isinstance(found, Resolved), found
    assert found.question == full
    assert len(found.told) == 1


def test_what_the_answer_named_comes_before_what_the_question_named(lupus_graph: Graph) -> None:
    turn = after(lupus_graph, "Which cells produce type I interferon?", "bioweave")
    assert turn.answer.items == ("plasmacytoid dendritic cell",)
    found = resolve("What do they secrete?", turn, lupus_graph.context)
    assert isinstance(found, Resolved)
    assert found.question == "What do plasmacytoid dendritic cell secrete?"
    assert found.told == ("“they” is read as plasmacytoid dendritic cell.",)
    found = resolve("What else do those cells do?", turn, lupus_graph.context)
    assert isinstance(found, Resolved)
    assert found.question == "What else do plasmacytoid dendritic cell do?"


@pytest.mark.parametrize(
    ("first", "then", "named"),
    [
        ("Does belimumab treat SLE?", "Is it safe?", ("belimumab", "SLE")),
        (
            "Does belimumab or hydroxychloroquine treat SLE?",
            "Is this drug new?",
            ("belimumab", "hydroxychloroquine"),
        ),
        ("What does belimumab inhibit?", "Which organ does that disease hit?", ("that disease",)),
        ("What is the capital of France?", "What does it cause?", ("it", "by name")),
        ("Does belimumab treat SLE?", "What about IL-6?", ("IL-6", "in full")),
        ("Which cytokines are raised in SLE?", "How do they act?", ("they", "by name")),
        ("Which proteins inhibit BAFF?", "What do those proteins do?", ("those proteins", "by name")),
    ],
)
def test_what_could_be_several_things_or_none_is_given_back(
    lupus_graph: Graph, first: str, then: str, named: tuple[str, ...]
) -> None:
    found = resolved(lupus_graph, first, then)
    assert isinstance(found, Unclear), found
    assert all(name in found.sentence for name in named)


@pytest.mark.parametrize(
    "question",
    [
        "Does hydroxychloroquine help, and does it cause stroke?",
        "Is it known that UV causes lupus?",
        "How does UV radiation harm its target?",
        "Which drugs that inhibit BAFF treat SLE?",
        "Which drugs treat SLE?",
        "And which drugs treat SLE?",
    ],
)
def test_a_question_that_stands_on_its_own_is_left_alone(lupus_graph: Graph, question: str) -> None:
    found = resolved(lupus_graph, "What does belimumab inhibit?", question)
    assert found == Resolved(question)


def test_the_first_question_has_nothing_to_lean_on(lupus_graph: Graph) -> None:
    for question in ("What does it cause?", "What about belimumab?"):
        assert isinstance(resolve(question, None, lupus_graph.context), Unclear)


def test_what_about_turns_the_conversation_to_the_new_name(lupus_graph: Graph) -> None:
    first = after(lupus_graph, "Which proteins does hydroxychloroquine inhibit?")
    turned = resolve("What about belimumab?", first, lupus_graph.context)
    assert isinstance(turned, Resolved)
    assert turned.topic == "belimumab"
    answer = lupus_graph.ask(turned.question)
    second = Turn(understand(turned.question, lupus_graph.context), answer, turned.topic)
    found = resolve("Which cells does it act on?", second, lupus_graph.context)
    assert isinstance(found, Resolved), found
    assert found.question == "Which cells does belimumab act on?"


def test_a_pronoun_after_a_question_without_answer_stands_for_what_it_asked_about(lupus_graph: Graph) -> None:
    turn = after(lupus_graph, "Which cells does hydroxychloroquine produce?")
    assert not turn.answer.answered
    found = resolve("What does it treat?", turn, lupus_graph.context)
    assert isinstance(found, Resolved), found
    assert found.question == "What does hydroxychloroquine treat?"


@pytest.fixture
def clinic(open_graph: Callable[..., Graph]) -> Graph:
    b = Builder()
    b.entity("C1", "zelfovir", "SmallMolecule")
    b.entity("C2", "norvimab", "Drug")
    b.entity("G1", "PDX9", "Gene")
    b.entity("T1", "mouse", "OrganismTaxon", "mice")
    b.entity("L1", "tubules", "Cell")
    said = ["Zelfovir inhibits PDX9 in tubules.", "Norvimab inhibits PDX9.", "Mice were kept."]
    b.article("PMC1", "PDX9", said)
    b.relation("C1", "inhibits", "G1", said[0])
    b.relation("C2", "inhibits", "G1", said[1])
    return open_graph(b.build())


@pytest.mark.parametrize(
    ("first", "then", "question"),
    [
        ("Does zelfovir inhibit PDX9?", "and norvimab?", "Does norvimab inhibit PDX9?"),
        ("Does zelfovir inhibit PDX9?", "And in mice?", "Does zelfovir inhibit PDX9 in mice?"),
        ("What does zelfovir inhibit?", "what about in tubules?", "What does zelfovir inhibit in tubules?"),
    ],
)
def test_a_drug_takes_the_place_of_a_chemical_and_a_place_is_added(
    clinic: Graph, first: str, then: str, question: str
) -> None:
    found = resolve(then, after(clinic, first), clinic.context)
    assert isinstance(found, Resolved), found
    assert found.question == question
