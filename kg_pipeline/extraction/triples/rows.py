"""Rows of the triple tables from what the extractors found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kg_pipeline.fingerprint import short_digest

if TYPE_CHECKING:
    from kg_pipeline.extraction.annotations.records import BroughtRelation
    from kg_pipeline.extraction.grounding.triples import GroundedTriple, MentionSpan, Rejected
    from kg_pipeline.extraction.llm.triples import ChunkExtraction
    from kg_pipeline.extraction.rules.triples import OfflineTriple

#: Confidence of a triple that a language model offered and the text bore out; models give no calibrated one.
LLM_CONFIDENCE = 0.75
#: Reader of what was brought in; its source follows behind a colon.
ANNOTATION = "annotation"
#: Confidence of a brought-in triple whose source is sure of it: where it quotes the sentence, and where we found one.
QUOTED_CONFIDENCE = 0.8
PLACED_CONFIDENCE = 0.7
#: Of a source that is next to sure that it is wrong; a product of two still is a confidence.
_LEAST_CONFIDENCE = 0.01
#: A row of a table read as a sentence is less of one.
TABLE_FACTOR = 0.8
TABLE = "table"

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ChunkSpan:
    """A chunk of the article, without its text."""

    chunk_id: str
    start: int
    end: int
    section_kind: str


def chunk_of(chunks: Sequence[ChunkSpan], start: int, end: int) -> ChunkSpan:
    """The first chunk that holds the span, or the one that overlaps it most where none holds all of it."""
    for chunk in chunks:
        if chunk.start <= start and end <= chunk.end:
            return chunk
    return max(chunks, key=lambda chunk: min(chunk.end, end) - max(chunk.start, start))


def offline_rows(
    article_id: str, triples: Iterable[OfflineTriple], chunks: Sequence[ChunkSpan], extractor: str
) -> list[Row]:
    """Rows of `triples`; those read from a table are marked as such."""
    rows = []
    for triple in triples:
        chunk = chunk_of(chunks, triple.start, triple.end)
        is_table = chunk.section_kind == TABLE
        rows.append(
            _row(
                article_id,
                triple,
                chunk,
                TABLE if is_table else extractor,
                triple.confidence * (TABLE_FACTOR if is_table else 1.0),
            )
        )
    return _distinct(rows)


def llm_rows(
    article_id: str, extractions: Iterable[ChunkExtraction], chunks: Sequence[ChunkSpan], extractor: str
) -> list[Row]:
    """Rows of `triples`; the same triple found in two overlapping chunks is one row."""
    return _distinct(
        [
            _row(article_id, triple, chunk_of(chunks, triple.start, triple.end), extractor, LLM_CONFIDENCE)
            for extraction in extractions
            for triple in extraction.triples
        ]
    )


def new_mention_rows(article_id: str, extractions: Iterable[ChunkExtraction]) -> list[Row]:
    """Rows of `triple_mentions`: the mentions that the model named and the text holds."""
    named = (
        mention
        for extraction in extractions
        for triple in extraction.triples
        for mention in triple.new_mentions
    )
    return mention_rows(article_id, named, source="llm")


def mention_rows(article_id: str, named: Iterable[MentionSpan], *, source: str) -> list[Row]:
    """Rows of `triple_mentions`, one for each distinct span, in document order."""
    mentions = {mention.mention_id: mention for mention in named}
    return [
        {
            "article_id": article_id,
            "mention_id": mention.mention_id,
            "start": mention.start,
            "end": mention.end,
            "text": mention.text,
            "normal_form": mention.normal_form,
            "category": mention.category,
            "concept_id": mention.concept_id,
            "candidates": [],
            "source": source,
        }
        for mention in sorted(mentions.values(), key=lambda each: (each.start, each.end))
    ]


def annotation_rows(
    article_id: str, grounded: Iterable[tuple[BroughtRelation, GroundedTriple]], chunks: Sequence[ChunkSpan]
) -> list[Row]:
    """Rows of brought-in triples; the same one of two sources is two rows, as it is for two other readers."""
    rows = []
    for relation, triple in grounded:
        chunk = chunk_of(chunks, triple.start, triple.end)
        prior = QUOTED_CONFIDENCE if relation.is_quoted else PLACED_CONFIDENCE
        sure = max(prior * relation.score, _LEAST_CONFIDENCE)
        row = _row(article_id, triple, chunk, brought_by(relation), sure)
        rows.append({**row, "triple_id": short_digest(row["triple_id"], row["extractor"])})
    # Of records that say the same, the surest.
    return _distinct(sorted(rows, key=lambda row: (-row["confidence"], row["predicate_text"])))


def brought_by(relation: BroughtRelation) -> str:
    """Name of the reader in the tables: that something was brought in, and from where."""
    return f"{ANNOTATION}:{relation.source}"


def reject_rows(
    article_id: str, extractions: Sequence[ChunkExtraction], chunks: Sequence[ChunkSpan], extractor: str
) -> list[Row]:
    """Rows of `rejects`, one for each candidate refused; `extractions` are those of `chunks`, in order."""
    return [
        _reject(article_id, each, chunk.chunk_id, extractor)
        for chunk, extraction in zip(chunks, extractions, strict=True)
        for each in extraction.rejected
    ]


def brought_reject_rows(article_id: str, rejected: Iterable[tuple[BroughtRelation, Rejected]]) -> list[Row]:
    """Rows of `rejects` of brought-in relations, of which no chunk is known."""
    rows = [_reject(article_id, each, "", brought_by(relation)) for relation, each in rejected]
    return sorted(rows, key=lambda row: (row["reason"], row["extractor"], row["detail"]))


def _reject(article_id: str, rejected: Rejected, chunk_id: str, extractor: str) -> Row:
    return {
        "article_id": article_id,
        "chunk_id": chunk_id,
        "extractor": extractor,
        "reason": rejected.reason,
        "detail": rejected.detail,
    }


def _row(article_id: str, triple: Any, chunk: ChunkSpan, extractor: str, confidence: float) -> Row:
    identity = (
        article_id,
        triple.head.mention_id,
        triple.predicate,
        triple.tail.mention_id,
        triple.start,
        triple.end,
        triple.negated,
        triple.speculative,
    )
    return {
        "article_id": article_id,
        "triple_id": short_digest(*identity),
        "chunk_id": chunk.chunk_id,
        "head_mention_id": triple.head.mention_id,
        "tail_mention_id": triple.tail.mention_id,
        "predicate": triple.predicate,
        "predicate_text": triple.predicate_text,
        "negated": triple.negated,
        "speculative": triple.speculative,
        "quote": triple.quote,
        "start": triple.start,
        "end": triple.end,
        "extractor": extractor,
        "confidence": confidence,
    }


def _distinct(rows: Iterable[Row]) -> list[Row]:
    by_id: dict[str, Row] = {}
    for row in rows:
        by_id.setdefault(row["triple_id"], row)
    return sorted(by_id.values(), key=lambda row: (row["start"], row["end"], row["triple_id"]))
