"""What a question gets back: sentences with citations, the evidence graph behind them and how they were found."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Literal

from retrieval.trace import Trace
from retrieval.words.plain import plain, plain_json, plain_line

NO_INFORMATION = "no information available"

SentenceKind = Literal["finding", "quote", "inference", "contradiction"]
Verdict = Literal["yes", "no", "maybe"]


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """A sentence of the answer; `citations` are numbers of `Answer.citations` and never empty."""

    text: str
    citations: tuple[int, ...]
    kind: SentenceKind = "finding"


@dataclass(frozen=True, slots=True)
class Citation:
    """A verbatim quote; `start` and `end` are code points into the article's text."""

    number: int
    article_id: str
    title: str
    section_path: str
    chunk_id: str
    start: int
    end: int
    quote: str
    kind: Literal["relation", "passage"]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Evidence that states and evidence that denies the same relation (or states the opposite direction)."""

    head: str
    predicate: str
    tail: str
    stated: tuple[int, ...]
    opposed: tuple[int, ...]
    reason: Literal["denied", "opposite_direction"]


@dataclass(frozen=True, slots=True)
class Premise:
    """A stated relation that an inferred one was derived from."""

    text: str
    citations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class InferredClaim:
    """A relation that no article states, with what it was derived from."""

    relation_id: str
    kind: str
    rule: str
    text: str
    confidence: float
    premises: tuple[Premise, ...]


@dataclass(frozen=True, slots=True)
class EvidenceEdge:
    """An edge of the evidence graph."""

    relation_id: str
    head_id: str
    predicate: str
    tail_id: str
    kind: str
    negated: bool
    citations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class EvidenceGraph:
    """The part of the graph that the answer rests on: entity id to name, and the edges."""

    entities: dict[str, str] = field(default_factory=dict)
    edges: tuple[EvidenceEdge, ...] = ()


@dataclass(frozen=True, slots=True)
class Checks:
    """What verification did with the sentences that were offered."""

    offered: int = 0
    supported: int = 0
    repaired: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class AnswerUsage:
    """Calls of the reasoner and, where it is a language model, tokens and cost in the currency of its prices."""

    calls: int = 0
    cached_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question over one graph version.

    `answered` is False where the graph holds no evidence for an answer; `text` is then "no information available",
    there are no sentences, and `trace.reason` says what was missing.
    """

    question: str
    text: str
    answered: bool
    sentences: tuple[AnswerSentence, ...]
    citations: tuple[Citation, ...]
    verdict: Verdict | None  # of a yes/no question
    method: str
    reasoner: str  # "extractive" or "llm:<model>"
    corpus: str
    version: str
    contradictions: tuple[Contradiction, ...] = ()
    inferred: tuple[InferredClaim, ...] = ()
    graph: EvidenceGraph = field(default_factory=EvidenceGraph)
    trace: Trace = field(default_factory=Trace)
    checks: Checks = field(default_factory=Checks)
    usage: AnswerUsage = field(default_factory=AnswerUsage)
    confidence: float | None = None  # in [0, 1], of a method that estimates it
    items: tuple[str, ...] = ()  # names of the things that answer a question for a type or a number of things
    option: str | None = None  # letter of the option chosen, of a question that offers options
    seconds: float = field(default=0.0, compare=False)

    def to_json(self, *, indent: int | None = None) -> str:
        """JSON with a key for every field; it shows no character raw that would command a terminal."""
        return plain_json(json.dumps(asdict(self), ensure_ascii=False, indent=indent))

    def render(self) -> str:
        """Plain text for a terminal: the answer, then the numbered quotes with their sources."""
        lines = [plain(self.text) if self.answered else NO_INFORMATION, ""]
        if not self.answered and self.trace.reason:
            lines += [f"Reason: {plain_line(self.trace.reason)}", ""]
        for citation in self.citations:
            place = " > ".join(part for part in (citation.title, citation.section_path) if part)
            where = plain_line(f"{citation.article_id} {citation.start}-{citation.end}, {place}")
            lines.append(f'[{citation.number}] {where}: "{plain(citation.quote)}"')
        if self.citations:
            lines.append("")
        lines.append(
            f"{self.method} ({plain_line(self.reasoner)}) over {self.corpus} {self.version}, {self.seconds:.1f} s"
        )
        return "\n".join(lines)


def join_sentences(sentences: tuple[AnswerSentence, ...]) -> str:
    """Sentences as running text with their citation marks."""
    return " ".join(
        sentence.text + " " + "".join(f"[{n}]" for n in sentence.citations) for sentence in sentences
    )
