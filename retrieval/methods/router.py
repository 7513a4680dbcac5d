"""Which method a question gets: Algorithm 2 of the INSES paper (section 3.6), the method `auto`.

The complexity of the question is estimated first. A simple one is answered from passages; if that answer is not sure
enough, and for every multi-hop question, the graph is searched. Each decision is in the trace with its reason.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Literal

from kg_pipeline.errors import LlmRefused
from retrieval.answer import Answer, AnswerUsage
from retrieval.methods.asking import spent, understand
from retrieval.methods.bioweave.plan import split_options
from retrieval.methods.context import Context
from retrieval.methods.egot import Egot
from retrieval.methods.inses.method import Inses
from retrieval.methods.method import Method, bioweave
from retrieval.methods.naive import Naive
from retrieval.questions.question import Question
from retrieval.questions.shape import read_shape
from retrieval.reasoning.asker import asker_of
from retrieval.reasoning.cited import Reply
from retrieval.trace import Attempt, TraceStep

Escalation = Literal["bioweave", "egot", "inses"]
_MANY_ENTITIES = 3
_MANY_RELATIONS = 3


ESCALATIONS: Mapping[Escalation, Callable[[], Method]] = MappingProxyType(
    {"bioweave": bioweave, "egot": Egot, "inses": Inses}
)


@dataclass(frozen=True, slots=True)
class RouterSettings:
    """When to search the graph.

    `confidence` and the escalation to INSES are the paper's. eGoT answers the questions of the sample corpus as well and
    asks its reasoner about ten times as often. `kept` is the confidence from which an answer from passages stands where
    the graph has none. Questions for a number or with options go to BioWeave, which alone counts and chooses.
    """

    confidence: float = 0.8
    escalation: Escalation = "inses"
    kept: float = 0.5
    countable: bool = True  # False: questions for a number or with options are routed like any other
    estimate: bool = True  # False: every question is tried on passages first (the conservative strategy)

    def __post_init__(self) -> None:
        if not 0 <= self.kept <= self.confidence <= 1:
            raise ValueError(f"0 <= kept <= confidence <= 1 must hold, not {self}.")
        if self.escalation not in ESCALATIONS:
            raise ValueError(
                f"There is no escalation to {self.escalation!r}; use one of {', '.join(sorted(ESCALATIONS))}."
            )


class Complexity(Reply):
    """Reply to the complexity prompt."""

    multi_hop: bool
    hops: int = 1
    reason: str = ""


class Router:
    """The method `auto`."""

    name = "auto"

    def __init__(
        self,
        settings: RouterSettings | None = None,
        *,
        simple: Method | None = None,
        thorough: Method | None = None,
        countable: Method | None = None,
    ) -> None:
        self.settings = settings or RouterSettings()
        self._simple = simple or Naive()
        self._thorough = thorough or ESCALATIONS[self.settings.escalation]()
        self._countable = countable

    async def answer(self, question: str, context: Context) -> Answer:
        """Answer by the cheapest method that is sure enough."""
        started = time.perf_counter()
        steps: list[TraceStep] = []
        first: Answer | None = None
        if self.settings.countable and (why := await asyncio.to_thread(_countable, question, context)):
            method = self._countable or ESCALATIONS["bioweave"]()
            steps.append(_route(method.name, why))
            counted = await method.answer(question, context)
            return _joined(counted, steps, counted.usage, started)
        multi_hop, used = await self._estimate(question, context, steps)
        if not multi_hop:
            first = await self._simple.answer(question, context)
            used = add(used, first.usage)
            confidence = first.confidence or 0.0
            if first.answered and confidence >= self.settings.confidence:
                steps.append(_route(self._simple.name, f"confidence {confidence:.2f} suffices", confidence))
                return _joined(first, steps, used, started)
            why = first.trace.reason or f"confidence below {self.settings.confidence:g}"
            steps.append(_route(f"{self._simple.name} -> {self._thorough.name}", why, confidence))
        second = await self._thorough.answer(question, context)
        used = add(used, second.usage)
        if first is None:
            return _joined(second, steps, used, started)
        if not second.answered and first.answered and (first.confidence or 0.0) >= self.settings.kept:
            why = f"{self._thorough.name} found nothing ({second.trace.reason})"
            steps.append(_route(self._simple.name, why, first.confidence or 0.0))
            return _joined(first, steps, used, started, _put_aside(second, second.trace.reason))
        why = first.trace.reason or f"confidence {first.confidence or 0.0:.2f} is too low"
        return _joined(second, steps, used, started, _put_aside(first, why))

    async def _estimate(
        self, question: str, context: Context, steps: list[TraceStep]
    ) -> tuple[bool, AnswerUsage]:
        if not self.settings.estimate:
            steps.append(_route(self._simple.name, "every question is tried on passages first"))
            return False, AnswerUsage()
        asker = asker_of(context.reasoner)
        used = AnswerUsage()
        if asker is not None:
            before = context.reasoner.usage()
            try:
                reply = await asker.ask(Complexity, "complexity", f"Question: {question}", 150)
                multi_hop, reason = reply.multi_hop, f"{reply.hops} hops: {' '.join(reply.reason.split())}"
                used = spent(before, context.reasoner.usage(), 1)
                steps.append(_route(self._thorough.name if multi_hop else self._simple.name, reason))
                return multi_hop, used
            except LlmRefused as error:
                used = spent(before, context.reasoner.usage(), 1)
                steps.append(_route("rules", f"no estimate of the language model: {error}"))
        asked = await asyncio.to_thread(understand, question, context)
        multi_hop, reason = estimate(asked)
        steps.append(_route(self._thorough.name if multi_hop else self._simple.name, reason))
        return multi_hop, used


def _countable(question: str, context: Context) -> str:
    """Why a question needs things to be counted or options to be weighed; empty if it does not."""
    text, options = split_options(question)
    if options:
        return f"offers {len(options)} options"
    shape = read_shape(understand(text, context))
    return "asks for a number" if shape.operator == "count" and shape.answer is not None else ""


def estimate(question: Question) -> tuple[bool, str]:
    """Whether a question needs several facts put together, by its shape, and why."""
    shape = read_shape(question)
    related = [cue for cue in shape.cues if cue.predicates]
    if shape.is_nested and shape.answer is not None:
        words = ", ".join(slot.word for slot in shape.inner)
        return True, f"multi-hop: names things on the way only by type ({words})"
    if shape.operator in {"shared_neighbour", "intersection", "count"}:
        return True, f"multi-hop: {shape.operator.replace('_', ' ')} over {len(question.links)} entities"
    if question.kind in {"how", "why"} and len(question.links) >= 2:
        return True, f"multi-hop: asks {question.kind} {len(question.links)} entities are connected"
    if len(question.links) >= _MANY_ENTITIES or len(related) >= _MANY_RELATIONS:
        return True, f"multi-hop: {len(question.links)} entities, {len(related)} words of relation"
    return False, f"simple: {len(question.links)} entities, {len(related)} words of relation"


def add(one: AnswerUsage, other: AnswerUsage) -> AnswerUsage:
    """Sum of two accounts."""
    return AnswerUsage(**{f.name: getattr(one, f.name) + getattr(other, f.name) for f in fields(AnswerUsage)})


def _route(text: str, reason: str, score: float = 0.0) -> TraceStep:
    return TraceStep("route", text, reason, score)


def _put_aside(answer: Answer, reason: str) -> Attempt:
    return Attempt(answer.method, answer.answered, answer.text, answer.confidence, reason, answer.trace)


def _joined(
    answer: Answer, steps: list[TraceStep], usage: AnswerUsage, started: float, *others: Attempt
) -> Answer:
    trace = replace(answer.trace, steps=(*steps, *answer.trace.steps), attempts=others)
    return replace(
        answer, method=Router.name, trace=trace, usage=usage, seconds=time.perf_counter() - started
    )
