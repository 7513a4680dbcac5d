"""What all inferences share: relation ids, which relations may be premises, caps, and the shape of the tables."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from kg_pipeline.datasets import empty_frame
from kg_pipeline.fingerprint import short_digest

#: Decimals of a confidence: fewer than a float32 holds, so that the order of a product does not show.
DECIMALS = 6
#: What is read of relations that may be premises; the other columns of ten million take gigabytes.
PREMISE_COLUMNS = (
    "relation_id", "kind", "head_id", "predicate", "tail_id", "negated", "speculative", "confidence",
)  # fmt: skip


def relation_ids(kind: str, frame: pl.DataFrame) -> pl.Series:
    """Ids of relations: digests of kind, head, predicate, tail and polarity, in the order of the rows."""
    columns = frame.select("head_id", "predicate", "tail_id", "negated", "speculative")
    return pl.Series(
        "relation_id", [short_digest(kind, *row) for row in columns.iter_rows()], dtype=pl.String
    )


def premises(relations: pl.DataFrame) -> pl.DataFrame:
    """Asserted relations that may be reasoned from: stated, neither denied nor only suggested, not contested.

    A relation is contested where another sentence denies it outright; contradictions are shown, not built upon.
    """
    asserted = relations.filter(
        (pl.col("kind") == "asserted") & ~pl.col("speculative") & (pl.col("head_id") != pl.col("tail_id"))
    )
    denied = asserted.filter("negated").select("head_id", "predicate", "tail_id")
    return (
        asserted.filter(~pl.col("negated"))
        .join(denied, on=["head_id", "predicate", "tail_id"], how="anti")
        .sort("relation_id")
    )


def cap(candidates: pl.DataFrame, *, per_node: int | None, total: int) -> pl.DataFrame:
    """The surest candidates: for each head `per_node` of them, of these for each tail `per_node`, of these `total`.

    Ties are broken by head, tail and predicate, so the same candidates give the same result in any row order.
    """
    order = ["confidence", "head_id", "tail_id", "predicate"]
    kept = candidates.sort(order, descending=[True, False, False, False])
    if per_node is not None:
        for end in ("head_id", "tail_id"):
            kept = kept.filter(pl.int_range(pl.len()).over(end) < per_node)
    return kept.head(total)


def inferred_table(kind: str, candidates: pl.DataFrame, *, speculative: bool = False) -> pl.DataFrame:
    """A relations table of inferred relations from head_id, predicate, tail_id, confidence, premises and rule."""
    if candidates.is_empty():
        return empty_frame("relations")
    frame = candidates.with_columns(
        kind=pl.lit(kind),
        negated=pl.lit(False),
        speculative=pl.lit(speculative),
        n_articles=pl.lit(0, pl.Int32),
        n_evidence=pl.lit(0, pl.Int32),
        confidence=pl.col("confidence").cast(pl.Float32),
    )
    frame = frame.with_columns(relation_ids(kind, frame))
    return frame.select(empty_frame("relations").columns).sort("relation_id")


def candidates_frame(rows: Sequence[tuple[str, str, str, float, list[str], str]]) -> pl.DataFrame:
    """Candidates from (head, predicate, tail, confidence, premises, rule) tuples."""
    schema: dict[str, pl.DataType | type[pl.DataType]] = {
        "head_id": pl.String,
        "predicate": pl.String,
        "tail_id": pl.String,
        "confidence": pl.Float64,
        "premises": pl.List(pl.String),
        "rule": pl.String,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")
