"""What thinks for retrieval: the protocol of a reasoner and the draft of an answer that it hands over.

Two implementations: `retrieval.reasoning.extractive` (no language model, quotes only) and `retrieval.reasoning.llm_reasoner`.
The names of the methods are those of the paper: L_gen, L_eval, L_summ and L_synth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from kg_pipeline.graph.reader import GraphReader, Relation
from retrieval.answer import AnswerUsage, SentenceKind, Verdict
from retrieval.evidence import EvidenceState, Quote, Retrieved
from retrieval.paths.facts import Fact
from retrieval.questions.question import Question
from retrieval.trace import Dropped

#: How a draft answers the question: a stated relation of what was asked about, a chain of relations, facts about the one
#: entity asked about, sentences that each bear on it, or sentences of one passage that do so together.
Support = Literal["direct", "chain", "facts", "sentences", "passage", "none"]


@dataclass(frozen=True, slots=True)
class DraftSentence:
    """A sentence before verification; `claim` is the part its quotes must support (None: all of it)."""

    text: str
    quotes: tuple[Quote, ...]
    kind: SentenceKind = "finding"
    claim: str | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two facts that cannot both hold as stated."""

    stated: Fact
    opposed: Fact
    reason: Literal["denied", "opposite_direction"]


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer before verification; `reason` is set where there is none."""

    sentences: tuple[DraftSentence, ...] = ()
    verdict: Verdict | None = None
    support: Support = "none"
    facts: tuple[Fact, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    reason: str = ""
    reasoner: str = ""
    notes: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()  # sentences that were put aside before verification
    items: tuple[
        str, ...
    ] = ()  # names of the things that answer, where the question asks for things of a type

    @property
    def relations(self) -> tuple[Relation, ...]:
        """Relations the draft rests on, premises included."""
        seen: dict[str, Relation] = {}
        for fact in self.facts:
            for part in (fact, *fact.asserted()):
                seen.setdefault(part.relation.relation_id, part.relation)
        return tuple(seen.values())

    @property
    def articles(self) -> list[str]:
        """Ids of the articles it cites, sorted."""
        return sorted({quote.article_id for item in self.sentences for quote in item.quotes})


class Reasoner(Protocol):
    """Generates, scores and summarises thoughts and writes the answer; safe for concurrent questions."""

    @property
    def name(self) -> str:
        """`extractive` or `llm:<model>`."""
        ...

    async def generate(self, question: Question, evidence: EvidenceState, count: int) -> list[str]:
        """At most `count` diverse thoughts, each a question or search phrase."""
        ...

    async def evaluate(self, question: Question, thoughts: Sequence[str]) -> list[float]:
        """A score in [0, 1] for each thought: what it can contribute to the answer."""
        ...

    async def summarise(self, question: Question, thought: str, retrieved: Retrieved) -> str:
        """What was retrieved for the thought, in a few sentences; empty where nothing bears on it."""
        ...

    async def synthesise(self, question: Question, evidence: EvidenceState) -> Draft:
        """The answer from all evidence, every sentence with its quotes."""
        ...

    def usage(self) -> AnswerUsage:
        """Spent so far by this reasoner, over all questions."""
        ...

    def over(self, reader: GraphReader) -> Reasoner:
        """The same reasoner looking things up in another reader."""
        ...
