from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from retrieval.answer import Answer, AnswerUsage
from retrieval.graph import Graph
from retrieval.methods.asking import understand
from retrieval.methods.context import Context
from retrieval.methods.router import Router, RouterSettings, estimate
from tests.retrieval.memory_graph import MemoryGraph
from tests.retrieval.onco_graph import onco
from tests.retrieval.scripted_chat import ScriptedChat, citing, with_chat

Open = Callable[..., Graph]
SIMPLE = "What does belimumab neutralize?"


class Fixed:
    """A method that always answers the same."""

    def __init__(self, name: str, *, answered: bool, confidence: float | None = None) -> None:
        self.name = name
        self._answered = answered
        self._confidence = confidence
        self.asked = 0

    async def answer(self, question: str, context: Context) -> Answer:
        self.asked += 1
        return Answer(
            question=question,
            text=self.name,
            answered=self._answered,
            sentences=(),
            citations=(),
            verdict=None,
            method=self.name,
            reasoner="extractive",
            corpus="test",
            version="v",
            usage=AnswerUsage(calls=2),
            confidence=self._confidence,
        )


def route(graph: Graph, question: str, simple: Fixed, thorough: Fixed, **settings: object) -> Answer:
    return graph.ask(question, Router(RouterSettings(**settings), simple=simple, thorough=thorough))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("confidence", "answered", "chosen"), [(0.8, True, "n"), (0.79, True, "g"), (0.95, False, "g")]
)
def test_a_sure_answer_stands_and_another_is_escalated(
    lupus_graph: Graph, confidence: float, answered: bool, chosen: str
) -> None:
    simple = Fixed("n", answered=answered, confidence=confidence)
    answer = route(lupus_graph, SIMPLE, simple, Fixed("g", answered=True))
    assert answer.text == chosen
    assert answer.method == "auto"
    assert answer.usage.calls == (2 if chosen == "n" else 4)
    assert [step.action for step in answer.trace.steps] == ["route", "route"]
    assert all(step.reason for step in answer.trace.steps)


def test_a_multi_hop_question_is_not_tried_on_passages(lupus_graph: Graph) -> None:
    simple, thorough = Fixed("n", answered=True, confidence=1.0), Fixed("g", answered=True)
    question = "How does UV radiation lead to SLE?"
    assert route(lupus_graph, question, simple, thorough).text == "g"
    assert (simple.asked, thorough.asked) == (0, 1)
    assert route(lupus_graph, question, simple, thorough, estimate=False).text == "n"


@pytest.mark.parametrize(("confidence", "text"), [(0.6, "n"), (0.4, "g")])
def test_where_the_graph_has_nothing_a_fair_answer_of_passages_is_kept(
    lupus_graph: Graph, confidence: float, text: str
) -> None:
    simple = Fixed("n", answered=True, confidence=confidence)
    answer = route(lupus_graph, SIMPLE, simple, Fixed("g", answered=False))
    assert answer.text == text


@pytest.mark.parametrize(
    ("question", "multi_hop"),
    [
        ("Which drug binds the protein whose expression ASCL1 drives?", True),
        ("How is ASCL1 connected with tarlatamab?", True),
        ("How many drugs treat small cell lung cancer?", True),
        ("Which drugs treat both small cell lung cancer and renal failure?", True),
        ("What does tarlatamab bind?", False),
        ("Does tocilizumab treat cytokine release syndrome?", False),
    ],
)
def test_complexity_is_read_from_the_shape_of_the_question(
    open_graph: Open, question: str, multi_hop: bool
) -> None:
    found, reason = estimate(understand(question, open_graph(onco()).context))
    assert found is multi_hop
    assert reason.startswith("multi-hop" if multi_hop else "simple")


def test_auto_is_the_router_and_reads_passages_for_a_simple_question(lupus_graph: Graph) -> None:
    answer = lupus_graph.ask(SIMPLE)
    assert answer.method == "auto"
    assert answer.usage.calls == 1
    assert "suffices" in answer.trace.steps[1].reason


def test_a_language_model_estimates_the_complexity(open_graph: Open, lupus_reader: MemoryGraph) -> None:
    chat = ScriptedChat(
        {
            "complexity": {"multi_hop": False, "hops": 1, "reason": "one stated fact"},
            "naive": citing(("Belimumab neutralizes BAFF.", "neutralizes BAFF"), confidence=0.9),
        }
    )
    answer = with_chat(open_graph, lupus_reader, chat).ask(SIMPLE)
    assert chat.purposes == ["complexity", "naive", "entail"]
    assert answer.usage.calls == 3
    assert answer.trace.steps[0].reason == "1 hops: one stated fact"


def test_rules_decide_where_the_model_gives_no_estimate(open_graph: Open, lupus_reader: MemoryGraph) -> None:
    chat = ScriptedChat({"naive": citing(("Belimumab neutralizes BAFF.", "neutralizes BAFF"), confidence=1)})
    answer = with_chat(open_graph, lupus_reader, chat).ask(SIMPLE)
    assert answer.answered
    assert [step.text for step in answer.trace.steps][:2] == ["rules", "naive"]


@pytest.mark.parametrize(
    ("question", "option", "items"),
    [
        ("Which drug treats cytokine release syndrome? A) Etoposide B) Tocilizumab", "B", 1),
        ("How many drugs treat small cell lung cancer?", None, 3),
    ],
)
def test_counts_and_options_go_to_the_method_that_can(
    open_graph: Open, question: str, option: str | None, items: int
) -> None:
    answer = open_graph(onco()).ask(question)
    assert (answer.method, answer.option, len(answer.items)) == ("auto", option, items)
    assert answer.trace.steps[0].text == "bioweave"
    graph = open_graph(onco())
    routed = route(graph, question, Fixed("n", answered=True), Fixed("g", answered=True), countable=False)
    assert routed.text in {"n", "g"}


def test_settings_out_of_bounds_are_refused() -> None:
    for bad in ({"confidence": 1.5}, {"kept": 0.9}, {"escalation": "magic"}):
        with pytest.raises(ValueError):
            replace(RouterSettings(), **bad)  # type: ignore[arg-type]
