"""Candidates by vectors of names: each of the two is related to something that the other one is like.

`a` and `b` are a candidate if a relation joins `b` with an entity of a's kind whose name lies near a's, and another
one joins `a` with an entity of b's kind whose name lies near b's: "risperidone" and "dyskinesia", if "haloperidol" is
related to "dyskinesia" and "risperidone" to "akathisia". Both relations are premises, so each end has its quotes. The
score is the product of the two cosines. Nearness of the two themselves says nothing: of the 120 pairs of BioRED that
are nearest in an embedding of the graph one was annotated, of the 132 nearest by their names three.

Cosines are those of vectors rounded to whole numbers, small enough for sums of their products to be exact in single
precision: the same on any machine, in any order and by any number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from kg_pipeline.inference.coded import Neighbours, expand
from kg_pipeline.inference.relation_rows import DECIMALS
from kg_pipeline.inference.support import supported
from kg_pipeline.vocabulary.categories import OTHER, VARIANT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kg_pipeline.inference.coded import CodedRelations, Codes, Mask
    from kg_pipeline.inference.groups import Grouping

#: Entities whose names are compared, first the best connected that are no hubs: the time grows with their square.
MOST_NAMES = 32_768
#: Names looked at beside one, the nearest, and how near they have to be.
_NEAREST, _LEAST_COSINE = 10, 0.4
#: Least score, and that of two that have a neighbour in common besides.
_LEAST_SCORE, _LEAST_SCORE_MET = 0.45, 0.3
#: Share of its least sure premise that a candidate is sure of, without and with that neighbour; what it says is about the
#: share of BioRED that is found again where no name is the very same (of orthologues it often is).
_FACTOR, _FACTOR_MET = 0.3, 0.4
#: Candidates of an entity whose neighbours in common are looked for.
_LOOKED_AT = 20
#: Names of variants are numbers, and what is of no kind is like nothing.
_SAYING_NOTHING = (VARIANT, OTHER)
#: Greatest whole number of a vector: 384 products of two of them stay below 2 ** 24.
_LARGEST = 127
#: Cosines, and pairs, held at a time.
_BLOCK_ENTRIES = 4_000_000
_NOBODY = -1  # in place of a neighbour that would not count as support


@dataclass(frozen=True, slots=True)
class _Alike:
    """Entities with the others of their kind whose names are near, in the order of the entities."""

    entity: Codes
    other: Codes
    cosine: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Drawn:
    """Ordered pairs: the first is like `other`, which relation `row` joins with the second. Sorted by `key`."""

    key: Codes  # first * size + second
    cosine: npt.NDArray[np.float64]
    other: Codes
    row: Codes


def near_name_candidates(
    coded: CodedRelations,
    grouping: Grouping,
    kinds: npt.NDArray[np.str_],
    near: Neighbours,
    vectors: pl.LazyFrame,
    *,
    hub_degree: int,
) -> pl.DataFrame:
    """Pairs across communities and kinds that no sentence relates, with confidence and premises.

    `vectors` holds `id` and `vector` of entities; those without take no part. Nothing is concluded from what a hub is
    related to. `like_head` and `like_tail` are the entities that head and tail are like. Columns of entities and
    relations hold their codes.
    """
    is_hub = grouping.degree > hub_degree
    entities, rows = _vectors_of(_compared(grouping, kinds, is_hub), coded.entity_ids, vectors)
    alike = _alike(entities, rows, kinds, is_hub)
    drawn = _drawn(alike, coded, grouping, kinds)
    turned = drawn.key % coded.size * coded.size + drawn.key // coded.size
    place = np.minimum(np.searchsorted(drawn.key, turned), max(len(drawn.key) - 1, 0))
    both = (drawn.key < turned) & (drawn.key[place] == turned)
    head, tail = np.divmod(drawn.key[both], coded.size)
    back = place[both]
    score = np.round(drawn.cosine[both] * drawn.cosine[back], DECIMALS)
    pairs = pl.DataFrame(
        {
            "head_id": head.astype(np.uint32),
            "tail_id": tail.astype(np.uint32),
            "score": score,
            "confidence": np.minimum(coded.confidence[drawn.row[both]], coded.confidence[drawn.row[back]]),
            "first": drawn.row[both].astype(np.uint32),
            "second": drawn.row[back].astype(np.uint32),
            "like_head": drawn.other[both].astype(np.uint32),
            "like_tail": drawn.other[back].astype(np.uint32),
            "needs_support": score < _LEAST_SCORE,
            "middle": np.full(len(score), _NOBODY),
        }
    )
    best = (
        pairs.filter(pl.col("score") >= _LEAST_SCORE_MET)
        .sort("head_id", "score", "tail_id", descending=[False, True, False])
        .filter(pl.int_range(pl.len()).over("head_id") < _LOOKED_AT)
    )
    factor = pl.when(pl.col("third").is_null()).then(_FACTOR).otherwise(_FACTOR_MET)
    return supported(best, coded, near).select(
        "head_id",
        "tail_id",
        pl.lit(0, pl.UInt8).alias("predicate"),
        (pl.col("confidence") * factor).round(DECIMALS).alias("confidence"),
        pl.concat_list("first", "second", "third", "fourth")
        .list.drop_nulls()
        .list.unique(maintain_order=True)
        .alias("premises"),
        "like_head",
        "like_tail",
    )


def _compared(grouping: Grouping, kinds: npt.NDArray[np.str_], is_hub: Mask) -> Codes:
    able = np.flatnonzero(~np.isin(kinds, _SAYING_NOTHING))
    best = able[np.lexsort((able, -grouping.degree[able], is_hub[able]))][:MOST_NAMES]
    return np.sort(best)


def _vectors_of(
    compared: Codes, entity_ids: pl.Series, vectors: pl.LazyFrame
) -> tuple[Codes, npt.NDArray[np.float32]]:
    """Entities that have a vector, in order, and their vectors in whole numbers."""
    wanted = pl.LazyFrame({"id": entity_ids.gather(compared), "code": compared})
    found = (
        vectors.join(wanted, on="id")
        .select("code", "vector")
        .collect(engine="streaming")
        .unique("code", keep="any")
        .sort("code")
    )
    rows = found["vector"].to_numpy()
    largest = np.abs(rows).max(axis=1, initial=0.0)
    told = largest > 0
    whole = np.rint(rows[told] * (_LARGEST / largest[told])[:, None]).astype(np.float32)
    return found["code"].to_numpy()[told], whole


def _alike(
    entities: Codes, vectors: npt.NDArray[np.float32], kinds: npt.NDArray[np.str_], is_hub: Mask
) -> _Alike:
    length = np.sqrt((vectors.astype(np.float64) ** 2).sum(axis=1))
    parts = [
        part
        for kind in np.unique(kinds[entities]).tolist()
        for part in _alike_of_kind(np.flatnonzero(kinds[entities] == kind), vectors, length, is_hub[entities])
    ]
    first, second, cosine = (
        np.concatenate([part[i] for part in parts]) if parts else np.zeros(0, np.int64) for i in range(3)
    )
    order = np.lexsort((second, first))
    return _Alike(entities[first[order]], entities[second[order]], cosine[order])


def _alike_of_kind(
    members: Codes, vectors: npt.NDArray[np.float32], length: npt.NDArray[np.float64], is_hub: Mask
) -> Iterator[tuple[Codes, Codes, npt.NDArray[np.float64]]]:
    """The `_NEAREST` others of each member that are near enough and no hubs, some members at a time."""
    rows = max(_BLOCK_ENTRIES // len(members), 1)
    own = vectors[members]
    for start in range(0, len(members), rows):
        block = members[start : start + rows]
        cosines = own[start : start + rows] @ own.T / np.outer(length[block], length[members])
        cosines[np.arange(len(block)), np.arange(start, start + len(block))] = 0.0
        cosines[:, is_hub[members]] = 0.0
        first, second = np.nonzero(cosines >= _LEAST_COSINE)
        cosine = np.round(cosines[first, second], DECIMALS)
        order = np.lexsort((second, -cosine, first))
        first, second, cosine = first[order], second[order], cosine[order]
        rank = np.arange(len(first)) - np.searchsorted(first, first)
        kept = rank < _NEAREST
        yield block[first[kept]], members[second[kept]], cosine[kept]


def _drawn(alike: _Alike, coded: CodedRelations, grouping: Grouping, kinds: npt.NDArray[np.str_]) -> _Drawn:
    near = Neighbours.of(coded, entities=np.unique(alike.other))
    starts, counts = near.ranges(alike.other)
    parts = []
    for part in _blocks(alike.entity, counts):
        owner, place = expand(starts[part], counts[part])
        first, second = alike.entity[part][owner], near.keys[place] % coded.size
        fits = _fits(first, second, coded, grouping, kinds)
        owner, place, first, second = owner[fits], place[fits], first[fits], second[fits]
        key, cosine, other = (
            first * coded.size + second,
            alike.cosine[part][owner],
            alike.other[part][owner],
        )
        order = np.lexsort((other, -cosine, key))
        best = order[np.unique(key[order], return_index=True)[1]]
        parts.append((key[best], cosine[best], other[best], near.rows[place[best]]))
    if not parts:
        nothing = np.zeros(0, np.int64)
        return _Drawn(nothing, np.zeros(0), nothing, nothing)
    return _Drawn(*(np.concatenate([part[i] for part in parts]) for i in range(4)))


def _blocks(entities: Codes, counts: Codes) -> Iterator[slice]:
    """Slices of about `_BLOCK_ENTRIES` pairs that part no entity."""
    if not len(entities):
        return
    first_of = np.searchsorted(entities, entities)
    reached = np.cumsum(counts)[first_of] // _BLOCK_ENTRIES
    borders = np.flatnonzero(np.diff(reached)) + 1
    for start, end in pairwise([0, *borders.tolist(), len(entities)]):
        yield slice(start, end)


def _fits(
    first: Codes, second: Codes, coded: CodedRelations, grouping: Grouping, kinds: npt.NDArray[np.str_]
) -> Mask:
    """Whether the two are of different kinds and communities, and no sentence speaks of them together."""
    fits: Mask = (kinds[first] != kinds[second]) & (grouping.group[first] != grouping.group[second])
    fits[fits] = ~coded.related.holds(first[fits], second[fits])
    return fits
