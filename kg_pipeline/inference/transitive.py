"""Transitive relations: two asserted relations that meet in an entity, composed once.

`typed` follows the table of `kg_pipeline.inference.composition`, skips hubs and pairs that a text already relates,
draws nothing where one way leads to a rise and another one to a fall, and keeps the surest few of each entity. `egot` is the published rule of eGoT (section 2.1): any two relations that
meet give a third, whatever they say, up to one global cap.

Composition is a join, not a walk: chains of any length and cycles are met without recursion. Joins run over batches
of meeting entities, so that memory is bounded by `_BATCH_PAIRS` and the caps.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from kg_pipeline.inference.composition import THROUGH, rule_frame
from kg_pipeline.inference.relation_rows import DECIMALS, candidates_frame, cap, inferred_table, premises
from kg_pipeline.vocabulary.categories import group_of
from kg_pipeline.vocabulary.domains import fits

KIND = "transitive"
EGOT_RULE = "egot: any two relations that meet"
EGOT_PREDICATE = "related_to"
_RISE_AND_FALL = ("increases", "decreases")
#: Pairs of premises held at a time.
_BATCH_PAIRS = 2_000_000
_COLUMNS = ["head_id", "predicate", "tail_id", "confidence", "premises", "rule"]


def infer_typed(
    relations: pl.DataFrame,
    categories: dict[str, str],
    *,
    hub_degree: int,
    max_per_node: int,
    max_total: int,
) -> pl.DataFrame:
    """Compose by the table; a conclusion is never surer than its less sure premise and lists both.

    Parameters
    ----------
    relations
        Relations table; only `premises` of it are composed.
    categories
        Biolink category of each entity; a conclusion whose predicate cannot relate its two ends is not drawn.
    hub_degree
        Entities with more distinct neighbours than this are not composed through.
    max_per_node
        Conclusions kept for an entity as head, and as tail.
    max_total
        Conclusions kept in all.

    """
    stated = premises(relations)
    through = stated.join(_hubs(stated, hub_degree), left_on="tail_id", right_on="id", how="anti")
    rules = rule_frame()
    related = _related_pairs(relations)
    may_meet = _may_meet(categories)
    kept = candidates_frame([])
    for batch in _meeting_batches(through, stated):
        drawn = (
            batch.join(rules, on=["first", "second"])
            .with_columns(
                confidence=_at_most_least(pl.col("confidence") * pl.col("factor")),
                predicate=pl.col("conclusion"),
            )
            .filter(may_meet & (pl.col("head_id") != pl.col("tail_id")))
            .join(related, on=["head_id", "tail_id"], how="anti")
        )
        fitting = _fitting(drawn.select(_COLUMNS), categories)
        kept = _best_of_head(pl.concat([kept, fitting]), max_per_node)
    agreed = _without_contradictions(kept)
    return inferred_table(KIND, cap(agreed, per_node=max_per_node, total=max_total))


def infer_egot(relations: pl.DataFrame, *, max_total: int) -> pl.DataFrame:
    """Compose any two relations that meet, as published; the surest `max_total` are kept.

    The conclusion says `related_to`, which is symmetric: one row for a pair, from the smaller id to the greater.
    """
    stated = premises(relations)
    kept = candidates_frame([])
    for batch in _meeting_batches(stated, stated):
        drawn = batch.filter(pl.col("head_id") != pl.col("tail_id")).with_columns(
            head_id=pl.min_horizontal("head_id", "tail_id"),
            tail_id=pl.max_horizontal("head_id", "tail_id"),
            predicate=pl.lit(EGOT_PREDICATE),
            rule=pl.lit(EGOT_RULE),
            confidence=_at_most_least(pl.col("confidence")),
        )
        kept = cap(_distinct(pl.concat([kept, drawn.select(_COLUMNS)])), per_node=None, total=max_total)
    return inferred_table(KIND, kept)


def _meeting_batches(firsts: pl.DataFrame, seconds: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Pairs (a, first, b), (b, second, c) in batches, with the product of their confidences and both ids."""
    columns = [pl.col("confidence").cast(pl.Float64), pl.col("relation_id")]
    left = firsts.sort("tail_id", "relation_id").select(
        "head_id", pl.col("predicate").alias("first"), pl.col("tail_id").alias("middle"), *columns
    )
    right = seconds.sort("head_id", "relation_id").select(
        pl.col("head_id").alias("middle"), pl.col("predicate").alias("second"), "tail_id", *columns
    )
    degrees = right.group_by("middle").len("out")
    outs = left.join(degrees, on="middle", how="left", maintain_order="left")["out"].fill_null(0)
    batch_of = np.cumsum(outs.to_numpy().astype(np.int64)) // _BATCH_PAIRS
    borders = np.flatnonzero(np.diff(batch_of)) + 1
    for start, end in zip([0, *borders.tolist()], [*borders.tolist(), left.height], strict=True):
        if start == end:
            continue
        pairs = left.slice(start, end - start).join(right, on="middle", suffix="_right")
        yield pairs.with_columns(
            confidence=pl.col("confidence") * pl.col("confidence_right"),
            least=pl.min_horizontal("confidence", "confidence_right"),
            premises=pl.concat_list("relation_id", "relation_id_right"),
        )


