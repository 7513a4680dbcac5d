"""Single steps between entities, of relations and of sentences alike.

A relation of the graph is a hop. A sentence that names two entities with a word of relation between them is one too,
where extraction made no relation of it; it asserts nothing in the graph and is told as a quote. (ConvertEvidenceGraph
of the BioWeave paper, section 5.2: text made comparable with the graph before it is verified.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from kg_pipeline.graph.reader import Entity, GraphReader
from kg_pipeline.vocabulary.predicates import PREDICATES
from retrieval.cues import predicates_of
from retrieval.evidence import Passage, Quote
from retrieval.facts import Fact, load_facts
from retrieval.sentences import Splitter, passage_quotes
from retrieval.terms import (
    RELATION_STEMS,
    Token,
    content_stems,
    find_name,
    is_hedged,
    is_negated,
    name_keys,
    stem,
    tokenise,
)

Source = Literal["kg", "doc", "web", "similar"]
_NAMES_COMPARED = 20
_ENDINGS = frozenset(".!;)]")  # of a statement; a title ends with a word
_CONJUNCTIONS = frozenset({"and", "but", "whereas", "while"})
_HEDGED = 0.7
PASSAGES = 8  # looked through for one entity
_WIDEST = 25  # tokens between two names of one statement


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


@dataclass(slots=True)
class HopFinder:
    """Hops around entities of one graph version, for the length of one question; not for several threads at once.

    `per_node` caps the relations of an entity and `per_entity` the passages looked through for it. `use_graph` and
    `use_text` are the sources a question may use.
    """

    reader: GraphReader
    split: Splitter
    per_node: int = 40
    per_entity: int = PASSAGES
    text_confidence: float = 0.5
    use_graph: bool = True
    use_text: bool = True
    passages: dict[str, Passage] = field(default_factory=dict)  # where the hops of sentences come from
    entities: dict[str, Entity] = field(default_factory=dict)
    _by_end: dict[str, list[Hop]] = field(default_factory=dict)
    _around: dict[str, list[Hop]] = field(default_factory=dict)
    _read: set[str] = field(default_factory=set)

    def around(self, entity_ids: Sequence[str]) -> Mapping[str, list[Hop]]:
        """Hops that start at each entity: relations first, then sentences that say what no relation found does."""
        self._read_about(entity_ids)
        missing = [entity_id for entity_id in dict.fromkeys(entity_ids) if entity_id not in self._around]
        if missing:
            found: dict[str, dict[str, Hop]] = {entity_id: {} for entity_id in missing}
            for hop in [*self._of_graph(missing), *self._of_text(missing)]:
                for walked in (hop, hop.turned()):
                    if walked.start_id in found:
                        found[walked.start_id].setdefault(walked.key, walked)
            self._around |= {entity_id: list(hops.values()) for entity_id, hops in found.items()}
            ends = {hop.end_id for hops in found.values() for hop in hops.values()} | set(missing)
            new = sorted(ends - set(self.entities))
            self.entities |= {entity.entity_id: entity for entity in self.reader.entities(new)}
        return {entity_id: self._around[entity_id] for entity_id in entity_ids}

    def _of_graph(self, entity_ids: Sequence[str]) -> list[Hop]:
        if not self.use_graph:
            return []
        relations = self.reader.relations(self.reader.neighbours(entity_ids, per_node=self.per_node))
        kept = [r for r in relations if not r.negated and r.head_id != r.tail_id]
        return [fact_hop(fact) for fact in load_facts(self.reader, kept) if fact.is_citable]

    def _of_text(self, entity_ids: Sequence[str]) -> list[Hop]:
        """Sentences about the entities in passages that mention them and in those that were added."""
        if not self.use_text:
            return []
        return [hop for entity_id in entity_ids for hop in self._by_end.get(entity_id, ())]

    def _read_about(self, entity_ids: Sequence[str]) -> None:
        """Read the passages that mention the entities, once each."""
        new = [entity_id for entity_id in dict.fromkeys(entity_ids) if entity_id not in self._read]
        if new and self.use_text:
            chunks_of = self.reader.chunks_of(new, per_entity=self.per_entity)
            self.add_passages([chunk for ids in chunks_of.values() for chunk in ids])
        self._read.update(new)

    def add_passages(self, chunk_ids: Iterable[str]) -> None:
        """Read the sentences of passages found in some other way; hops around their entities are looked up anew."""
        new = [chunk_id for chunk_id in dict.fromkeys(chunk_ids) if chunk_id not in self.passages]
        mentioned = self.reader.entities_of(new)
        ids = sorted({entity_id for found in mentioned.values() for entity_id in found} - set(self.entities))
        self.entities |= {entity.entity_id: entity for entity in self.reader.entities(ids)}
        for chunk in self.reader.chunks(new):
            known = [self.entities[e] for e in mentioned.get(chunk.chunk_id, ()) if e in self.entities]
            passage = Passage(chunk, 0.0)
            self.passages[chunk.chunk_id] = passage
            quotes = passage_quotes(passage, self.split)
            self.add(sentence_hops(quotes, known, self.text_confidence))

    def add(self, hops: Iterable[Hop]) -> None:
        """Take in hops of sentences."""
        for hop in hops:
            for end in (hop.start_id, hop.end_id):
                self._by_end.setdefault(end, []).append(hop)
                self._around.pop(end, None)


def sentence_hops(
    quotes: Sequence[Quote], entities: Sequence[Entity], confidence: float, source: Source = "doc"
) -> list[Hop]:
    """Hops of sentences that name two of the entities with a word of relation between the names, and do not deny it."""
    names = [
        (entity.entity_id, name_keys([entity.name, *entity.aliases[:_NAMES_COMPARED]])) for entity in entities
    ]
    firsts = [frozenset(key[0] for key in keys) for _, keys in names]
    hops: list[Hop] = []
    for quote in quotes:
        tokens = tokenise(quote.text)
        words = frozenset(token.text for token in tokens) | frozenset(t.text.rstrip("s") for t in tokens)
        places = []
        for (entity_id, keys), first in zip(names, firsts, strict=True):
            if not first.isdisjoint(words) and (place := find_name(tokens, keys)):
                places.append((*place, entity_id))
        if len(places) < 2 or is_negated(quote.text) or quote.text.rstrip()[-1:] not in _ENDINGS:
            continue
        places = _outermost(places)
        clauses = _clauses(tokens, places)
        stems = frozenset(content_stems(quote.text))
        sureness = confidence * (_HEDGED if is_hedged(quote.text) else 1.0)
        for i, (_, end, one) in enumerate(places):
            for j, (start, _, other) in enumerate(places[i + 1 :], i + 1):
                if clauses[i] != clauses[j]:
                    continue
                cues = _cues(tokens[end:start])
                if one != other and start - end <= _WIDEST and cues:
                    predicates = frozenset(name for cue in cues for name in predicates_of(cue))
                    hops.append(Hop(one, other, source, (quote,), predicates, None, sureness, stems))
    return hops


def _clauses(tokens: Sequence[Token], places: Sequence[tuple[int, int, str]]) -> list[int]:
    """The clause each name stands in: "X blocks Y, and Z activates W" says nothing of X and Z, nor of X and W."""
    clause = 0
    found = []
    for i, (start, end, _) in enumerate(places):
        opens = start > 0 and tokens[start - 1].text in _CONJUNCTIONS
        if i and opens and _cues(tokens[end : end + 2]):
            clause += 1
        found.append(clause)
    return found


def _outermost(places: Iterable[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Names in order, without those inside a longer one ("interferon" in "type I interferon")."""
    found = sorted(set(places), key=lambda place: (place[0], -place[1], place[2]))
    return [
        place
        for place in found
        if not any(
            other[0] <= place[0] and place[1] <= other[1] and (other[1] - other[0]) > (place[1] - place[0])
            for other in found
        )
    ]


def _cues(between: Sequence[Token]) -> list[str]:
    return [word for token in between if (word := stem(token.text)) in RELATION_STEMS]
