"""Single steps between entities, of relations and of sentences alike.

A relation of the graph is a hop. A sentence that names two entities with a word of relation between them is one too,
where extraction made no relation of it (`retrieval.paths.sentence_hops`); it asserts nothing in the graph and is told as a
quote. (ConvertEvidenceGraph of the BioWeave paper, section 5.2: text made comparable with the graph.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from kg_pipeline.graph.reader import Entity, GraphReader
from kg_pipeline.vocabulary.predicates import PREDICATES
from retrieval.evidence import Quote
from retrieval.paths.facts import Fact
from retrieval.words.terms import content_stems

Source = Literal["kg", "doc", "web", "similar"]


@dataclass(frozen=True, slots=True)
class Hop:
    """A step from one entity to another with the sentences that show it.

    `forward` says whether the statement reads from `start` to `end`; None where it reads both ways or cannot be told.
    """

    start_id: str
    end_id: str
    source: Source
    quotes: tuple[Quote, ...]
    predicates: frozenset[str]
    forward: bool | None
    confidence: float
    words: frozenset[str] = frozenset()  # stems of the quotes' content words
    fact: Fact | None = None

    @property
    def key(self) -> str:
        """What tells two hops apart whichever way they are walked."""
        if self.fact is not None:
            return self.fact.relation.relation_id
        ends = "|".join(sorted((self.start_id, self.end_id)))
        if not self.quotes:
            return f"{self.source}:{ends}"
        quote = self.quotes[0]
        return f"{quote.article_id}:{quote.start}-{quote.end}|{ends}"

    def turned(self) -> Hop:
        """The same hop walked the other way."""
        forward = None if self.forward is None else not self.forward
        return Hop(
            self.end_id,
            self.start_id,
            self.source,
            self.quotes,
            self.predicates,
            forward,
            self.confidence,
            self.words,
            self.fact,
        )


def fact_hop(fact: Fact) -> Hop:
    """The hop of a relation, from head to tail."""
    relation = fact.relation
    quotes = tuple(quote for part in fact.asserted() for quote in part.quotes)
    return Hop(
        start_id=relation.head_id,
        end_id=relation.tail_id,
        source="kg",
        quotes=quotes,
        predicates=frozenset({relation.predicate}),
        forward=None if fact.symmetric else True,
        confidence=float(relation.confidence),
        # What the sentences of premises say is not what the inferred relation says.
        words=_predicate_stems(relation.predicate)
        | (_stems(quotes) if relation.kind == "asserted" else frozenset()),
        fact=fact,
    )


def _stems(quotes: Iterable[Quote]) -> frozenset[str]:
    return frozenset(word for quote in quotes for word in content_stems(quote.text))


def _predicate_stems(name: str) -> frozenset[str]:
    predicate = PREDICATES.get(name)
    return frozenset(content_stems(predicate.label)) if predicate else frozenset()


class Hops(Protocol):
    """Where hops come from: `HopFinder`, or a fixed set of them."""

    @property
    def reader(self) -> GraphReader:
        """The graph version."""
        ...

    @property
    def entities(self) -> Mapping[str, Entity]:
        """Entities at the ends of the hops handed out so far."""
        ...

    def around(self, entity_ids: Sequence[str]) -> Mapping[str, list[Hop]]:
        """Hops that start at each entity."""
        ...


class FixedHops:
    """The hops of a search that has ended, walkable both ways."""

    def __init__(self, reader: GraphReader, hops: Iterable[Hop]) -> None:
        self.reader = reader
        self._around: dict[str, list[Hop]] = {}
        for hop in hops:
            self._around.setdefault(hop.start_id, []).append(hop)
            self._around.setdefault(hop.end_id, []).append(hop.turned())
        self.entities: Mapping[str, Entity] = {
            entity.entity_id: entity for entity in reader.entities(sorted(self._around))
        }

    def around(self, entity_ids: Sequence[str]) -> Mapping[str, list[Hop]]:
        """Hops that start at each entity."""
        return {entity_id: self._around.get(entity_id, []) for entity_id in entity_ids}
