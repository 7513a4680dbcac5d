from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from kg_pipeline.errors import LlmRefused, LlmUnavailable
from retrieval.answer import AnswerUsage
from retrieval.evidence import EvidenceState, Retrieved, Step
from retrieval.graph import Graph
from retrieval.methods.egot import Egot, EgotSettings
from retrieval.questions.question import Question
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.reasoning.reasoner import Draft
from tests.retrieval.memory_graph import MemoryGraph

OpenGraph = Callable[..., Graph]


@dataclass
class Scripted:
    """A reasoner whose thoughts and scores are given; synthesis is extractive. Records the calls."""

    extractive: ExtractiveReasoner
    rounds: list[list[str]]
    scores: dict[str, float] = field(default_factory=dict)
    fails: dict[str, Exception] = field(default_factory=dict)
    calls: list[tuple[str, object]] = field(default_factory=list)
    running: int = 0
    most_running: int = 0
    name: str = "scripted"

    def usage(self) -> AnswerUsage:
        return AnswerUsage()

    def _called(self, what: str, detail: object) -> None:
        self.calls.append((what, detail))
        if what in self.fails:
            raise self.fails[what]

    async def generate(self, question: Question, evidence: EvidenceState, count: int) -> list[str]:
        self._called("generate", len(evidence.steps))
        return self.rounds.pop(0) if self.rounds else []

    async def evaluate(self, question: Question, thoughts: Sequence[str]) -> list[float]:
        self._called("evaluate", tuple(thoughts))
        return [self.scores.get(thought, 0.5) for thought in thoughts]

    async def summarise(self, question: Question, thought: str, retrieved: Retrieved) -> str:
        self._called("summarise", thought)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        await asyncio.sleep(0.02)
        self.running -= 1
        return f"summary of {thought}"

    async def synthesise(self, question: Question, evidence: EvidenceState) -> Draft:
        self._called("synthesise", len(evidence.steps))
        return await self.extractive.synthesise(question, evidence)


QUESTION = "How is UV related to lupus?"
FIRST = [
    "UV radiation apoptosis",
    "immune complex formation lupus",
    "type I interferon lupus",
    "vitamin D lupus trial",
]
SECOND = ["autoantigen exposure cell surface", "belimumab BAFF"]


def run(
    open_graph: OpenGraph, reader: MemoryGraph, settings: EgotSettings | None = None, **script: object
) -> tuple[object, Scripted]:
    made: list[Scripted] = []

    def make(extractive: ExtractiveReasoner) -> Scripted:
        made.append(Scripted(extractive, **script))  # type: ignore[arg-type]
        return made[0]

    graph = open_graph(reader, make)
    return graph.ask(QUESTION, Egot(settings)), made[0]


def test_the_three_best_of_each_depth_are_explored_best_first(
    open_graph: OpenGraph, lupus_reader: MemoryGraph
) -> None:
    scores = {FIRST[0]: 0.2, FIRST[1]: 0.9, FIRST[2]: 0.8, FIRST[3]: 0.7, SECOND[0]: 0.95, SECOND[1]: 0.1}
    answer, reasoner = run(open_graph, lupus_reader, rounds=[FIRST[:], SECOND[:]], scores=scores)
    explored = {t.text: t.depth for t in answer.trace.thoughts if t.status == "explored"}
    # The first thought lost at depth 1, stayed in the queue and was taken at depth 2.
    assert explored == {FIRST[1]: 1, FIRST[2]: 1, FIRST[3]: 1, SECOND[0]: 2, FIRST[0]: 2, SECOND[1]: 2}
    assert [what for what, _ in reasoner.calls].count("summarise") == 6
    assert answer.trace.stopped == "maximum depth"
    assert {t.parent for t in answer.trace.thoughts} == {"question", "depth 1"}


def test_thoughts_of_a_depth_are_explored_at_the_same_time(
    open_graph: OpenGraph, lupus_reader: MemoryGraph
) -> None:
    _, reasoner = run(open_graph, lupus_reader, rounds=[FIRST[:3]])
    assert reasoner.most_running == 3


