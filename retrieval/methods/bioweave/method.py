"""The method `bioweave`: the controller of Algorithm 2 of the BioWeave paper.

Question and source plan, rounds of exploration, scoring and selection of evidence, and an answer over the evidence graph.
Where the answer fails on the required pattern, the missing hop is asked for once more. A language model is asked three
times (abstraction, selection, answer), four times with a missing hop, and once more whether its sentences follow from
what they cite; without one the plan, the selection and the answer are made by rules and quotes.

Departures from the paper, with the reason:

- there are two rounds at most, of which the second asks for the missing hop only: the paper's loop has no bound, and its
  budget is 4.5 calls a question;
- sources are explored one after the other, the knowledge graph first: its paths give the queries to the documents;
- sentences that name two entities are hops of paths too, so that text which no relation was extracted from can bridge;
- units that lie on a path to an answer are kept whatever their relevance: a path with a gap shows nothing;
- numbers of Table 6 are this project's, since the paper gives none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kg_pipeline.errors import LlmRefused
from retrieval.answer import Answer
from retrieval.methods.bioweave import asking
from retrieval.methods.bioweave.answering import Result, compose
from retrieval.methods.bioweave.exploration import Exploration
from retrieval.methods.bioweave.overlay import with_records
from retrieval.methods.bioweave.plan import Abstraction, make_plan, split_options
from retrieval.methods.bioweave.scoring import Scored, score_units, select
from retrieval.methods.bioweave.settings import BioWeaveSettings
from retrieval.methods.context import Context
from retrieval.methods.inquiry import Inquiry
from retrieval.reasoning.abstain import beyond_corpus, hopeless
from retrieval.reasoning.asker import Asker, asker_of
from retrieval.reasoning.reasoner import Draft
from retrieval.trace import Dropped, Trace, TraceStep
from retrieval.web import Channel

_SHOWN = 12  # units in the trace


@dataclass(slots=True)
class _Run:
    """One question."""

    exploration: Exploration
    asker: Asker | None
    calls: int = 0
    notes: list[str] = field(default_factory=list)
    scored: list[Scored] = field(default_factory=list)
    selected: list[Scored] = field(default_factory=list)


class BioWeave:
    """The method `bioweave`.

    Parameters
    ----------
    settings
        Weights, budgets and the source condition.
    channels
        Search services of the web; none by default, so that nothing leaves the machine. They are asked only if the
        source condition has `web`.

    """

    name = "bioweave"

    def __init__(self, settings: BioWeaveSettings | None = None, channels: Sequence[Channel] = ()) -> None:
        self.settings = settings or BioWeaveSettings()
        self.channels = tuple(channels)

    async def answer(self, question: str, context: Context) -> Answer:
        """Answer a question; options are written "A) … B) …" after it."""
        text, options = split_options(question)
        inquiry = await Inquiry.open(text, context, self.name)
        asked = inquiry.question
        asker = asker_of(context.reasoner)
        abstraction: Abstraction | None = None
        notes: list[str] = []
        reachable = bool(self.channels) or not beyond_corpus(asked)
        if asker is not None and reachable:
            try:
                abstraction = await asking.abstract(asker, text)
            except LlmRefused as error:
                notes.append(f"abstraction failed, rules instead: {error}")
        by = asker.name if asker is not None and abstraction is not None else "rules"
        plan = make_plan(asked, options, self.settings.sources, abstraction, by)
        exploration = Exploration(plan, context, self.settings, self.channels)
        run = _Run(exploration, asker, calls=int(asker is not None and reachable), notes=notes)
        exploration.steps.append(TraceStep("plan", plan.described, plan.by))
        with inquiry.stage("search and reasoning"):
            result = await _explore(run)
        inquiry.calls += run.calls
        keys = [row.unit.key for row in run.selected] or list(exploration.memory.units)
        evidence = await asyncio.to_thread(exploration.evidence, keys)
        memory = exploration.memory
        reader = with_records(context.reader, memory.chunks, memory.documents)
        trace = Trace(
            steps=(*exploration.steps, *_unit_steps(run)),
            stopped="answered" if not result.draft.reason else "no missing hop found",
            notes=(*run.notes, *exploration.notes),
            dropped=_passed_over(run),
        )
        answer = await inquiry.finish(
            result.draft,
            evidence,
            trace,
            context=replace(context, reader=reader),
            items=result.items,
            option=result.option,
        )
        return replace(answer, question=question)


async def _explore(run: _Run) -> Result:
    """Rounds of exploration and answering until the operator is satisfied or no rounds are left."""
    exploration = run.exploration
    missing: list[str] = []
    result = Result(Draft(reason="nothing was searched"))
    for number in range(exploration.settings.rounds):
        await asyncio.to_thread(exploration.search, missing)
        if _asks_web(exploration, missing):
            await exploration.search_web(missing)
        last = number == exploration.settings.rounds - 1
        result, missing = await _attempt(run, last=last)
        if not result.draft.reason or not missing:
            break
        if not last:
            exploration.steps.append(TraceStep("missing", "; ".join(missing), result.draft.reason))
    return result


def _asks_web(exploration: Exploration, missing: Sequence[str]) -> bool:
    """Whether the web is in the plan, or allowed and asked for a missing hop."""
    allowed = "web" in exploration.settings.sources and bool(exploration.channels)
    return allowed and ("web" in exploration.plan.sources or bool(missing))


async def _attempt(run: _Run, *, last: bool) -> tuple[Result, list[str]]:
    """Score, select and answer with what is in the memory; the queries for what is missing, if it fails."""
    exploration = run.exploration
    question, settings = exploration.plan.question, exploration.settings
    units = list(exploration.memory.units.values())
    run.scored = await asyncio.to_thread(
        score_units,
        units,
        question.vector,
        question.entity_ids,
        exploration.context.embedder,
        settings,
        required=exploration.required,
    )
    run.selected = select(run.scored, settings, exploration.required)
    everything = await asyncio.to_thread(exploration.evidence, [row.unit.key for row in run.scored])
    reason = hopeless(question, everything, exploration.context.abstention)
    if reason:
        # A name that no passage has cannot be found in the graph by asking again, but it can on the web.
        again = exploration.missing_hops(()) if exploration.channels else []
        return Result(Draft(reason=reason)), again
    by_model = run.asker is not None and exploration.plan.shape.operator != "count"
    if run.asker is not None and by_model:
        try:
            return await _asked(run, run.asker, last=last)
        except LlmRefused as error:
            run.notes.append(f"{error} Rules and quotes instead.")
    evidence = await asyncio.to_thread(exploration.evidence, [row.unit.key for row in run.selected])
    run.calls += run.asker is None
    result = await compose(exploration, run.scored, evidence)
    quotes = [quote for row in run.selected for quote in row.unit.quotes]
    return result, exploration.missing_hops(quotes) if result.draft.reason else []


async def _asked(run: _Run, asker: Asker, *, last: bool) -> tuple[Result, list[str]]:
    """Selection and answer by the language model; no answer is asked for while a hop is missing and may be found."""
    exploration = run.exploration
    run.calls += 1
    kept, satisfied, missing = await asking.select_units(asker, exploration, run.scored)
    if kept:
        run.selected = kept
    if not satisfied and missing and not last:
        return Result(Draft(reason=f"missing: {missing}", reasoner=asker.name)), [missing]
    run.calls += 1
    return await asking.answer(asker, exploration, run.selected), []


def _unit_steps(run: _Run) -> list[TraceStep]:
    return [
        TraceStep(
            "unit",
            row.unit.text,
            f"{row.unit.source}: relevance {row.relevance:.2f}, verification {row.verification:.2f}",
            round(row.cross, 6),
        )
        for row in run.selected[:_SHOWN]
    ]


def _passed_over(run: _Run) -> tuple[Dropped, ...]:
    """The best units that were not selected."""
    selected = {row.unit.key for row in run.selected}
    others = [row for row in run.scored if row.unit.key not in selected]
    return tuple(
        Dropped(
            "unit",
            row.unit.text,
            f"{row.unit.source}: not among the {len(selected)} selected; score {row.cross:.2f}, "
            f"relevance {row.relevance:.2f}, verification {row.verification:.2f}",
        )
        for row in others[:_SHOWN]
    )
