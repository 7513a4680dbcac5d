"""What the triple stage reads of an article: text, chunks with their sentences, and mentions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from kg_pipeline.extraction.grounding.triples import MentionSpan
from kg_pipeline.extraction.llm.triples import Passage
from kg_pipeline.extraction.triples.rows import ChunkSpan
from kg_pipeline.text.abbreviations import find_definitions

if TYPE_CHECKING:
    from kg_pipeline.datasets import Datasets


@dataclass(frozen=True, slots=True)
class ArticleInput:
    """An article as the stages before left it; `sentences` are those of each chunk."""

    article_id: str
    title: str
    text: str
    chunks: tuple[ChunkSpan, ...]
    sentences: tuple[tuple[tuple[int, int], ...], ...]
    mentions: tuple[MentionSpan, ...]


def passages_of(article: ArticleInput) -> list[Passage]:
    """Each chunk of the article as a language model is asked about it."""
    definitions = tuple(find_definitions(article.text))
    return [
        Passage(
            article_id=article.article_id,
            title=article.title,
            document_text=article.text,
            start=chunk.start,
            end=chunk.end,
            sentences=sentences,
            mentions=article.mentions,
            definitions=definitions,
        )
        for chunk, sentences in zip(article.chunks, article.sentences, strict=True)
    ]


def read_articles(
    datasets: Datasets, corpus: str, shard: str, article_ids: Sequence[str]
) -> dict[str, ArticleInput]:
    """The articles of a shard by id, those that are asked for."""
    wanted = pl.col("article_id").is_in(list(article_ids))
    documents = datasets.read("documents", corpus, shard).filter(wanted)
    chunks = _by_article(datasets.read("chunks", corpus, shard).filter(wanted).sort("article_id", "ordinal"))
    mentions = _by_article(datasets.read("mentions", corpus, shard).filter(wanted))
    found = {}
    for article_id, title, text in (
        documents.sort("article_id").select("article_id", "title", "text").iter_rows()
    ):
        rows = chunks.get(article_id, [])
        found[article_id] = ArticleInput(
            article_id=article_id,
            title=title,
            text=text,
            chunks=tuple(
                ChunkSpan(row["chunk_id"], row["start"], row["end"], row["section_kind"]) for row in rows
            ),
            sentences=tuple(tuple((s["start"], s["end"]) for s in row["sentences"]) for row in rows),
            mentions=tuple(_mention(row) for row in mentions.get(article_id, [])),
        )
    return found


def _by_article(frame: pl.DataFrame) -> dict[str, list[dict[str, Any]]]:
    parts = frame.partition_by("article_id", as_dict=True, maintain_order=True)
    return {str(key[0]): part.to_dicts() for key, part in parts.items()}


def _mention(row: Mapping[str, Any]) -> MentionSpan:
    names = ("mention_id", "start", "end", "text", "normal_form", "category", "concept_id")
    return MentionSpan(**{name: row[name] for name in names})
