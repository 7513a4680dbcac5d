"""Conclusions that need support: another neighbour that head and tail have in common, whose relations are premises too.

Of several neighbours the one with the surest relations is taken, of equals the first. Hubs support nothing.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl

from kg_pipeline.inference.coded import CodedRelations, Codes, Mask, Neighbours

#: Neighbours looked at in one batch.
_BATCH_NEIGHBOURS = 10_000_000


def supported(drawn: pl.DataFrame, coded: CodedRelations, near: Neighbours) -> pl.DataFrame:
    """Conclusions without those that need support and have none.

    Reads `needs_support` and `middle`, the neighbour that does not count, and has `third` and `fourth` in their place:
    the relations of head and tail with the neighbour that supports them, null where none is needed.
    """
    nothing = pl.lit(None, pl.UInt32)
    free = drawn.filter(~pl.col("needs_support")).with_columns(third=nothing, fourth=nothing)
    needing = drawn.filter("needs_support").with_row_index("pair")
    if needing.is_empty():
        return free.drop("middle", "needs_support")
    found = needing.join(_supports(needing, coded, near), on="pair", maintain_order="left")
    standing = found.with_columns(confidence=pl.min_horizontal("confidence", "sure")).drop("pair", "sure")
    return pl.concat([free, standing]).drop("middle", "needs_support")


def _supports(needing: pl.DataFrame, coded: CodedRelations, near: Neighbours) -> pl.DataFrame:
    """The support of each pair that has one."""
    head, tail, middle = (
        needing[column].to_numpy().astype(np.int64) for column in ("head_id", "tail_id", "middle")
    )
    # From the end that has fewer neighbours: the other one may be a hub.
    turned = near.counts(tail) < near.counts(head)
    few, many = np.where(turned, tail, head), np.where(turned, head, tail)
    batch = np.cumsum(near.counts(few)) // _BATCH_NEIGHBOURS
    borders = [0, *(np.flatnonzero(np.diff(batch)) + 1).tolist(), len(few)]
    parts = []
    for start, end in pairwise(borders):
        part = slice(start, end)
        pair, neighbour, first, second = near.common(few[part], many[part])
        others = neighbour != middle[part][pair]
        pair, neighbour, first, second = pair[others], neighbour[others], first[others], second[others]
        parts.append(_surest(pair + start, neighbour, turned[part][pair], first, second, coded))
    return pl.concat(parts)


def _surest(
    pair: Codes, neighbour: Codes, turned: Mask, first: Codes, second: Codes, coded: CodedRelations
) -> pl.DataFrame:
    return (
        pl.DataFrame(
            {
                "pair": pair.astype(np.uint32),
                "sure": np.minimum(coded.confidence[first], coded.confidence[second]),
                "neighbour": neighbour,
                "third": np.where(turned, second, first).astype(np.uint32),
                "fourth": np.where(turned, first, second).astype(np.uint32),
            }
        )
        .sort("pair", "sure", "neighbour", descending=[False, True, False])
        .unique("pair", keep="first", maintain_order=True)
        .drop("neighbour")
    )
