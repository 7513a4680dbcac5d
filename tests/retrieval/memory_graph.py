"""A graph in memory behind the reader protocol, and small graphs built from sentences; for tests of retrieval."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kg_pipeline.graph.reader import (
    ALL_KINDS,
    Chunk,
    Document,
    Entity,
    Evidence,
    Manifest,
    Path,
    Relation,
    Scored,
    Subgraph,
    Vector,
)
from retrieval.words.terms import content_stems, find_name, name_key, name_keys, tokenise

DIMENSIONS = 4096


class HashingEmbedder:
    """Bags of hashed word stems: texts that share words are near, deterministic, no model."""

    name = "hashing"
    dimensions = DIMENSIONS

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        rows = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for i, text in enumerate(texts):
            for word in content_stems(text) or ["·"]:
                code = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
                rows[i, code % DIMENSIONS] += 1.0
            rows[i] /= np.linalg.norm(rows[i])
        return rows


def split(text: str) -> list[tuple[int, int]]:
    """Sentences end at a full stop or question mark before a blank and at a line end."""
    spans, start = [], 0
    for i, letter in enumerate(text):
        ends = letter == "\n" or (letter in ".?!" and (i + 1 == len(text) or text[i + 1].isspace()))
        if ends:
            end = i + (letter != "\n")
            if text[start:end].strip():
                begin = start + len(text[start:end]) - len(text[start:end].lstrip())
                spans.append((begin, end))
            start = i + 1
    if text[start:].strip():
        spans.append((start, len(text)))
    return spans


def manifest(counts: Mapping[str, int]) -> Manifest:
    return Manifest(
        corpus="test",
        version="v0123456789ab",
        inputs={},
        settings={},
        models={},
        libraries={},
        counts=dict(counts),
        relations_by_kind={},
        files={},
    )


@dataclass
class MemoryGraph:
    """Implements `GraphReader`."""

    documents_: dict[str, Document] = field(default_factory=dict)
    chunks_: dict[str, Chunk] = field(default_factory=dict)
    entities_: dict[str, Entity] = field(default_factory=dict)
    relations_: dict[str, Relation] = field(default_factory=dict)
    evidence_: dict[str, list[Evidence]] = field(default_factory=lambda: defaultdict(list))
    mentions: dict[str, Counter] = field(default_factory=lambda: defaultdict(Counter))
    vectors_: dict[str, dict[str, Vector]] = field(default_factory=lambda: {"chunk": {}, "entity": {}})
    closed: bool = False

    @property
    def manifest(self) -> Manifest:
        return manifest({"documents": len(self.documents_), "entities": len(self.entities_)})

    def documents(self, article_ids: Sequence[str]) -> list[Document]:
        return [self.documents_[key] for key in article_ids if key in self.documents_]

    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        return [self.chunks_[key] for key in chunk_ids if key in self.chunks_]

    def entities(self, entity_ids: Sequence[str]) -> list[Entity]:
        return [self.entities_[key] for key in entity_ids if key in self.entities_]

    def relations(self, relation_ids: Sequence[str]) -> list[Relation]:
        return [self.relations_[key] for key in relation_ids if key in self.relations_]

    def evidence(self, relation_ids: Sequence[str], *, per_relation: int = 3) -> list[Evidence]:
        rows = []
        for key in relation_ids:
            ranked = sorted(self.evidence_.get(key, []), key=lambda row: (-row.confidence, row.evidence_id))
            rows += ranked[:per_relation]
        return rows

    def nearest(self, kind: str, vector: Vector, k: int, *, threshold: float = -1.0) -> list[Scored]:
        scored = [Scored(key, float(row @ vector)) for key, row in self.vectors_[kind].items()]
        scored = [row for row in scored if row.score >= threshold]
        return sorted(scored, key=lambda row: (-row.score, row.id))[:k]

    def nearest_many(
        self, kind: str, vectors: Sequence[Vector], k: int, *, threshold: float = -1.0
    ) -> list[list[Scored]]:
        return [self.nearest(kind, vector, k, threshold=threshold) for vector in vectors]

    def vectors(self, kind: str, ids: Sequence[str]) -> dict[str, Vector]:
        return {key: self.vectors_[kind][key] for key in ids if key in self.vectors_[kind]}

    def similarities(self, kind: str, ids: Sequence[str], vector: Vector) -> list[float]:
        rows = self.vectors_[kind]
        return [float(rows[key] @ vector) if key in rows else 0.0 for key in ids]

    def search_text(self, kind: str, query: str, k: int) -> list[Scored]:
        wanted = set(content_stems(query))
        if kind == "chunk":
            texts = {key: chunk.text for key, chunk in self.chunks_.items()}
        else:
            texts = {key: " ".join([entity.name, *entity.aliases]) for key, entity in self.entities_.items()}
        scored = [Scored(key, float(len(wanted & set(content_stems(text))))) for key, text in texts.items()]
        return sorted((row for row in scored if row.score), key=lambda row: (-row.score, row.id))[:k]

    def find_entities(self, name: str) -> list[str]:
        key = tuple(token.text for token in tokenise(name))
        return sorted(
            entity.entity_id
            for entity in self.entities_.values()
            if key
            and key in {tuple(t.text for t in tokenise(other)) for other in (entity.name, *entity.aliases)}
        )

    def entities_of(self, chunk_ids: Sequence[str]) -> dict[str, list[str]]:
        return {
            key: [e for e, _ in sorted(self.mentions[key].items(), key=lambda pair: (-pair[1], pair[0]))]
            for key in chunk_ids
            if key in self.mentions
        }

    def chunks_of(self, entity_ids: Sequence[str], *, per_entity: int = 5) -> dict[str, list[str]]:
        found = {}
        for entity_id in entity_ids:
            counted = [(-row[entity_id], key) for key, row in self.mentions.items() if row[entity_id]]
            if counted:
                found[entity_id] = [key for _, key in sorted(counted)][:per_entity]
        return found

    def _touching(self, entity_id: str, kinds: Collection[str], per_node: int) -> list[Relation]:
        rows = [
            r for r in self.relations_.values() if entity_id in (r.head_id, r.tail_id) and r.kind in kinds
        ]
        return sorted(rows, key=lambda r: (r.kind != "asserted", -r.confidence, r.relation_id))[:per_node]

    def neighbours(
        self, entity_ids: Sequence[str], *, kinds: Collection[str] = ALL_KINDS, per_node: int = 50
    ) -> list[str]:
        return list(
            dict.fromkeys(r.relation_id for key in entity_ids for r in self._touching(key, kinds, per_node))
        )

    def expand(
        self,
        seeds: Sequence[str],
        *,
        depth: int,
        kinds: Collection[str] = ALL_KINDS,
        per_node: int = 50,
        max_nodes: int = 500,
    ) -> Subgraph:
        depths = {key: 0 for key in seeds if key in self.entities_}
        found: dict[str, None] = {}
        truncated = False
        for level in range(1, depth + 1):
            for key in [key for key, value in depths.items() if value == level - 1]:
                for relation in self._touching(key, kinds, per_node):
                    other = relation.tail_id if relation.head_id == key else relation.head_id
                    if other not in depths and len(depths) >= max_nodes:
                        truncated = True
                        continue
                    found[relation.relation_id] = None
                    depths.setdefault(other, level)
        return Subgraph(depths, tuple(found), truncated)

    def paths(
        self,
        source: str,
        target: str,
        *,
        max_length: int = 4,
        k: int = 5,
        kinds: Collection[str] = ALL_KINDS,
        per_node: int = 50,
    ) -> list[Path]:
        found: list[tuple[int, float, tuple[str, ...], tuple[str, ...]]] = []

        def walk(entities: tuple[str, ...], relations: tuple[str, ...], confidence: float) -> None:
            if entities[-1] == target:
                found.append((len(relations), -confidence, relations, entities))
                return
            if len(relations) == max_length:
                return
            for relation in self._touching(entities[-1], kinds, per_node):
                other = relation.tail_id if relation.head_id == entities[-1] else relation.head_id
                if other not in entities:
                    walk(
                        (*entities, other),
                        (*relations, relation.relation_id),
                        confidence * relation.confidence,
                    )

        if source in self.entities_ and target in self.entities_ and source != target:
            walk((source,), (), 1.0)
        return [Path(entities, relations) for _, _, relations, entities in sorted(found)[:k]]

    def close(self) -> None:
        self.closed = True


@dataclass
class Builder:
    """Builds a graph from entities, articles (lists of sentences) and relations stated by those sentences."""

    graph: MemoryGraph = field(default_factory=MemoryGraph)
    embedder: object = field(default_factory=HashingEmbedder)
    where: dict[str, tuple[str, int]] = field(default_factory=dict)  # sentence to (chunk, offset)

    def entity(self, entity_id: str, name: str, category: str, *aliases: str) -> None:
        self.graph.entities_[entity_id] = Entity(entity_id, name, f"biolink:{category}", aliases, 0, 0)

    def article(self, article_id: str, title: str, *paragraphs: list[str], section: str = "Results") -> None:
        self.graph.documents_[article_id] = Document(
            article_id, 1, title, "J Test", 2024, None, None, "redistributable"
        )
        offset = len(title) + 2
        for ordinal, sentences in enumerate(paragraphs):
            chunk_id = f"{article_id}:c{ordinal}"
            text = " ".join(sentences)
            self.graph.chunks_[chunk_id] = Chunk(
                chunk_id, article_id, ordinal, section, offset, offset + len(text), text
            )
            position = offset
            for sentence in sentences:
                self.where[sentence] = (chunk_id, position)
                position += len(sentence) + 1
            offset += len(text) + 2

    def relation(
        self,
        head: str,
        predicate: str,
        tail: str,
        *sentences: str,
        kind: str = "asserted",
        negated: bool = False,
        speculative: bool = False,
        confidence: float = 0.8,
        premises: tuple[str, ...] = (),
    ) -> str:
        relation_id = f"{head}-{'not-' if negated else ''}{predicate}-{tail}-{kind}"
        rows = self.graph.evidence_[relation_id]
        for sentence in sentences:
            chunk_id, start = self.where[sentence]
            chunk = self.graph.chunks_[chunk_id]
            rows.append(
                Evidence(
                    f"{relation_id}#{len(rows)}", relation_id, chunk.article_id, chunk_id, chunk.section_path, start,
                    start + len(sentence), sentence, self.graph.entities_[head].name, self.graph.entities_[tail].name,
                    predicate, "offline", confidence,
                )
            )  # fmt: skip
        articles = {row.article_id for row in rows}
        self.graph.relations_[relation_id] = Relation(
            relation_id, kind, head, predicate, tail, negated, speculative, confidence, len(articles), len(rows),
            premises, "compose" if premises else "",
        )  # fmt: skip
        return relation_id

    def build(self) -> MemoryGraph:
        graph = self.graph
        keys = {e.entity_id: name_keys([e.name, *e.aliases]) for e in graph.entities_.values()}
        articles: dict[str, set[str]] = defaultdict(set)
        totals: Counter[str] = Counter()
        for chunk in graph.chunks_.values():
            for start, end in split(chunk.text):
                tokens = tokenise(chunk.text[start:end])
                for entity_id, names in keys.items():
                    if find_name(tokens, names):
                        graph.mentions[chunk.chunk_id][entity_id] += 1
                        totals[entity_id] += 1
                        articles[entity_id].add(chunk.article_id)
        for key, entity in list(graph.entities_.items()):
            graph.entities_[key] = Entity(
                key, entity.name, entity.category, entity.aliases, totals[key], len(articles[key])
            )
        chunk_ids, entity_ids = sorted(graph.chunks_), sorted(graph.entities_)
        rows = self.embedder.embed([graph.chunks_[key].text for key in chunk_ids])
        graph.vectors_["chunk"] = dict(zip(chunk_ids, rows, strict=True))
        rows = self.embedder.embed([graph.entities_[key].name for key in entity_ids])
        graph.vectors_["entity"] = dict(zip(entity_ids, rows, strict=True))
        return graph


__all__ = ["Builder", "HashingEmbedder", "MemoryGraph", "manifest", "name_key", "split"]
