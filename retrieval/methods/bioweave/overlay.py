"""A graph version with the web records of one question beside it, so that they are verified and cited like passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from kg_pipeline.graph.reader import Chunk, Document, GraphReader


class _Overlay:
    """Hands everything to the reader but the chunks and documents it has itself; lives as long as one answer."""

    def __init__(
        self, reader: GraphReader, chunks: Mapping[str, Chunk], documents: Mapping[str, Document]
    ) -> None:
        self._reader = reader
        self._chunks = dict(chunks)
        self._documents = dict(documents)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """Chunks in the order asked."""
        known = self._chunks | {chunk.chunk_id: chunk for chunk in self._reader.chunks(list(chunk_ids))}
        return [known[chunk_id] for chunk_id in chunk_ids if chunk_id in known]

    def documents(self, article_ids: Sequence[str]) -> list[Document]:
        """Documents in the order asked."""
        known = self._documents | {d.article_id: d for d in self._reader.documents(list(article_ids))}
        return [known[article_id] for article_id in article_ids if article_id in known]


def with_records(
    reader: GraphReader, chunks: Mapping[str, Chunk], documents: Mapping[str, Document]
) -> GraphReader:
    """The reader, with more chunks and documents that nothing else of it knows of."""
    return cast("GraphReader", _Overlay(reader, chunks, documents)) if chunks else reader
