"""Who chooses the way through the graph in INSES: a language model, or nearness to the question.

Navigation step of Algorithm 1 (section 3.4): of the candidates next to where the search stands, choose those that answer
or lead on, and say whether the chosen suffice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import Field

from kg_pipeline.llm.embeddings import Embedder
from retrieval.paths.hops import FixedHops, Hop
from retrieval.paths.typed_paths import Explorer
from retrieval.questions.question import Question
from retrieval.questions.shape import Shape
from retrieval.reasoning.asker import Asker
from retrieval.reasoning.cited import Reply, escaped
from retrieval.reasoning.typed_answers import find_answers
from retrieval.trace import VirtualEdge
from retrieval.words.guard import addresses_reader
from retrieval.words.terms import content_stems, coverage

_EMBEDDED = 24


@dataclass(frozen=True, slots=True)
class Candidate:
    """A triple, or a virtual edge, that the search could take next."""

    hop: Hop
    text: str  # the triple in words
    edge: VirtualEdge | None = None
    beyond: tuple[str, ...] = ()  # of a virtual edge: triples on its other side


@dataclass(frozen=True, slots=True)
class Choice:
    """Indices of the candidates chosen with their scores, and whether what is chosen by now answers the question."""

    chosen: tuple[tuple[int, float], ...]
    sufficient: bool


class Navigator(Protocol):
    """Chooses among candidates; holds nothing of a question."""

    async def names(self, question: Question) -> list[str]:
        """Names in the question to start from, besides those that are linked by spelling."""
        ...

    async def choose(
        self, question: Question, shape: Shape, path: Sequence[Candidate], candidates: Sequence[Candidate]
    ) -> Choice:
        """Choose among the candidates, given the path so far."""
        ...


@dataclass(frozen=True, slots=True)
class NearnessNavigator:
    """Cosine of the verbalised triple and the question, and the share of the question's words that it has.

    A triple that reaches another entity of the question counts more. The best triples are taken however near they are,
    since the middle of a chain need not sound like the question; a virtual edge is taken only if something on its other
    side is near.
    """

    embedder: Embedder
    selected: int = 8
    floor: float = 0.15  # score under which a virtual edge leads nowhere
    arrival: float = 0.5  # added for a triple that reaches an entity of the question
    weight: float = 0.5  # of the cosine; the rest is the words'

    async def names(self, question: Question) -> list[str]:
        """None: names are linked by spelling, and a word that is not linked names nothing that is known."""
        return []

    async def choose(
        self, question: Question, shape: Shape, path: Sequence[Candidate], candidates: Sequence[Candidate]
    ) -> Choice:
        """The best candidates; whether they suffice is left to the caller's test of connection."""
        return await asyncio.to_thread(self._choose, question, candidates)

    def _choose(self, question: Question, candidates: Sequence[Candidate]) -> Choice:
        wanted = frozenset(content_stems(question.text))
        texts = [" ".join((c.text, *c.beyond)) for c in candidates]
        words = [
            coverage(wanted, [*content_stems(text), *c.hop.words])
            + self.arrival * (c.hop.end_id in question.entity_ids or c.hop.start_id in question.entity_ids)
            for text, c in zip(texts, candidates, strict=True)
        ]
        ranked = sorted(range(len(candidates)), key=lambda i: (-words[i], texts[i]))[:_EMBEDDED]
        if not ranked:
            return Choice((), sufficient=False)
        vectors = self.embedder.embed([texts[i] for i in ranked])
        scores = {
            i: self.weight * max(float(vectors[row] @ question.vector), 0.0) + (1 - self.weight) * words[i]
            for row, i in enumerate(ranked)
        }
        best = sorted(scores, key=lambda i: (-round(scores[i], 9), texts[i]))
        taken = [i for i in best if candidates[i].edge is None or scores[i] >= self.floor]
        return Choice(tuple((i, scores[i]) for i in taken[: self.selected]), sufficient=False)


class Names(Reply):
    """Reply to the entities prompt."""

    entities: list[str] = Field(default_factory=list)


class Selection(Reply):
    """Reply to the navigation prompt."""

    selected: list[int] = Field(default_factory=list)
    sufficient: bool = False


@dataclass(frozen=True, slots=True)
class LlmNavigator:
    """A language model that is shown the path and the candidates as numbered data."""

    asker: Asker
    selected: int = 8
    most_names: int = 6
    shown: int = field(default=60)

    async def names(self, question: Question) -> list[str]:
        """The entities that the model finds in the question."""
        reply = await self.asker.ask(Names, "entities", f"Question: {question.text}", 200)
        names = [" ".join(name.split()) for name in reply.entities]
        return list(dict.fromkeys(name for name in names if name))[: self.most_names]

    async def choose(
        self, question: Question, shape: Shape, path: Sequence[Candidate], candidates: Sequence[Candidate]
    ) -> Choice:
        """The candidates that the model selects; numbers that were not offered count for nothing."""
        chosen = "\n".join(escaped(item.text) for item in path if not addresses_reader(item.text))
        lines, room = [], self.asker.characters
        numbers: list[int] = []
        for i, item in enumerate(candidates[: self.shown]):
            if addresses_reader(item.text):
                continue
            beyond = [text for text in item.beyond if not addresses_reader(text)]
            mark = f" (virtual; beyond it: {'; '.join(beyond) or 'nothing'})" if item.edge else ""
            line = f"{len(numbers) + 1}. {escaped(item.text + mark)}"
            room -= len(line)
            if room < 0:
                break
            numbers.append(i)
            lines.append(line)
        body = (
            f"Question: {question.text}\n\n<evidence>\nChosen so far:\n{chosen or '(nothing)'}\n\n"
            "Candidates:\n" + "\n".join(lines) + "\n</evidence>"
        )
        reply = await self.asker.ask(Selection, "navigate", body, 300)
        valid = [n for n in dict.fromkeys(reply.selected) if 1 <= n <= len(numbers)][: self.selected]
        return Choice(tuple((numbers[n - 1], 1.0) for n in valid), reply.sufficient)


def connects(question: Question, shape: Shape, found: FixedHops, hops: Sequence[Hop]) -> bool:
    """Whether the hops answer the question by themselves: a path to the type asked for, or one between all its names."""
    if shape.answer is not None:
        return bool(find_answers(Explorer(question, shape, found)))
    named = [link for number, link in enumerate(question.links) if number not in shape.setting]
    if len(named) < 2:
        return any({hop.start_id, hop.end_id} & question.entity_ids for hop in hops)
    groups: dict[str, str] = {}

    def root(entity_id: str) -> str:
        while groups.setdefault(entity_id, entity_id) != entity_id:
            entity_id = groups[entity_id]
        return entity_id

    for hop in hops:
        groups[root(hop.start_id)] = root(hop.end_id)
    for link in named:
        for other in link.ids[1:]:
            groups[root(other)] = root(link.ids[0])
    return len({root(link.ids[0]) for link in named}) == 1
