"""A question on its way through a method: what every method does with it before, around and after its own search."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from retrieval.answer import Answer, AnswerUsage
from retrieval.answers.entailment import entailed
from retrieval.evidence import EvidenceState
from retrieval.methods.asking import describe_links, spent, understand
from retrieval.methods.context import Context
from retrieval.methods.finish import finish
from retrieval.questions.question import Question
from retrieval.reasoning.abstain import hopeless
from retrieval.reasoning.asker import asker_of
from retrieval.reasoning.reasoner import Draft
from retrieval.trace import Stage, Trace


@dataclass(slots=True)
class Inquiry:
    """A question that was read, with the clock and the counters of its answer."""

    method: str
    context: Context
    question: Question
    started: float  # of the process's performance counter
    before: AnswerUsage  # of the reasoner, when it began
    calls: int = 0  # of the reasoner
    stages: list[Stage] = field(default_factory=list)

    @classmethod
    async def open(cls, text: str, context: Context, method: str) -> Inquiry:
        """Read a question and start its clock."""
        started = time.perf_counter()
        before = context.reasoner.usage()
        question = await asyncio.to_thread(understand, text, context)
        stage = Stage("reading the question", time.perf_counter() - started)
        return cls(method, context, question, started, before, stages=[stage])

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a part of the work."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.stages.append(Stage(name, time.perf_counter() - started))

    async def synthesise(self, evidence: EvidenceState) -> Draft:
        """The reasoner's answer from the evidence; no call is made where the evidence cannot hold one."""
        reason = hopeless(self.question, evidence, self.context.abstention)
        if reason:
            return Draft(reason=reason)
        self.calls += 1
        with self.stage("reasoning"):
            return await self.context.reasoner.synthesise(self.question, evidence)

    async def finish(
        self,
        draft: Draft,
        evidence: EvidenceState,
        trace: Trace,
        *,
        context: Context | None = None,
        confidence: float | None = None,
        items: tuple[str, ...] = (),
        option: str | None = None,
    ) -> Answer:
        """The verified answer to the question as it was read, with its trace and account completed.

        `context` stands in for that of the question where the evidence has records that the graph has not.
        """
        started = time.perf_counter()
        if self.context.verification.entailment:
            checked = await entailed(draft, asker_of(self.context.reasoner))
            draft, self.calls = checked.draft, self.calls + checked.was_asked
        read = replace(
            trace,
            entities=describe_links(self.question),
            terms=self.question.terms,
            passages=tuple(evidence.passages),
            relations=tuple(evidence.relations),
        )
        answer = await asyncio.to_thread(
            finish,
            self.question,
            draft,
            evidence,
            context or self.context,
            method=self.method,
            trace=read,
            usage=spent(self.before, self.context.reasoner.usage(), self.calls),
            seconds=0.0,
            confidence=confidence,
            items=items,
            option=option,
        )
        now = time.perf_counter()
        stages = (*self.stages, Stage("verification", now - started))
        return replace(answer, trace=replace(answer.trace, stages=stages), seconds=now - self.started)
