"""The trace of an answer as a tree of short lines, for a terminal and for a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType
from typing import Literal

from kg_pipeline.vocabulary.names.agreement import clause
from retrieval.answer import Answer, AnswerUsage, EvidenceEdge
from retrieval.trace import Attempt, Dropped, ModelCall, Stage, ThoughtTrace, Trace, TraceStep, VirtualEdge
from retrieval.words.plain import plain_line

Tone = Literal["plain", "kept", "dropped", "muted"]

_DROPPED: Mapping[str, str] = MappingProxyType(
    {
        "sentence": "Sentences removed from the draft",
        "instruction": "Sentences of articles that were not read out",
        "unit": "Evidence not selected",
        "triple": "Triples not selected",
        "item": "Other things not told",
    }
)
_ACTIONS: Mapping[str, str] = MappingProxyType(
    {
        "route": "method",
        "confidence": "confidence",
        "seed": "start at",
        "offer": "offered",
        "select": "selected",
        "plan": "plan",
        "path": "path",
        "query": "query",
        "unit": "evidence",
        "missing": "missing, asked again",
        "count": "count",
        "option": "option",
    }
)


@dataclass(frozen=True, slots=True)
class Branch:
    """A line of the tree, without characters that command a terminal; `note` says why or how much."""

    text: str
    note: str = ""
    tone: Tone = "plain"
    branches: tuple[Branch, ...] = ()


def explain(answer: Answer) -> Branch:
    """How an answer came about: what was read, decided, searched, used, verified, dropped and spent."""
    trace = answer.trace
    parts = [
        *_searched(trace),
        _group("Hops that the answer rests on", _hops(answer)),
        *_outcome(answer),
        *_dropped(trace),
        _group("Calls of the language model", (_call(call) for call in trace.calls)),
        _group("Seconds", (_stage(stage) for stage in trace.stages)),
    ]
    text = f"{answer.method} ({answer.reasoner}) over {answer.corpus} {answer.version}"
    return _branch(text, _spent(answer.usage, answer.seconds), branches=[p for p in parts if p is not None])


def _searched(trace: Trace) -> Iterator[Branch]:
    """What was understood, decided and searched, in this order."""
    read = [_branch(line) for line in trace.entities]
    if trace.terms:
        read.append(_branch("other words: " + ", ".join(trace.terms), tone="muted"))
    routes = [step for step in trace.steps if step.action == "route"]
    others = [step for step in trace.steps if step.action != "route"]
    groups = (
        _group("The question", read or [_branch("no entity of the graph", tone="muted")]),
        _group("Choice of the method", (_step(step) for step in routes)),
        _group("Put aside", (_attempt(attempt) for attempt in trace.attempts)),
        _group("Thoughts", (_thought(thought) for thought in trace.thoughts)),
        _group("Search", _steps(others), note=trace.stopped),
        _group("Entities of like names", (_like(edge) for edge in trace.virtual_edges)),
        _group("Notes", (_branch(note) for note in trace.notes)),
    )
    yield from (group for group in groups if group is not None)


def _steps(steps: Iterable[TraceStep]) -> Iterator[Branch]:
    """Steps as they came, those of one iteration under it."""
    for iteration, group in groupby(steps, key=lambda step: step.iteration):
        lines = [_step(step) for step in group]
        if iteration:
            yield _branch(f"iteration {iteration}", branches=lines)
        else:
            yield from lines


def _step(step: TraceStep) -> Branch:
    score = f"score {step.score:.2f}" if step.score else ""
    note = "; ".join(part for part in (score, step.reason) if part)
    return _branch(f"{_ACTIONS[step.action]}: {step.text}", note)


def _attempt(attempt: Attempt) -> Branch:
    sure = "" if attempt.confidence is None else f", confidence {attempt.confidence:.2f}"
    said = attempt.text if attempt.answered else "no answer"
    inner = [_branch(said, tone="muted"), *_searched(attempt.trace), *_dropped(attempt.trace)]
    return _branch(f"{attempt.method}{sure}", attempt.reason, tone="dropped", branches=inner)


def _thought(thought: ThoughtTrace) -> Branch:
    found = (
        f"depth {thought.depth}, score {thought.score:.2f}; {len(thought.chunks)} passages, "
        f"{thought.entities} entities, {thought.relations} relations"
    )
    if thought.status != "explored":
        score = f"score {thought.score:.2f}; " if thought.status == "unexplored" else ""
        return _branch(thought.text, f"{thought.status}: {score}{thought.reason}", tone="dropped")
    inner = [_branch(f"from: {thought.parent}", tone="muted")]
    if thought.summary:
        inner.append(_branch(f"found: {thought.summary}", tone="muted"))
    return _branch(thought.text, found, branches=inner)


def _like(edge: VirtualEdge) -> Branch:
    taken = "taken" if edge.accepted else "not taken"
    return _branch(
        f"{edge.one_name} ~ {edge.other_name}",
        f"cosine {edge.cosine:.2f}, {taken}: {edge.reason}",
        tone="kept" if edge.accepted else "dropped",
    )


def _hops(answer: Answer) -> Iterator[Branch]:
    names = answer.graph.entities
    for edge in answer.graph.edges:
        marks = [edge.kind] if edge.kind != "asserted" else []
        cited = "".join(f"[{number}]" for number in edge.citations)
        yield _branch(edge_text(edge, names), " ".join([*marks, cited]).strip(), tone="kept")


def edge_text(edge: EvidenceEdge, names: Mapping[str, str]) -> str:
    """An edge of the evidence graph in words."""
    head, tail = names.get(edge.head_id, edge.head_id), names.get(edge.tail_id, edge.tail_id)
    return f"{'denied: ' if edge.negated else ''}{clause(head, edge.predicate, tail)}"


def _outcome(answer: Answer) -> Iterator[Branch]:
    checks = answer.checks
    if not answer.answered:
        yield _branch("Not answered", answer.trace.reason)
    if checks.offered:
        counts = f"{checks.supported} supported, {checks.repaired} repaired, {checks.removed} removed"
        yield _branch(f"Verification of {checks.offered} sentences", counts)
    for claim in answer.inferred:
        premises = [
            _branch(premise.text, "".join(f"[{n}]" for n in premise.citations)) for premise in claim.premises
        ]
        yield _branch(
            f"Inferred: {claim.text}", f"{claim.kind}, confidence {claim.confidence:.2f}", branches=premises
        )


def _dropped(trace: Trace) -> Iterator[Branch]:
    for what, title in _DROPPED.items():
        group = _group(title, (_put_aside(item) for item in trace.dropped if item.what == what))
        if group is not None:
            yield group


def _put_aside(item: Dropped) -> Branch:
    return _branch(item.text, item.reason, tone="dropped")


def _call(call: ModelCall) -> Branch:
    tokens = "from the cache" if call.cached else f"{call.prompt_tokens} + {call.completion_tokens} tokens"
    note = f"{call.model}, {tokens}, {call.seconds:.2f} s"
    if call.error:
        return _branch(call.purpose, f"{note}; not used: {call.error}", tone="dropped")
    return _branch(call.purpose, note)


def _stage(stage: Stage) -> Branch:
    return _branch(stage.name, f"{stage.seconds:.3f}", tone="muted")


def _spent(usage: AnswerUsage, seconds: float) -> str:
    calls = f"{usage.calls} {'call' if usage.calls == 1 else 'calls'} of the reasoner"
    parts = [f"{seconds:.2f} s", calls]
    if usage.cached_calls:
        parts.append(f"{usage.cached_calls} from the cache")
    if usage.prompt_tokens or usage.completion_tokens:
        parts.append(f"{usage.prompt_tokens} + {usage.completion_tokens} tokens")
    if usage.cost:
        parts.append(f"cost {usage.cost:.4f}")
    return ", ".join(parts)


def _group(title: str, branches: Iterable[Branch], note: str = "") -> Branch | None:
    found = list(branches)
    return _branch(title, note, branches=found) if found else None


def _branch(text: str, note: str = "", *, tone: Tone = "plain", branches: Iterable[Branch] = ()) -> Branch:
    return Branch(plain_line(text), plain_line(note), tone, tuple(branches))
