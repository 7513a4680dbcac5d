"""From names, categories and parents in columns to the concept table, without holding more than its columns."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from kg_pipeline.errors import ModelError
from kg_pipeline.files import replacing
from kg_pipeline.schema import CONCEPTS
from kg_pipeline.vocabulary.sources.semantic_types import CATEGORY_OF_TYPE, RANK_OF_CATEGORY

MAX_NAMES = 1000


def category_of_types(semantic_type: pl.Expr) -> pl.Expr:
    """Biolink category of a semantic type (T047); null for those that stand for no entity of a graph."""
    return semantic_type.replace_strict(CATEGORY_OF_TYPE, default=None, return_dtype=pl.String)


def first_category(categories: pl.Expr) -> pl.Expr:
    """The category that comes first in the order of semantic types, within a group."""
    rank = categories.replace_strict(RANK_OF_CATEGORY, default=len(RANK_OF_CATEGORY), return_dtype=pl.Int32)
    return categories.sort_by(rank).first()


def write_concepts(concepts: pl.LazyFrame, path: Path, origin: str) -> int:
    """Write concepts (the columns of `CONCEPTS`, in any order) to a concept table; returns how many there are.

    Names are made distinct, the preferred one first; parents that are not in the table are left out; rows are in order
    of the identifier.

    Raises
    ------
    ModelError
        If there are no concepts, or an identifier stands in two rows.

    """
    plain = concepts.with_columns(
        names=pl.concat_list("name", "names")
        .list.eval(pl.element().str.strip_chars().filter(pl.element().str.strip_chars() != ""))
        .list.unique(maintain_order=True)
        .list.head(MAX_NAMES),
        parents=pl.col("parents").list.eval(pl.element().drop_nulls().filter(pl.element() != "")),
    ).select(CONCEPTS.names)
    table = plain.sort("concept_id").collect(engine="streaming")
    if table.is_empty():
        raise ModelError(f"{origin} gives no concepts. Check its sources, levels and categories.")
    repeated = table["concept_id"].filter(table["concept_id"].is_duplicated())
    if len(repeated):
        raise ModelError(
            f"{origin} has the identifier {repeated[0]!r} in two rows. Put their names into one row."
        )
    known = (
        table.lazy()
        .select("concept_id", parent="parents")
        .explode("parent")
        .drop_nulls()
        .join(table.lazy().select(parent="concept_id"), on="parent", how="semi")
        .filter(pl.col("parent") != pl.col("concept_id"))
        .group_by("concept_id")
        .agg(parents=pl.col("parent").unique().sort())
    )
    whole = (
        table.lazy()
        .drop("parents")
        .join(known, on="concept_id", how="left", maintain_order="left")
        .with_columns(pl.col("parents").fill_null([]))
        .select(CONCEPTS.names)
        .collect(engine="streaming")
    )
    with replacing(path) as aside:
        whole.write_parquet(aside, compression="zstd")
    return whole.height
