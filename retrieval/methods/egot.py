"""Graph-of-thoughts retrieval: Algorithm 1 of the eGoT paper with the parameters of section 2.3.

Where the algorithm and the text of section 2.2 differ, the text is followed: unexplored thoughts stay in one priority
queue over all depths (lines 6, 9 and 23 keep only the best k of each generation), the thoughts chosen at a depth are
retrieved concurrently, and new ones are generated once for them together (lines 20 to 23 do so for each thought).

Departures from the paper, with the reason:

- no thoughts are generated at the last depth: none of them could be explored;
- a thought whose search finds no passage is not summarised (line 13): there is nothing to summarise;
- calls of one question are bounded, one being kept for the synthesis: the paper's cost has no bound;
- near-duplicate thoughts count as processed by cosine: the paper does not say when a thought is novel;
- the answer of the synthesis (line 29) is verified sentence by sentence, and no answer is given without evidence.
"""

from __future__ import annotations

import asyncio
import heapq
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kg_pipeline.errors import LlmRefused
from kg_pipeline.graph.reader import Vector
from retrieval.answer import Answer
from retrieval.evidence import EvidenceState, Step
from retrieval.methods.context import Context
from retrieval.methods.inquiry import Inquiry
from retrieval.search import search
from retrieval.trace import ThoughtTrace, Trace


@dataclass(frozen=True, slots=True)
class EgotSettings:
    """Parameters of Algorithm 1, with the published values."""

    depth: int = 2  # D
    explored: int = 3  # k, thoughts taken from the queue at one depth
    thoughts: int = 4  # generated at once; the paper asks for 2 to 4
    duplicate: float = 0.95  # cosine from which two thoughts are the same
    max_calls: int = 32  # calls of the reasoner for one question

    def __post_init__(self) -> None:
        if self.depth < 1 or self.explored < 1 or not 2 <= self.thoughts <= 4:
            raise ValueError(f"depth and explored must be positive and thoughts 2 to 4, not {self}.")
        if self.max_calls < 4:
            raise ValueError(
                f"max_calls must allow one thought to be generated, scored, explored and answered, not {self.max_calls}."
            )


@dataclass(slots=True)
class _Run:
    """State of one question: the queue Q, the processed set P and the evidence K_q."""

    inquiry: Inquiry
    settings: EgotSettings
    evidence: EvidenceState = field(default_factory=EvidenceState)
    queue: list[tuple[float, int]] = field(default_factory=list)  # (-score, index into thoughts)
    thoughts: list[ThoughtTrace] = field(default_factory=list)
    vectors: list[Vector] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def can_call(self, count: int) -> bool:
        """Whether `count` more calls leave one for the synthesis."""
        return self.inquiry.calls + count < self.settings.max_calls


class Egot:
    """Iterative generation, scoring and retrieval of thoughts, then an answer with attribution."""

    name = "egot"

    def __init__(self, settings: EgotSettings | None = None) -> None:
        self.settings = settings or EgotSettings()

    async def answer(self, question: str, context: Context) -> Answer:
        """Answer a question; see `retrieval.answer.Answer`."""
        inquiry = await Inquiry.open(question, context, self.name)
        run = _Run(inquiry, self.settings)
        with inquiry.stage("search"):
            stopped = await _explore(run)
        draft = await inquiry.synthesise(run.evidence)  # lines 28 and 29
        trace = Trace(
            thoughts=tuple(_with_reason(thought, stopped) for thought in run.thoughts),
            stopped=stopped,
            notes=tuple(run.notes),
        )
        return await inquiry.finish(draft, run.evidence, trace)


async def _explore(run: _Run) -> str:
    """Lines 4 to 25; returns why it stopped."""
    await _generate(run, "question")
    for depth in range(1, run.settings.depth + 1):
        chosen = _take(run)
        if not chosen:
            return "queue empty"
        steps = await asyncio.gather(*(_retrieve(run, index, depth) for index in chosen))
        run.evidence.add(steps)
        if depth < run.settings.depth and not await _generate(run, f"depth {depth}"):
            return "no novel thoughts"
    return "maximum depth"


