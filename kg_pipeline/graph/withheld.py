"""What licences let a version hold (rule 7 of the design): asked when a version is made and when it is verified."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from kg_pipeline.graph.layout import TABLE_KEYS
from kg_pipeline.rights import Level, RightsPolicy

#: What is withheld of a table, and the levels that keep it.
KEPT: Mapping[tuple[str, str], tuple[Level, ...]] = {
    ("documents", "text"): ("text",),
    ("chunks", "text"): ("text",),
    ("evidence", "quote"): ("text", "quote"),
}


def withheld_problems(
    rights: RightsPolicy, tables: Mapping[str, pl.DataFrame]
) -> Iterator[tuple[str, str, pl.Series]]:
    """What a version holds against its policy: table, column and the ids of the rows."""
    levels = tables["documents"].select("article_id", level=_level_of(rights))
    for (name, column), kept in KEPT.items():
        key = TABLE_KEYS[name]
        joined = tables[name].join(levels, on="article_id", how="left")
        wrong = joined.filter(~pl.col("level").is_in(kept) & (pl.col(column) != ""))[key]
        if len(wrong):
            yield name, column, wrong


def _level_of(rights: RightsPolicy) -> pl.Expr:
    """The level of each row of `documents`."""
    known = {name: rights.level(name) for name in type(rights).model_fields}
    return pl.col("license_class").replace_strict(known, default=rights.unknown, return_dtype=pl.String)