def _at_most_least(confidence: pl.Expr) -> pl.Expr:
    """The confidence rounded, yet never above the less sure premise."""
    return pl.min_horizontal(confidence.round(DECIMALS), pl.col("least"))


def _hubs(stated: pl.DataFrame, hub_degree: int) -> pl.DataFrame:
    """Entities with more distinct neighbours than `hub_degree`."""
    ends = pl.concat(
        [
            stated.select(pl.col("head_id").alias("id"), pl.col("tail_id").alias("other")),
            stated.select(pl.col("tail_id").alias("id"), pl.col("head_id").alias("other")),
        ]
    )
    degrees = ends.group_by("id").agg(pl.col("other").n_unique().alias("degree"))
    return degrees.filter(pl.col("degree") > hub_degree).select("id")


def _related_pairs(relations: pl.DataFrame) -> pl.DataFrame:
    """Pairs, in both directions, that some sentence relates, denies or doubts: there the texts have the word."""
    asserted = relations.filter(pl.col("kind") == "asserted")
    return pl.concat(
        [
            asserted.select("head_id", "tail_id"),
            asserted.select(pl.col("tail_id").alias("head_id"), pl.col("head_id").alias("tail_id")),
        ]
    ).unique()


def _may_meet(categories: dict[str, str]) -> pl.Expr:
    """Whether the entity in the middle is of a kind through which the rule composes."""
    allowed = pl.lit(value=True)
    for name, groups in sorted(THROUGH.items()):
        others = sorted(each for each, category in categories.items() if group_of(category) not in groups)
        is_other = pl.col("middle").is_in(pl.Series([others], dtype=pl.List(pl.String)))
        allowed = allowed & ~((pl.col("through") == name) & is_other)
    return allowed


def _without_contradictions(candidates: pl.DataFrame) -> pl.DataFrame:
    """Conclusions without those of pairs that are both said to rise and to fall."""
    signed = pl.col("predicate").is_in(_RISE_AND_FALL)
    contested = (
        candidates.filter(signed)
        .group_by("head_id", "tail_id")
        .agg(pl.col("predicate").n_unique().alias("signs"))
        .filter(pl.col("signs") > 1)
    )
    agreed = candidates.filter(signed).join(contested, on=["head_id", "tail_id"], how="anti")
    return pl.concat([candidates.filter(~signed), agreed])


def _fitting(drawn: pl.DataFrame, categories: dict[str, str]) -> pl.DataFrame:
    """Conclusions whose predicate can relate the categories of their ends."""
    with_categories = drawn.with_columns(
        head_category=pl.col("head_id").replace_strict(categories, default="", return_dtype=pl.String),
        tail_category=pl.col("tail_id").replace_strict(categories, default="", return_dtype=pl.String),
    )
    kinds = ["predicate", "head_category", "tail_category"]
    met = with_categories.select(kinds).unique()
    fitting = pl.Series([fits(*row) for row in met.iter_rows()], dtype=pl.Boolean)
    return with_categories.join(met.filter(fitting), on=kinds, how="semi").select(_COLUMNS)


def _distinct(candidates: pl.DataFrame) -> pl.DataFrame:
    """Each conclusion once, by its surest derivation."""
    ordered = candidates.sort(
        pl.col("confidence"), pl.col("premises").list.join(" "), descending=[True, False]
    )
    return ordered.unique(["head_id", "predicate", "tail_id"], keep="first", maintain_order=True)


def _best_of_head(candidates: pl.DataFrame, max_per_node: int) -> pl.DataFrame:
    """What can still be kept: a conclusion outside of the best of its head now is outside of them at the end."""
    order = ["confidence", "head_id", "tail_id", "predicate"]
    kept = _distinct(candidates).sort(order, descending=[True, False, False, False])
    return kept.filter(pl.int_range(pl.len()).over("head_id") < max_per_node)