async def _generate(run: _Run, parent: str) -> bool:
    """Generate thoughts from the evidence so far, score the novel ones and queue them; False if none is novel."""
    if not run.can_call(2):
        run.notes.append(f"call limit of {run.settings.max_calls} reached; no more thoughts were generated")
        return False
    reasoner = run.inquiry.context.reasoner
    run.inquiry.calls += 1
    try:
        offered = await reasoner.generate(run.inquiry.question, run.evidence, run.settings.thoughts)
    except LlmRefused as error:
        run.notes.append(f"generation failed: {error}")
        offered = []
    if not offered and not run.thoughts:
        offered = [run.inquiry.question.text]  # a question is always its own first thought
    novel = await _novel(run, offered[: run.settings.thoughts], parent)
    if not novel:
        return False
    run.inquiry.calls += 1
    try:
        scores = await reasoner.evaluate(run.inquiry.question, [run.thoughts[index].text for index in novel])
    except LlmRefused as error:
        run.notes.append(f"evaluation failed, thoughts keep their order: {error}")
        scores = [0.5] * len(novel)
    for index, score in zip(novel, scores, strict=True):
        bounded = min(max(score, 0.0), 1.0)
        run.thoughts[index] = replace(run.thoughts[index], score=bounded)
        heapq.heappush(run.queue, (-bounded, index))
    return True


async def _novel(run: _Run, offered: Sequence[str], parent: str) -> list[int]:
    """Indices of thoughts that resemble none before; the others are recorded as duplicates."""
    vectors = await asyncio.to_thread(run.inquiry.context.embedder.embed, list(offered))
    novel = []
    for text, vector in zip(offered, vectors, strict=True):
        cosines = [float(vector @ other) for other in run.vectors]
        nearest = max(cosines, default=-1.0)
        if nearest >= run.settings.duplicate:
            like = run.thoughts[cosines.index(nearest)].text
            reason = f"cosine {nearest:.2f} to: {like}"
            run.thoughts.append(ThoughtTrace(text, 0.0, 0, parent, "duplicate", reason=reason))
            run.vectors.append(vector)
            continue
        novel.append(len(run.thoughts))
        run.thoughts.append(ThoughtTrace(text, 0.0, 0, parent, "unexplored"))
        run.vectors.append(vector)
    return novel


def _take(run: _Run) -> list[int]:
    """The best unexplored thoughts, no more than the calls left allow to summarise."""
    room = min(run.settings.explored, run.settings.max_calls - run.inquiry.calls - 1)
    return [heapq.heappop(run.queue)[1] for _ in range(min(room, len(run.queue)))]


async def _retrieve(run: _Run, index: int, depth: int) -> Step:
    """Algorithm 2 for one thought, and its summary."""
    started = time.perf_counter()
    thought = run.thoughts[index].text
    context = run.inquiry.context
    vector = await asyncio.to_thread(context.embedder.vector, thought)
    found = await asyncio.to_thread(search, context.reader, thought, vector, context.search)
    summary = ""
    if found.passages:
        run.inquiry.calls += 1
        try:
            summary = await context.reasoner.summarise(run.inquiry.question, thought, found)
        except LlmRefused as error:
            run.notes.append(f"summary failed: {error}")
    run.thoughts[index] = replace(
        run.thoughts[index],
        depth=depth,
        status="explored",
        chunks=tuple(passage.chunk.chunk_id for passage in found.passages),
        entities=len(found.entities),
        relations=len(found.relations),
        summary=summary,
        seconds=time.perf_counter() - started,
    )
    return Step(thought, summary, found)


def _with_reason(thought: ThoughtTrace, stopped: str) -> ThoughtTrace:
    if thought.status != "unexplored":
        return thought
    return replace(thought, reason=f"others scored higher until the search ended: {stopped}")
