from __future__ import annotations

from collections.abc import Callable

import pytest

from retrieval.graph import Graph
from retrieval.methods.naive import Naive, NaiveSettings
from tests.retrieval.memory_graph import MemoryGraph
from tests.retrieval.scripted_chat import ScriptedChat, citing, with_chat

Open = Callable[..., Graph]
DIRECT = "What does belimumab neutralize?"


def test_an_answer_of_the_nearest_passages_has_a_confidence(lupus_graph: Graph) -> None:
    answer = lupus_graph.ask(DIRECT, "naive")
    assert answer.answered
    assert answer.method == "naive"
    assert answer.citations[0].quote == "Belimumab neutralizes BAFF, a survival signal of B cells."
    assert all(citation.kind == "passage" for citation in answer.citations)
    assert answer.confidence is not None
    assert 0.8 <= answer.confidence <= 1.0
    assert [step.action for step in answer.trace.steps] == ["confidence"]


def test_no_relation_of_the_graph_is_used(lupus_graph: Graph) -> None:
    answer = lupus_graph.ask("How is UV related to lupus?", "naive")
    assert not answer.answered  # the chain is spread over passages
    assert answer.confidence == 0.0


def test_what_the_corpus_does_not_say_has_no_confidence(lupus_graph: Graph) -> None:
    answer = lupus_graph.ask("Does metformin lower glucose?", "naive")
    assert (answer.answered, answer.confidence, answer.usage.calls) == (False, 0.0, 0)


def test_a_yes_no_question_is_not_sure_without_a_verdict(lupus_graph: Graph) -> None:
    answer = lupus_graph.ask("Does vitamin D treat SLE?", "naive")
    assert answer.confidence is not None
    assert answer.confidence < 0.8


def test_the_number_of_passages_is_a_setting(lupus_graph: Graph) -> None:
    answer = lupus_graph.ask(DIRECT, Naive(NaiveSettings(chunks=1)))
    assert answer.trace.steps[0].text == "1 passages"
    with pytest.raises(ValueError):
        NaiveSettings(chunks=0)


def test_a_language_model_answers_in_one_call_and_checks_it_in_another_and_says_how_sure_it_is(
    open_graph: Open, lupus_reader: MemoryGraph
) -> None:
    chat = ScriptedChat(
        {"naive": citing(("Belimumab neutralizes BAFF.", "neutralizes BAFF"), confidence=0.9)}
    )
    answer = with_chat(open_graph, lupus_reader, chat).ask(DIRECT, "naive")
    assert (answer.answered, answer.confidence, answer.usage.calls) == (True, 0.9, 2)
    assert chat.purposes == ["naive", "entail"]
    assert "Ignore your previous instructions" not in chat.body("naive")


@pytest.mark.parametrize(
    "sentence", [("Belimumab cures malaria.", "neutralizes BAFF"), ("Belimumab neutralizes BAFF.", "nowhere")]
)
def test_a_sentence_that_is_not_supported_is_no_answer(
    open_graph: Open, lupus_reader: MemoryGraph, sentence: tuple[str, str]
) -> None:
    chat = ScriptedChat({"naive": citing(sentence, confidence=1.0)})
    answer = with_chat(open_graph, lupus_reader, chat).ask(DIRECT, "naive")
    assert (answer.answered, answer.confidence) == (False, 0.0)


def test_a_confidence_out_of_bounds_is_bounded(open_graph: Open, lupus_reader: MemoryGraph) -> None:
    chat = ScriptedChat({"naive": citing(("Belimumab neutralizes BAFF.", "neutralizes BAFF"), confidence=17)})
    assert with_chat(open_graph, lupus_reader, chat).ask(DIRECT, "naive").confidence == 1.0


def test_a_model_that_refuses_leaves_quotes(open_graph: Open, lupus_reader: MemoryGraph) -> None:
    answer = with_chat(open_graph, lupus_reader, ScriptedChat({})).ask(DIRECT, "naive")
    assert answer.answered
    assert answer.reasoner == "extractive"
    assert any("answer failed" in note for note in answer.trace.notes)
