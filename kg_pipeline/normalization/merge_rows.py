"""The rows of `merges`: every name that went to an entity of another name, with the rule that brought it there."""

from __future__ import annotations

import polars as pl

from kg_pipeline.normalization.adjudication import ADJUDICATION_SCORE, LLM_ADJUDICATION
from kg_pipeline.normalization.egot import stem_score
from kg_pipeline.normalization.pinning import USER_DECISION
from kg_pipeline.normalization.standardise import (
    ABBREVIATION,
    EGOT_STEM,
    SAME_CONCEPT,
    SPELLING_SCORE,
    SPELLING_VARIANT,
)

ABBREVIATION_SCORE = 0.9


def merge_rows(entities: pl.DataFrame, seen: pl.DataFrame, *, is_egot: bool) -> pl.DataFrame:
    """Rows of `merges`.

    Parameters
    ----------
    entities
        `entity_id` and the `name` of each.
    seen
        How each is named in the articles: `entity_id`, `text`, `normal_form`, `concept_id`, `decided` (the rule of a decision
        from outside of the rules, or empty), `evidence` and `score`.
    is_egot
        Whether the published rules standardised, which score by the shared stem.

    """
    short = seen.filter(pl.col("text") != pl.col("normal_form")).select(
        "entity_id",
        name_b="text",
        rule=pl.lit(ABBREVIATION),
        score=pl.lit(ABBREVIATION_SCORE, pl.Float32),
        evidence="evidence",
    )
    by_concept = pl.col("concept_id") == pl.col("entity_id")
    full = seen.select(
        "entity_id",
        name_b="normal_form",
        rule=pl.when(pl.col("decided") != "")
        .then("decided")
        .when(by_concept)
        .then(pl.lit(SAME_CONCEPT))
        .otherwise(pl.lit(EGOT_STEM if is_egot else SPELLING_VARIANT)),
        score=pl.when(pl.col("decided") == USER_DECISION)
        .then(pl.lit(1.0, pl.Float32))
        .when(pl.col("decided") == LLM_ADJUDICATION)
        .then(pl.lit(ADJUDICATION_SCORE, pl.Float32))
        .when(by_concept)
        .then(pl.col("score"))
        .otherwise(pl.lit(SPELLING_SCORE, pl.Float32)),
        evidence=pl.when(by_concept).then(pl.col("concept_id")).otherwise(pl.col("evidence")),
    )
    named = pl.concat([full, short]).join(entities.select("entity_id", name_a="name"), on="entity_id")
    rows = (
        _by_way_of_the_name(named)
        .filter(pl.col("name_a") != pl.col("name_b"))
        .sort(
            "entity_id",
            "name_b",
            "rule",
            pl.col("score"),
            "evidence",
            descending=[False, False, False, True, False],
        )
        .unique(["entity_id", "name_b", "rule"], keep="first", maintain_order=True)
    )
    if is_egot:
        rows = pl.concat(
            [rows.filter(pl.col("rule") != EGOT_STEM), _stem_scored(rows.filter(rule=EGOT_STEM))]
        ).sort("entity_id", "name_b", "rule")
    return rows.select("entity_id", "name_a", "name_b", "rule", "score", "evidence")


def _stem_scored(rows: pl.DataFrame) -> pl.DataFrame:
    pairs = zip(rows["name_a"], rows["name_b"], strict=True)
    return rows.with_columns(score=pl.Series([stem_score(a, b) for a, b in pairs], dtype=pl.Float32))


def _by_way_of_the_name(named: pl.DataFrame) -> pl.DataFrame:
    """Where the name of an entity is not of its concept itself, what brought it there joins it to the names that are."""
    first = named.filter(pl.col("name_a") == pl.col("name_b")).sort(
        "entity_id", pl.col("rule") != SAME_CONCEPT, "rule", "evidence"
    )
    brought = first.unique("entity_id", keep="first", maintain_order=True).filter(
        ~pl.col("rule").is_in([SAME_CONCEPT, ABBREVIATION])
    )
    columns = ["rule", "score", "evidence"]
    joined = named.join(
        brought.select("entity_id", *(pl.col(one).alias(f"{one}_of_name") for one in columns)),
        on="entity_id",
        how="left",
    )
    is_brought = (pl.col("rule") == SAME_CONCEPT) & pl.col("rule_of_name").is_not_null()
    return joined.with_columns(
        pl.when(is_brought).then(f"{one}_of_name").otherwise(one).alias(one) for one in columns
    )
