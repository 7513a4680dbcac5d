"""How an answer came about, as data: thoughts, steps, calls of a model, seconds, and what was put aside and why.

`retrieval.answers.explain` makes a tree of it for people.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

DroppedThing = Literal["sentence", "instruction", "unit", "triple", "item"]


@dataclass(frozen=True, slots=True)
class ThoughtTrace:
    """One thought of the search: where it came from, how it was scored and what it brought."""

    text: str
    score: float
    depth: int  # 0: not explored
    parent: str  # what it was generated from: "question", or "depth 1"
    status: Literal["explored", "unexplored", "duplicate"]
    chunks: tuple[str, ...] = ()
    entities: int = 0
    relations: int = 0
    summary: str = ""
    reason: str = ""  # why it was not explored
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One decision of a search that is not made of thoughts: what was done, on what, and why."""

    action: Literal[
        "route",
        "confidence",
        "seed",
        "offer",
        "select",
        "plan",
        "path",
        "query",
        "unit",
        "missing",
        "count",
        "option",
    ]
    text: str
    reason: str = ""
    score: float = 0.0
    iteration: int = 0  # of the navigation, from 1; 0 where there is none


@dataclass(frozen=True, slots=True)
class VirtualEdge:
    """Two entities of like names that a search stepped between, or was kept from stepping between.

    It exists in the trace of this one answer and is never written to the graph.
    """

    one_id: str
    one_name: str
    other_id: str
    other_name: str
    cosine: float
    accepted: bool
    reason: str  # why: what the navigator or the guard said


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something that was found or drafted and is no part of the answer, and why.

    The text of an "instruction" is its place, never its words: what talks to its reader is not passed on.
    """

    what: DroppedThing
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request to a language model; one answered from the cache has no tokens and no cost."""

    purpose: str
    model: str
    cached: bool
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    error: str = ""  # why the reply could not be used
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of the work with the time it took."""

    name: str
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Attempt:
    """The answer of a method that the router put aside for another one."""

    method: str
    answered: bool
    text: str
    confidence: float | None
    reason: str  # why it was put aside
    trace: Trace


@dataclass(frozen=True, slots=True)
class Trace:
    """How the answer came about; `reason` says why it was not answered."""

    entities: tuple[str, ...] = ()  # as linked: "UV -> UV radiation (C0041625)"
    terms: tuple[str, ...] = ()
    thoughts: tuple[ThoughtTrace, ...] = ()
    steps: tuple[TraceStep, ...] = ()
    virtual_edges: tuple[VirtualEdge, ...] = ()
    stopped: str = ""
    reason: str = ""
    notes: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    attempts: tuple[Attempt, ...] = ()  # of other methods, first to last
    calls: tuple[ModelCall, ...] = ()  # of all methods that were tried, as they were answered
    stages: tuple[Stage, ...] = ()
    passages: tuple[str, ...] = ()  # ids of those that the answer was made from, cited or not
    relations: tuple[str, ...] = ()  # as well
