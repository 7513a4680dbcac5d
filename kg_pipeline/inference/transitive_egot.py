"""Transitive relations by the published rule of eGoT (section 2.1): any two relations that meet give a third.

The rule looks at no predicate and knows no hub; one global cap bounds it. A graph with hubs has billions of such pairs,
so only those are made that can still be among the surest `max_total`: of the relations of an entity, ordered by
confidence, the i-th that comes in and the j-th that goes out are joined if fewer than that many pairs are surely
before them, and if they are as sure as what is kept already.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from kg_pipeline.inference.coded import CodedRelations, Codes, code_relations, expand
from kg_pipeline.inference.relation_rows import DECIMALS, cap, inferred_table
from kg_pipeline.inference.transitive import KIND

EGOT_RULE = "egot: any two relations that meet"
EGOT_PREDICATE = "related_to"
#: Pairs of relations in one batch.
_BATCH_PAIRS = 5_000_000
#: More than any two confidences differ by, and room for the last digit of a rounded one.
_APART, _MARGIN = 2.0, 10.0**-DECIMALS


def infer_egot(relations: pl.DataFrame, *, max_total: int) -> pl.DataFrame:
    """Compose any two relations that meet, as published; the surest `max_total` are kept.

    The conclusion says `related_to`, which is symmetric: one row for a pair, from the smaller id to the greater.
    """
    coded = code_relations(relations)
    kept = _nothing()
    if not coded.size or not max_total:
        return inferred_table(KIND, kept)
    incoming, outgoing = _Side.of(coded, coded.tail, coded.head), _Side.of(coded, coded.head, coded.tail)
    for start, end in incoming.batches(outgoing, max_total):
        least = float(kept["confidence"].min() or 0) if kept.height == max_total else 0.0  # type: ignore[arg-type]
        drawn = _pairs(coded, incoming, outgoing, (start, end), max_total, least)
        kept = cap(_distinct(pl.concat([kept, drawn])), per_node=None, total=max_total)
    named = coded.named(kept.with_columns(premises=pl.concat_list("first", "second")))
    return inferred_table(KIND, named.with_columns(predicate=pl.lit(EGOT_PREDICATE), rule=pl.lit(EGOT_RULE)))


@dataclass(frozen=True, slots=True)
class _Side:
    """The relations of each entity on one side, one for each neighbour, the surest first.

    `keys` are sorted and say entity and confidence; `start` is where the relations of each entity begin.
    """

    rows: Codes
    keys: npt.NDArray[np.float64]
    middle: Codes
    rank: Codes  # among the relations of its entity, from 0
    start: Codes

    @classmethod
    def of(cls, coded: CodedRelations, middles: Codes, others: Codes) -> _Side:
        order = np.lexsort((np.arange(len(middles)), -coded.confidence, others, middles))
        is_first = np.ones(len(order), np.bool_)
        is_first[1:] = (np.diff(middles[order]) != 0) | (np.diff(others[order]) != 0)
        best = order[is_first]
        rows = best[np.lexsort((best, -coded.confidence[best], middles[best]))]
        counts = np.bincount(middles[rows], minlength=coded.size)
        start = np.cumsum(counts) - counts
        middle = middles[rows]
        return cls(
            rows=rows,
            keys=middle * _APART + (1 - coded.confidence[rows]),
            middle=middle,
            rank=np.arange(len(rows)) - start[middle],
            start=start,
        )

    def count_from(self, middles: Codes, least: npt.NDArray[np.float64]) -> Codes:
        """How many relations of each entity are at least that sure."""
        ends = np.searchsorted(self.keys, middles * _APART + np.minimum(1 - least, 1) + _MARGIN, side="right")
        counts: Codes = np.maximum(ends - self.start[middles], 0)
        return counts

    def partners(self, outgoing: _Side, part: slice, max_total: int) -> Codes:
        """With how many of the outgoing relations each incoming one is joined at most.

        Of the pairs at least as sure as the i-th with the j-th, i * j are ordered; a pair of entities is met at most
        twice among them, and min(i, j) join an entity to itself.
        """
        middles = self.middle[part]
        all_of = np.append(outgoing.start[1:], len(outgoing.rows))[middles] - outgoing.start[middles]
        return np.minimum(all_of, 2 * max_total // np.maximum(self.rank[part], 1) + 1)

    def batches(self, outgoing: _Side, max_total: int) -> Iterator[tuple[int, int]]:
        """Ranges of incoming relations, each with about `_BATCH_PAIRS` pairs."""
        total = np.cumsum(self.partners(outgoing, slice(None), max_total))
        borders = np.flatnonzero(np.diff(total // _BATCH_PAIRS)) + 1
        yield from zip([0, *borders.tolist()], [*borders.tolist(), len(self.rows)], strict=True)


def _pairs(
    coded: CodedRelations,
    incoming: _Side,
    outgoing: _Side,
    part: tuple[int, int],
    max_total: int,
    least: float,
) -> pl.DataFrame:
    """Pairs of the incoming relations of one part that can be as sure as `least`."""
    chosen = slice(*part)
    rows, middles = incoming.rows[chosen], incoming.middle[chosen]
    counts = incoming.partners(outgoing, chosen, max_total)
    if least:
        counts = np.minimum(counts, outgoing.count_from(middles, least / coded.confidence[rows]))
    owner, place = expand(outgoing.start[middles], counts)
    first, second = rows[owner], outgoing.rows[place]
    head, tail = coded.head[first], coded.tail[second]
    apart = head != tail
    first, second, head, tail = first[apart], second[apart], head[apart], tail[apart]
    sure, surer = coded.confidence[first], coded.confidence[second]
    return pl.DataFrame(
        {
            "head_id": np.minimum(head, tail).astype(np.uint32),
            "tail_id": np.maximum(head, tail).astype(np.uint32),
            "confidence": np.minimum(np.round(sure * surer, DECIMALS), np.minimum(sure, surer)),
            "first": first.astype(np.uint32),
            "second": second.astype(np.uint32),
        }
    ).with_columns(predicate=pl.lit(0, pl.UInt8))


def _nothing() -> pl.DataFrame:
    return pl.DataFrame(
        schema={
            "head_id": pl.UInt32,
            "tail_id": pl.UInt32,
            "confidence": pl.Float64,
            "first": pl.UInt32,
            "second": pl.UInt32,
            "predicate": pl.UInt8,
        }
    )


def _distinct(drawn: pl.DataFrame) -> pl.DataFrame:
    """Each pair once, by its surest way."""
    ways = drawn.sort("confidence", "first", "second", descending=[True, False, False])
    return ways.unique(["head_id", "tail_id"], keep="first", maintain_order=True)
