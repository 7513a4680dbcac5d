"""Asserted relations: triples between standardised entities, each with the sentences that state it.

Their confidence is their belief (`kg_pipeline.inference.belief`). Three sentences of one article count once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from kg_pipeline.datasets import compact, empty_frame
from kg_pipeline.inference.belief import beliefs
from kg_pipeline.inference.relation_rows import relation_ids
from kg_pipeline.vocabulary.predicates import PREDICATES

_SYMMETRIC = sorted(name for name, predicate in PREDICATES.items() if predicate.symmetric)
_KEY = ["head_id", "predicate", "tail_id", "negated", "speculative"]


@dataclass(frozen=True, slots=True)
class Assertions:
    """The relations and evidence tables of a corpus, and what did not become a relation."""

    relations: pl.DataFrame
    evidence: pl.DataFrame
    self_relations: int  # head and tail were standardised to one entity
    unresolved: int  # head or tail has no entity


def assert_relations(
    triples: pl.DataFrame,
    mentions: Iterable[pl.DataFrame],
    entity_mentions: Iterable[pl.DataFrame],
    chunks: Iterable[pl.DataFrame],
) -> Assertions:
    """Join triples with the entities of their mentions; `mentions` holds those of every stage.

    All but the triples come part by part, of which one is in memory at a time: one mention in ten is the end of a triple.
    """
    stated = triples.unique("triple_id", keep="any")
    resolved = _resolve(stated, mentions, entity_mentions, chunks)
    different = resolved.filter(pl.col("head_id") != pl.col("tail_id"))
    evidence = _canonical(different)
    if evidence.is_empty():
        return Assertions(
            empty_frame("relations"),
            empty_frame("evidence"),
            resolved.height,
            stated.height - resolved.height,
        )
    relations = _relations(evidence)
    evidence = evidence.join(relations.select("relation_id", *_KEY), on=_KEY, how="left")
    return Assertions(
        relations=relations.sort("relation_id"),
        evidence=evidence.select(empty_frame("evidence").columns).sort("relation_id", "evidence_id"),
        self_relations=resolved.height - different.height,
        unresolved=stated.height - resolved.height,
    )


def _resolve(
    triples: pl.DataFrame,
    mentions: Iterable[pl.DataFrame],
    entity_mentions: Iterable[pl.DataFrame],
    chunks: Iterable[pl.DataFrame],
) -> pl.DataFrame:
    ends = pl.concat([triples.select(mention_id=f"{end}_mention_id") for end in ("head", "tail")])
    entities, texts = _said_of(ends, entity_mentions, "entity_id"), _said_of(ends, mentions, "text")
    named = entities.join(texts, on="mention_id", how="left").with_columns(pl.col("text").fill_null(""))
    sections = _said_of(triples.select("chunk_id"), chunks, "section_path")
    frame = triples.join(sections, on="chunk_id", how="left").with_columns(
        pl.col("section_path").fill_null("")
    )
    for end in ("head", "tail"):
        frame = frame.join(
            named.rename(
                {"entity_id": f"{end}_id", "text": f"{end}_text", "mention_id": f"{end}_mention_id"}
            ),
            on=f"{end}_mention_id",
        )
    return frame.rename({"triple_id": "evidence_id"})


def _said_of(wanted: pl.DataFrame, parts: Iterable[pl.DataFrame], column: str) -> pl.DataFrame:
    """What the parts say in a column of each id that is wanted."""
    (key,) = wanted.columns
    distinct = wanted.unique()
    nothing = pl.DataFrame(schema=dict.fromkeys((key, column), pl.String))
    said = (compact(part.select(key, column).join(distinct, on=key, how="semi")) for part in parts)
    return pl.concat([nothing, *said]).unique(key, keep="any")


def _canonical(resolved: pl.DataFrame) -> pl.DataFrame:
    """A symmetric relation has one direction: from the smaller id to the greater."""
    turn = pl.col("predicate").is_in(_SYMMETRIC) & (pl.col("head_id") > pl.col("tail_id"))
    swapped = [
        pl.when(turn)
        .then(pl.col(f"{other}_{name}"))
        .otherwise(pl.col(f"{end}_{name}"))
        .alias(f"{end}_{name}")
        for end, other in (("head", "tail"), ("tail", "head"))
        for name in ("id", "text")
    ]
    return resolved.with_columns(swapped)


def _relations(evidence: pl.DataFrame) -> pl.DataFrame:
    support = evidence.group_by(_KEY).agg(
        pl.col("article_id").n_unique().cast(pl.Int32).alias("n_articles"),
        pl.len().cast(pl.Int32).alias("n_evidence"),
    )
    relations = beliefs(evidence, _KEY).join(support, on=_KEY).sort(_KEY)
    return relations.with_columns(
        relation_ids("asserted", relations),
        kind=pl.lit("asserted"),
        rule=pl.lit(""),
        premises=pl.lit([], dtype=pl.List(pl.String)),
        confidence=pl.col("confidence").cast(pl.Float32),
    ).select(empty_frame("relations").columns)