def test_new_thoughts_see_the_evidence_of_the_depths_before(
    open_graph: OpenGraph, lupus_reader: MemoryGraph
) -> None:
    _, reasoner = run(open_graph, lupus_reader, rounds=[FIRST[:2], SECOND[:]])
    assert [detail for what, detail in reasoner.calls if what == "generate"] == [0, 2]
    assert ("synthesise", 4) in reasoner.calls


def test_near_duplicates_count_as_processed_and_end_the_search(
    open_graph: OpenGraph, lupus_reader: MemoryGraph
) -> None:
    again = [thought.upper() + "?" for thought in FIRST[:2]]
    answer, reasoner = run(open_graph, lupus_reader, rounds=[FIRST[:2], again])
    assert answer.trace.stopped == "no novel thoughts"
    assert [t.text for t in answer.trace.thoughts if t.status == "duplicate"] == again
    assert [what for what, _ in reasoner.calls].count("evaluate") == 1


def test_scores_come_from_a_call_of_their_own_and_are_bounded(
    open_graph: OpenGraph, lupus_reader: MemoryGraph
) -> None:
    answer, reasoner = run(
        open_graph, lupus_reader, rounds=[FIRST[:2]], scores={FIRST[0]: 7.0, FIRST[1]: -1.0}
    )
    assert ("evaluate", tuple(FIRST[:2])) in reasoner.calls
    assert [thought.score for thought in answer.trace.thoughts] == [1.0, 0.0]


def test_without_thoughts_the_question_is_searched_itself(
    open_graph: OpenGraph, lupus_reader: MemoryGraph
) -> None:
    answer, _ = run(open_graph, lupus_reader, rounds=[])
    assert [thought.text for thought in answer.trace.thoughts] == [QUESTION]
    assert answer.answered


@pytest.mark.parametrize("limit", [4, 5, 6, 9, 12])
def test_calls_are_counted_and_bounded(open_graph: OpenGraph, lupus_reader: MemoryGraph, limit: int) -> None:
    settings = EgotSettings(depth=5, max_calls=limit)
    rounds = [FIRST[:], SECOND[:], ["stroke controls"], ["interleukin 6 patients"], ["disease flare period"]]
    answer, reasoner = run(open_graph, lupus_reader, settings, rounds=rounds)
    assert len(reasoner.calls) == answer.usage.calls <= limit
    assert reasoner.calls[-1][0] == "synthesise"


def test_depth_one_generates_once(open_graph: OpenGraph, lupus_reader: MemoryGraph) -> None:
    _, reasoner = run(open_graph, lupus_reader, EgotSettings(depth=1), rounds=[FIRST[:], SECOND[:]])
    assert [what for what, _ in reasoner.calls].count("generate") == 1


def test_a_step_that_the_model_refuses_is_noted_and_gone_without(
    open_graph: OpenGraph, lupus_reader: MemoryGraph
) -> None:
    fails = {what: LlmRefused(f"no {what}") for what in ("generate", "evaluate", "summarise")}
    answer, _ = run(open_graph, lupus_reader, rounds=[], fails=fails)
    assert answer.answered
    assert {note.partition(" ")[0] for note in answer.trace.notes} == {"generation", "evaluation", "summary"}


def test_an_unreachable_model_is_an_error_and_no_abstention(
    open_graph: OpenGraph, lupus_reader: MemoryGraph
) -> None:
    with pytest.raises(LlmUnavailable):
        run(open_graph, lupus_reader, rounds=[], fails={"generate": LlmUnavailable("down")})


def test_evidence_is_kept_once(lupus_graph: Graph) -> None:
    state = EvidenceState()
    found = lupus_graph.search("UV radiation and keratinocyte apoptosis")
    state.add([Step("a", "", found)])
    once = (len(state.passages), len(state.entities), len(state.relations), len(state.documents))
    state.add([Step("b", "", found)])
    assert (len(state.passages), len(state.entities), len(state.relations), len(state.documents)) == once
    assert len(state.steps) == 2


@pytest.mark.parametrize(
    "bad", [{"depth": 0}, {"explored": 0}, {"thoughts": 1}, {"thoughts": 5}, {"max_calls": 3}]
)
def test_settings_out_of_bounds_are_refused(bad: dict[str, int]) -> None:
    with pytest.raises(ValueError):
        EgotSettings(**bad)
