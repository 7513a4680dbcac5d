"""Hops around entities of a graph version: its relations, and what the passages that mention the entities say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from kg_pipeline.graph.reader import Chunk, Entity, GraphReader
from retrieval.evidence import Passage
from retrieval.passages.sentences import Splitter, passage_quotes
from retrieval.paths.facts import load_facts
from retrieval.paths.hops import Hop, fact_hop
from retrieval.paths.sentence_hops import sentence_hops

PASSAGES = 8  # looked through for one entity
_REMEMBERED = 2048  # passages: a question reads a few hundred, and the next one many of them again


@lru_cache(maxsize=_REMEMBERED)
def _hops_of(
    chunk: Chunk, entities: tuple[Entity, ...], split: Splitter, confidence: float
) -> tuple[Hop, ...]:
    """Hops of the sentences of a passage between the entities that it mentions."""
    return tuple(sentence_hops(passage_quotes(Passage(chunk, 0.0), split), entities, confidence))


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
            stated: set[tuple[tuple[str, int, int], frozenset[str]]] = set()
            for hop in [*self._of_graph(missing), *self._of_text(missing)]:
                said = {(quote.key, frozenset((hop.start_id, hop.end_id))) for quote in hop.quotes}
                if hop.fact is None and said <= stated:
                    continue
                stated |= said
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
            known = tuple(self.entities[e] for e in mentioned.get(chunk.chunk_id, ()) if e in self.entities)
            self.passages[chunk.chunk_id] = Passage(chunk, 0.0)
            self.add(_hops_of(chunk, known, self.split, self.text_confidence))

    def add(self, hops: Iterable[Hop]) -> None:
        """Take in hops of sentences."""
        for hop in hops:
            for end in (hop.start_id, hop.end_id):
                self._by_end.setdefault(end, []).append(hop)
                self._around.pop(end, None)
