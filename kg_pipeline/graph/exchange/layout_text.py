"""Lay the quotes of an imported graph out as articles: documents, chunks, mentions and the offsets of evidence.

An article's text is its quotes in their order, one a line; a chunk is as many lines of a section as make a passage. Chunks do not
overlap.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from kg_pipeline.datasets import empty_frame
from kg_pipeline.graph.exchange.records import SOURCE_PREFIX, Article
from kg_pipeline.llm.tokens import load_tokenizer

#: Characters at which a new chunk begins; with the last line it stays below what the embedding model reads.
_CHUNK_CHARACTERS = 700
_LINE = ("article_id", "start", "end", "quote")
_BLANK: dict[str, Any] = {
    "version": 1,
    "pmcid": None,
    "pmid": None,
    "doi": None,
    "journal": "",
    "year": None,
    "article_type": "",
    "language": "en",
    "license_class": "unknown",
}


def lay_out(evidence: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Evidence with `chunk_id` and offsets in the new texts, and the chunks (columns of the dataset `chunks`)."""
    lines = evidence.sort(*_LINE, "evidence_id").unique(_LINE, keep="first", maintain_order=True)
    lines = lines.select(*_LINE, "section_path")
    length = pl.col("quote").str.len_chars().cast(pl.Int32)
    ends = (length + 1).cum_sum().over("article_id") - 1
    lines = lines.with_columns(new_start=ends - length, new_end=ends)
    # A chunk is of one section, and a new one begins every so many characters.
    begins = pl.any_horizontal(
        (value != value.shift(1).over("article_id")).fill_null(value=True)
        for value in (pl.col("section_path"), pl.col("new_start") // _CHUNK_CHARACTERS)
    )
    lines = lines.with_columns(ordinal=begins.cast(pl.Int32).cum_sum().over("article_id") - 1)
    lines = lines.with_columns(chunk_id=pl.format("{}:c{}", "article_id", "ordinal"))
    placed = evidence.join(lines.drop("section_path"), on=_LINE, how="left").drop("start", "end", "ordinal")
    placed = placed.rename({"new_start": "start", "new_end": "end"})
    chunks = lines.group_by("article_id", "chunk_id", "ordinal", maintain_order=True).agg(
        start=pl.col("new_start").min(),
        end=pl.col("new_end").max(),
        section_path=pl.col("section_path").first(),
        text=pl.col("quote").str.join("\n"),
        sentences=pl.struct(start="new_start", end="new_end"),
    )
    tokenizer = load_tokenizer()
    tokens = [len(tokenizer.encode(text, add_special_tokens=False)) for text in chunks["text"]]
    chunks = chunks.with_columns(section_kind=pl.lit("body"), n_tokens=pl.Series(tokens, dtype=pl.Int32))
    return placed, chunks.select(empty_frame("chunks").columns)


def mentions(placed: pl.DataFrame) -> pl.DataFrame:
    """Where the ends of relations stand: article_id, mention_id, entity_id, start, end, text; a span once."""
    ends = [
        placed.filter(pl.col(f"{end}_at").is_not_null()).select(
            "article_id",
            entity_id=f"{end}_id",
            start=pl.col("start") + pl.col(f"{end}_at"),
            end=pl.col("start") + pl.col(f"{end}_at") + pl.col(f"{end}_text").str.len_chars().cast(pl.Int32),
            text=f"{end}_text",
        )
        for end in ("head", "tail")
    ]
    every = pl.concat(ends).sort("article_id", "start", "end", "entity_id")
    every = every.with_columns(mention_id=pl.format("{}:{}-{}", "article_id", "start", "end"))
    return every.unique("mention_id", keep="first", maintain_order=True)


def documents(chunks: pl.DataFrame, articles: Mapping[str, Article]) -> pl.DataFrame:
    """Documents (columns of the dataset) of all articles with a quote or a bibliography."""
    texts = dict(
        chunks.sort("article_id", "ordinal")
        .group_by("article_id", maintain_order=True)
        .agg(pl.col("text").str.join("\n"))
        .iter_rows()
    )
    rows = [
        _document(id_, texts.get(id_, ""), articles.get(id_))
        for id_ in sorted(texts.keys() | articles.keys())
    ]
    return pl.DataFrame(rows, schema=empty_frame("documents").schema)


def _document(article_id: str, text: str, article: Article | None) -> dict[str, Any]:
    known = (
        {} if article is None else {k: v for k, v in article.fields.items() if k in _BLANK or k == "title"}
    )
    prefix, _, local = article_id.partition(":")
    guessed: dict[str, Any] = {}
    if article_id.startswith(SOURCE_PREFIX):
        guessed = {"title": article_id.removeprefix(SOURCE_PREFIX), "article_type": "knowledge-source"}
    elif article_id.startswith("PMC"):
        guessed = {"pmcid": article_id}
    elif prefix.upper() in ("PMID", "DOI"):
        guessed = {prefix.lower(): local}
    empty: dict[str, Any] = {name: [] for name in ("sections", "paragraphs", "glossary", "tables")}
    return {
        **_BLANK,
        "title": article_id,
        **guessed,
        **known,
        **empty,
        "formulas": 0,
        "article_id": article_id,
        "text": text,
    }
