"""What can be asked of a graph version, whichever store holds it: the records and the reader protocol.

The embedded directory (`kg_pipeline.graph.snapshot.reader`) and Neo4j (`kg_pipeline.graph.neo4j`) both implement
`GraphReader`, and one contract suite runs against both. Common rules: results are ordered by (-score, id);
scores are cosines; a relation appears once, self-loops included; hub caps are part of every traversal;
chunks, documents and structural relations are never traversed as knowledge.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

from kg_pipeline.schema import RELATION_KINDS

Vector = npt.NDArray[np.float32]
NodeKind = Literal["chunk", "entity"]
ALL_KINDS: frozenset[str] = frozenset(RELATION_KINDS)
ASSERTED: frozenset[str] = frozenset({"asserted"})


class Manifest(BaseModel):
    """What a version was made from and what it holds; `manifest.json` of the version directory."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int = 1
    corpus: str
    version: str
    parent: str | None = None
    inputs: dict[str, str]  # what decided the content: digests of articles, code and settings, by name
    settings: dict[str, str | int | float | bool]
    models: dict[str, str]
    libraries: dict[str, str]
    counts: dict[str, int]
    relations_by_kind: dict[str, int]
    recall: dict[
        str, float
    ] = {}  # of the approximate vector index by kind of node; exact where there is none
    pending_chunks: int = 0  # chunks a language model still owes; the next build asks again
    files: dict[str, str]  # relative path to SHA-256


@dataclass(frozen=True, slots=True)
class Document:
    """An article of the graph."""

    article_id: str
    version: int
    title: str
    journal: str
    year: int | None
    doi: str | None
    pmid: str | None
    license_class: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage; `start` and `end` are offsets into the document's text."""

    chunk_id: str
    article_id: str
    ordinal: int
    section_path: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Entity:
    """A standardised entity."""

    entity_id: str
    name: str
    category: str
    aliases: tuple[str, ...]
    n_mentions: int
    n_articles: int


@dataclass(frozen=True, slots=True)
class Relation:
    """An edge; `premises` are the relations an inferred edge was derived from."""

    relation_id: str
    kind: str
    head_id: str
    predicate: str
    tail_id: str
    negated: bool
    speculative: bool
    confidence: float
    n_articles: int
    n_evidence: int
    premises: tuple[str, ...]
    rule: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A sentence that states a relation."""

    evidence_id: str
    relation_id: str
    article_id: str
    chunk_id: str
    section_path: str
    start: int
    end: int
    quote: str
    head_text: str
    tail_text: str
    predicate_text: str
    extractor: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Scored:
    """An id with its score."""

    id: str
    score: float


@dataclass(frozen=True, slots=True)
class Subgraph:
    """Entities with their distance from the nearest seed, and the relations met on the way, best first.

    Both may be named only when they are asked for: a neighbourhood without caps can be most of a graph.
    """

    depths: Mapping[str, int]
    relation_ids: Sequence[str]
    truncated: bool  # a cap was reached


@dataclass(frozen=True, slots=True)
class Path:
    """A simple path: n entities and the n-1 relations between them."""

    entity_ids: tuple[str, ...]
    relation_ids: tuple[str, ...]


class GraphReader(Protocol):
    """One pinned, immutable graph version. Safe for many threads. Ids that do not exist are left out of results."""

    @property
    def manifest(self) -> Manifest:
        """What the version was made from."""
        ...

    def documents(self, article_ids: Sequence[str]) -> list[Document]:
        """Documents in the order asked."""
        ...

    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """Chunks in the order asked."""
        ...

    def entities(self, entity_ids: Sequence[str]) -> list[Entity]:
        """Entities in the order asked."""
        ...

    def relations(self, relation_ids: Sequence[str]) -> list[Relation]:
        """Relations in the order asked."""
        ...

    def evidence(self, relation_ids: Sequence[str], *, per_relation: int = 3) -> list[Evidence]:
        """Best evidence of each relation: by relation as asked, then (-confidence, evidence_id)."""
        ...

    def nearest(self, kind: NodeKind, vector: Vector, k: int, *, threshold: float = -1.0) -> list[Scored]:
        """At most `k` nodes with cosine >= `threshold` to a unit vector."""
        ...

    def nearest_many(
        self, kind: NodeKind, vectors: Sequence[Vector], k: int, *, threshold: float = -1.0
    ) -> list[list[Scored]]:
        """`nearest` of each vector, in their order; cheaper than one by one."""
        ...

    def vectors(self, kind: NodeKind, ids: Sequence[str]) -> dict[str, Vector]:
        """The unit vector of each node that has one, in the order asked: of a chunk's text, of an entity's names."""
        ...

    def similarities(self, kind: NodeKind, ids: Sequence[str], vector: Vector) -> list[float]:
        """Cosine of each node to a unit vector, in the order asked; 0.0 for a node without a vector."""
        ...

    def search_text(self, kind: NodeKind, query: str, k: int) -> list[Scored]:
        """BM25 over chunk texts, or over entity names and aliases; any characters are allowed in the query."""
        ...

    def find_entities(self, name: str) -> list[str]:
        """Entities that have this name or alias, ignoring case and the spelling of hyphens and spaces."""
        ...

    def entities_of(self, chunk_ids: Sequence[str]) -> dict[str, list[str]]:
        """Entities mentioned in each chunk (HAS_ENTITY), most mentioned first."""
        ...

    def chunks_of(self, entity_ids: Sequence[str], *, per_entity: int = 5) -> dict[str, list[str]]:
        """Chunks that mention each entity, most mentions first."""
        ...

    def neighbours(
        self, entity_ids: Sequence[str], *, kinds: Collection[str] = ALL_KINDS, per_node: int = 50
    ) -> list[str]:
        """Relations touching the entities, in either direction: asserted first, then by (-confidence, id); capped per node."""
        ...

    def expand(
        self,
        seeds: Sequence[str],
        *,
        depth: int,
        kinds: Collection[str] = ALL_KINDS,
        per_node: int = 50,
        max_nodes: int = 500,
    ) -> Subgraph:
        """Breadth-first, one level at a time, through at most `per_node` relations a node."""
        ...

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
        """At most `k` simple paths, shortest first, then by product of confidences."""
        ...

    def close(self) -> None:
        """Release files and connections; the reader is unusable afterwards."""
        ...
