"""What a search found (`Retrieved`) and what all searches of a question found together (`EvidenceState`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kg_pipeline.graph.reader import Chunk, Document, Entity, Evidence, Relation

#: Stands for a sentence that the graph does not hold.
WITHHELD = "[quote withheld: licence; see article]"


@dataclass(frozen=True, slots=True)
class Quote:
    """A citable span of an article: a sentence that states a relation, or a sentence of a passage."""

    article_id: str
    chunk_id: str
    section_path: str
    start: int
    end: int
    text: str
    relation_id: str = ""
    head_text: str = ""
    tail_text: str = ""

    @property
    def key(self) -> tuple[str, int, int]:
        """What makes two quotes the same: article and offsets."""
        return self.article_id, self.start, self.end


def stands_in(quote: Quote, chunk: Chunk) -> bool:
    """Whether the chunk has the quote, to the letter, at its offsets; a text that its licence withholds has it there."""
    return (
        chunk.article_id == quote.article_id
        and chunk.start <= quote.start < quote.end
        and quote.end <= chunk.end
        and (not chunk.text or chunk.text[quote.start - chunk.start : quote.end - chunk.start] == quote.text)
    )


def quote_of(evidence: Evidence) -> Quote:
    """The quote of an evidence row; what it says in our words where the licence of the article withholds its own."""
    said = evidence.quote or f"{evidence.head_text} {evidence.predicate_text} {evidence.tail_text} {WITHHELD}"
    return Quote(
        article_id=evidence.article_id,
        chunk_id=evidence.chunk_id,
        section_path=evidence.section_path,
        start=evidence.start,
        end=evidence.end,
        text=said,
        relation_id=evidence.relation_id,
        head_text=evidence.head_text,
        tail_text=evidence.tail_text,
    )


def titles_of(documents: Iterable[Document]) -> dict[str, str]:
    """Titles of articles, by id."""
    return {document.article_id: document.title for document in documents}


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk with its cosine to the question."""

    chunk: Chunk
    score: float


@dataclass(frozen=True, slots=True)
class Seed:
    """An entity with its cosine to the question and its distance from the nearest seed entity."""

    entity: Entity
    score: float
    distance: int


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Result of Algorithm 2 for one query; every part best first."""

    query: str
    documents: tuple[Document, ...]
    passages: tuple[Passage, ...]
    entities: tuple[Seed, ...]
    relations: tuple[Relation, ...]
    quotes: Mapping[str, tuple[Quote, ...]]  # relation id to the sentences that state it
    truncated: bool
    text: str  # as a reader or a language model gets it


@dataclass(frozen=True, slots=True)
class Step:
    """An element (t, a, R(t, G)) of the evidence graph K_q of equation 10."""

    thought: str
    summary: str
    retrieved: Retrieved


@dataclass(slots=True)
class EvidenceState:
    """K_q: everything found so far, without duplicates, organised by entities, relations, documents and answers."""

    steps: list[Step] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)
    passages: dict[str, Passage] = field(default_factory=dict)
    entities: dict[str, Seed] = field(default_factory=dict)
    relations: dict[str, Relation] = field(default_factory=dict)
    quotes: dict[str, tuple[Quote, ...]] = field(default_factory=dict)

    def add(self, steps: Iterable[Step]) -> None:
        """Take in new steps; of duplicates the better score stays, and the place of the first."""
        for step in steps:
            self.steps.append(step)
            found = step.retrieved
            for document in found.documents:
                self.documents.setdefault(document.article_id, document)
            for passage in found.passages:
                known = self.passages.get(passage.chunk.chunk_id)
                if known is None or passage.score > known.score:
                    self.passages[passage.chunk.chunk_id] = passage
            for seed in found.entities:
                before = self.entities.get(seed.entity.entity_id)
                if before is None or seed.score > before.score:
                    self.entities[seed.entity.entity_id] = seed
            for relation in found.relations:
                self.relations.setdefault(relation.relation_id, relation)
            for relation_id, quotes in found.quotes.items():
                self.quotes.setdefault(relation_id, quotes)

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all was found."""
        return not self.passages and not self.relations

    def best_passages(self, limit: int) -> list[Passage]:
        """Passages by (-score, chunk id)."""
        ranked = sorted(self.passages.values(), key=lambda passage: (-passage.score, passage.chunk.chunk_id))
        return ranked[:limit]
