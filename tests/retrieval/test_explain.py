"""The trace of every method as data, and as a tree."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from retrieval.answer import Answer
from retrieval.answers.explain import Branch, explain
from retrieval.graph import Graph
from retrieval.methods.registry import METHODS
from tests.retrieval.conftest import Open
from tests.retrieval.memory_graph import MemoryGraph
from tests.retrieval.scripted_chat import ScriptedChat, citing, with_chat

QUESTION = "How is UV related to Lupus?"


def lines(branch: Branch) -> Iterator[str]:
    yield f"{branch.text} | {branch.note}"
    for inner in branch.branches:
        yield from lines(inner)


def told(answer: Answer) -> str:
    return "\n".join(lines(explain(answer)))


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_traces_what_it_read_did_and_took(lupus_graph: Graph, method: str) -> None:
    answer = lupus_graph.ask("Does belimumab treat SLE?", method)
    assert answer.answered
    trace = answer.trace
    assert trace.entities == ("belimumab -> belimumab (C9)", "SLE -> systemic lupus erythematosus (C5)")
    assert trace.thoughts or trace.steps
    assert trace.stopped
    names = [stage.name for stage in trace.stages]
    assert (names[0], names[-1]) == ("reading the question", "verification")
    assert 0 < sum(stage.seconds for stage in trace.stages) <= answer.seconds
    text = told(answer)
    assert "belimumab -> belimumab (C9)" in text
    assert f"Verification of {answer.checks.offered} sentences" in text
    assert json.loads(answer.to_json())["trace"]["stages"][0]["name"] == "reading the question"


@pytest.mark.parametrize("method", sorted(METHODS))
def test_a_refusal_says_why(lupus_graph: Graph, method: str) -> None:
    answer = lupus_graph.ask("Does aspirin prevent stroke?", method)
    assert f"Not answered | {answer.trace.reason}" in told(answer)


def test_the_tree_shows_the_hops_with_their_sources(lupus_graph: Graph) -> None:
    text = told(lupus_graph.ask(QUESTION, "inses"))
    assert "UV radiation causes keratinocyte apoptosis | [1]" in text
    assert "iteration 1" in text


def test_triples_never_selected_are_named_once(lupus_graph: Graph) -> None:
    answer = lupus_graph.ask("Which drugs treat SLE?", "inses")
    dropped = [item.text for item in answer.trace.dropped if item.what == "triple"]
    assert dropped
    assert len(dropped) == len(set(dropped))
    assert not set(dropped) & {step.text for step in answer.trace.steps if step.action == "select"}
    assert "Triples not selected" in told(answer)


def test_a_denied_and_an_inferred_edge_are_told_apart(lupus_graph: Graph) -> None:
    assert "denied: vitamin D treats" in told(lupus_graph.ask("Does vitamin D treat lupus?"))
    inferred = told(lupus_graph.ask("How do plasmacytoid dendritic cells contribute to lupus?"))
    assert (
        "Inferred: plasmacytoid dendritic cell increases systemic lupus erythematosus | transitive"
        in inferred
    )


def test_what_the_router_put_aside_stays_in_the_trace(lupus_graph: Graph) -> None:
    answer = lupus_graph.ask("Does vitamin D treat lupus?")
    [attempt] = answer.trace.attempts
    assert attempt.method == "naive"
    assert "too low" in attempt.reason or attempt.reason == attempt.trace.reason
    assert attempt.trace.stages
    assert "Put aside" in told(answer)


def test_thoughts_not_explored_say_why(lupus_graph: Graph) -> None:
    answer = lupus_graph.ask("How are UV, hydroxychloroquine, BAFF and IL-6 related to lupus?", "egot")
    idle = [thought for thought in answer.trace.thoughts if thought.status != "explored"]
    assert idle
    assert all(thought.reason for thought in idle)


def test_evidence_not_selected_is_named_with_its_scores(lupus_graph: Graph) -> None:
    answer = lupus_graph.ask("Which drugs treat SLE?", "bioweave")
    units = [item for item in answer.trace.dropped if item.what == "unit"]
    assert units
    assert all("relevance" in unit.reason for unit in units)


def test_sentences_that_a_model_makes_up_are_in_the_trace(
    open_graph: Open, lupus_reader: MemoryGraph
) -> None:
    said = citing(
        ("Hydroxychloroquine is the first treatment for SLE.", "first treatment"), ("It cures all.", "zzz")
    )
    graph = with_chat(
        open_graph, lupus_reader, ScriptedChat({"synthesise": said, "generate": {"thoughts": []}})
    )
    answer = graph.ask("Does hydroxychloroquine treat SLE?", "ppr")
    [dropped] = [item for item in answer.trace.dropped if item.what == "sentence"]
    assert (dropped.text, answer.checks.removed) == ("It cures all.", 1)
    assert "It cures all. | it cites nothing that was offered" in told(answer)


def test_calls_and_tokens_are_those_of_the_question_however_many_are_asked_at_once(
    open_graph: Open, lupus_reader: MemoryGraph
) -> None:
    said = citing(("Hydroxychloroquine is the first treatment for SLE.", "first treatment"))
    graph = with_chat(open_graph, lupus_reader, ScriptedChat({"synthesise": said}))

    async def many() -> list[Answer]:
        asked = [graph.aask("Does hydroxychloroquine treat SLE?", "ppr") for _ in range(8)]
        return await asyncio.gather(*asked)

    for answer in asyncio.run(many()):
        call, check = answer.trace.calls
        assert check.purpose == "entail"
        assert (call.purpose, call.model, call.prompt_tokens, call.error) == (
            "synthesise",
            "scripted",
            10,
            "",
        )
        assert (answer.usage.calls, answer.usage.prompt_tokens) == (2, 20)
        assert "synthesise | scripted, 10 + 0 tokens" in told(answer)


def test_a_failed_call_is_in_the_trace_with_its_reason(open_graph: Open, lupus_reader: MemoryGraph) -> None:
    graph = with_chat(open_graph, lupus_reader, ScriptedChat({}))
    answer = graph.ask(QUESTION, "ppr")
    [call] = answer.trace.calls
    assert call.error == "no reply to synthesise"
    assert "not used: no reply to synthesise" in told(answer)


def test_a_quote_that_no_article_has_takes_its_sentence_with_it(
    open_graph: Open, lupus_reader: MemoryGraph
) -> None:
    """The chunk was changed after its evidence was read, as a faulty store might."""
    chunk = lupus_reader.chunks_["PMC4:c0"]
    lupus_reader.chunks_["PMC4:c0"] = replace(
        chunk, text=chunk.text.replace("neutralizes BAFF", "ignores TRAIL")
    )
    answer = open_graph(lupus_reader).ask("What does belimumab inhibit?", "egot")
    reasons = {item.text: item.reason for item in answer.trace.dropped if item.what == "sentence"}
    assert (
        reasons["Belimumab neutralizes BAFF, a survival signal of B cells."]
        == "no article has the sentence that it cites"
    )
    assert "neutralizes BAFF" not in answer.text
