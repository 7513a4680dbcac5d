"""Relations by number, so that ten million of them fit into memory and meet each other within minutes.

The code of an entity is its place among the sorted ids, that of a predicate its place among the sorted names, and
that of a premise its place among the sorted relation ids. An order by code is therefore an order by name: what is
drawn, and which of two equals is kept, does not depend on the numbering.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from kg_pipeline.inference.relation_rows import PREMISE_COLUMNS, premises
from kg_pipeline.vocabulary.predicates import PREDICATES

Codes = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

PREDICATE_NAMES = tuple(sorted(PREDICATES))
_NOBODY = -1  # the code of an id that is not known


@dataclass(frozen=True, slots=True)
class PairSet:
    """Pairs of codes below `size`, as sorted keys."""

    keys: Codes
    size: int

    @classmethod
    def of(cls, firsts: Codes, seconds: Codes, size: int) -> PairSet:
        """The pairs, in both directions."""
        return cls(np.unique(np.concatenate([firsts * size + seconds, seconds * size + firsts])), size)

    def holds(self, firsts: Codes, seconds: Codes) -> Mask:
        """Which of the pairs are in the set."""
        wanted = firsts * self.size + seconds
        places = np.searchsorted(self.keys, wanted)
        found: Mask = np.zeros(len(wanted), np.bool_)
        inside = places < len(self.keys)
        found[inside] = self.keys[places[inside]] == wanted[inside]
        return found


@dataclass(frozen=True, slots=True)
class CodedRelations:
    """The relations that may be reasoned from, one array for each column; a premise's code is its row.

    `related` holds the pairs that some sentence relates, denies or doubts: there the texts have the word.
    """

    entity_ids: pl.Series
    relation_ids: pl.Series
    head: Codes
    predicate: Codes
    tail: Codes
    confidence: npt.NDArray[np.float64]
    related: PairSet

    @property
    def size(self) -> int:
        """Number of entities."""
        return len(self.entity_ids)

    def degrees(self) -> Codes:
        """Distinct neighbours of each entity, whichever way the relations point."""
        pairs = PairSet.of(self.head, self.tail, self.size)
        return np.bincount(pairs.keys // self.size, minlength=self.size).astype(np.int64)

    def named(self, candidates: pl.DataFrame) -> pl.DataFrame:
        """Candidates with ids in place of the codes in head_id, tail_id and the lists of premises."""
        ends = candidates.with_columns(
            self.entity_ids.gather(candidates[end]).alias(end) for end in ("head_id", "tail_id")
        )
        each = candidates.select("premises").with_row_index("row").explode("premises")
        lists = (
            each.with_columns(self.relation_ids.gather(each["premises"]).alias("premises"))
            .group_by("row", maintain_order=True)
            .agg("premises")
        )
        return ends.with_columns(lists["premises"])


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The surest relation of each entity with each neighbour that counts, in the order of both.

    `keys` say entity and neighbour; `rows` are premises.
    """

    keys: Codes
    rows: Codes
    size: int

    @classmethod
    def of(
        cls, coded: CodedRelations, *, hubs: Mask | None = None, entities: Codes | None = None
    ) -> Neighbours:
        """Those of some entities, or of all; hubs have neighbours and are none."""
        entity, near = np.concatenate([coded.head, coded.tail]), np.concatenate([coded.tail, coded.head])
        rows = np.tile(np.arange(len(coded.head)), 2)
        counts = np.ones(len(rows), np.bool_) if hubs is None else ~hubs[near]
        if entities is not None:
            counts &= np.isin(entity, entities)
        keys, rows = (entity * coded.size + near)[counts], rows[counts]
        order = np.lexsort((rows, -coded.confidence[rows], keys))
        keys, first = np.unique(keys[order], return_index=True)
        return cls(keys, rows[order[first]], coded.size)

    def counts(self, entities: Codes) -> Codes:
        """How many neighbours each entity has."""
        return self.ranges(entities)[1]

    def common(self, firsts: Codes, seconds: Codes) -> tuple[Codes, Codes, Codes, Codes]:
        """Neighbours in common: the pair, the neighbour, and the relations of the first and the second with it."""
        pair, place = expand(*self.ranges(firsts))
        neighbour = self.keys[place] % self.size
        wanted = seconds[pair] * self.size + neighbour
        other = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        found = self.keys[other] == wanted
        return pair[found], neighbour[found], self.rows[place[found]], self.rows[other[found]]

    def ranges(self, entities: Codes) -> tuple[Codes, Codes]:
        """Where the neighbours of each entity begin in `keys`, and how many they are."""
        start = np.searchsorted(self.keys, entities * self.size)
        return start, np.searchsorted(self.keys, (entities + 1) * self.size) - start


def code_relations(relations: pl.DataFrame) -> CodedRelations:
    """Number the asserted relations of a table; their entities are those of its premises."""
    stated = premises(relations.select(PREMISE_COLUMNS))
    entity_ids = entities_of(stated)
    asserted = relations.lazy().filter(pl.col("kind") == "asserted").select("head_id", "tail_id").collect()
    heads, tails = codes_of(asserted["head_id"], entity_ids), codes_of(asserted["tail_id"], entity_ids)
    known = (heads != _NOBODY) & (tails != _NOBODY)
    return CodedRelations(
        entity_ids=entity_ids,
        relation_ids=stated["relation_id"],
        head=codes_of(stated["head_id"], entity_ids),
        predicate=codes_of(stated["predicate"], pl.Series(PREDICATE_NAMES, dtype=pl.String)),
        tail=codes_of(stated["tail_id"], entity_ids),
        confidence=stated["confidence"].cast(pl.Float64).to_numpy(),
        related=PairSet.of(heads[known], tails[known], len(entity_ids)),
    )


def entities_of(stated: pl.DataFrame) -> pl.Series:
    """Ids of the entities that relations join, sorted."""
    return pl.concat([stated["head_id"], stated["tail_id"]]).unique().sort().alias("entity_id")


def codes_of(names: pl.Series, known: pl.Series) -> Codes:
    """The place of each name among the sorted known ones; -1 where it is not one of them."""
    codes = names.cast(pl.Enum(known), strict=False).to_physical().cast(pl.Int64)
    return codes.fill_null(_NOBODY).to_numpy().astype(np.int64, copy=False)


def expand(starts: Codes, counts: Codes) -> tuple[Codes, Codes]:
    """For ranges of places, the range that each place belongs to, and the places: the two sides of a join."""
    owners = np.repeat(np.arange(len(counts)), counts)
    offsets = np.cumsum(counts) - counts
    return owners, starts[owners] + np.arange(len(owners)) - offsets[owners]
