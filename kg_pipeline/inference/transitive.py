"""Transitive relations: two asserted relations that meet in an entity, composed once.

Conclusions follow the table of `kg_pipeline.inference.composition`. Hubs are not composed through, a pair that a text
already relates is left to the text, nothing is drawn where one way leads to a rise and another one to a fall, and the
surest few of each entity are kept. The published rule of eGoT is in `kg_pipeline.inference.transitive_egot`.

Composition is a join, not a walk: chains of any length and cycles are met without recursion. It runs over batches of
heads, so that memory is bounded by `_BATCH_PAIRS`, by what one entity's relations meet in entities that are no hubs,
and by the caps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from kg_pipeline.inference.coded import (
    PREDICATE_NAMES,
    CodedRelations,
    Codes,
    Mask,
    Neighbours,
    code_relations,
    codes_of,
    expand,
)
from kg_pipeline.inference.composition import THROUGH, OnDisorders, rule_frame
from kg_pipeline.inference.relation_rows import DECIMALS, cap, inferred_table
from kg_pipeline.inference.support import supported
from kg_pipeline.vocabulary.categories import DISORDER, group_of
from kg_pipeline.vocabulary.domains import fits

KIND = "transitive"
_RISE_AND_FALL = tuple(PREDICATE_NAMES.index(name) for name in ("increases", "decreases"))
#: Pairs of relations that meet, whatever their predicates, in one batch.
_BATCH_PAIRS = 10_000_000


def infer_typed(
    relations: pl.DataFrame,
    categories: Mapping[str, str],
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
    coded = code_relations(relations)
    if not coded.size:
        return inferred_table(KIND, pl.DataFrame())
    rules = _Rules.load()
    kinds = _Kinds.of(coded, categories)
    index = _Outgoing.of(coded)
    is_hub = coded.degrees() > hub_degree
    near = Neighbours.of(coded, hubs=is_hub)
    kept = [
        _best_of_head(supported(_without_contradictions(drawn), coded, near), max_per_node)
        for firsts in _batches(coded, index, rules, is_hub)
        if (drawn := _conclusions(coded, index, rules, kinds, firsts)).height
    ]
    if not kept:
        return inferred_table(KIND, pl.DataFrame())
    chosen = cap(pl.concat(kept), per_node=max_per_node, total=max_total)
    return inferred_table(KIND, _named(chosen, coded, rules))


@dataclass(frozen=True, slots=True)
class _Rules:
    """The composition rules, sorted by their first predicate; `start` and `count` are by predicate."""

    second: Codes
    conclusion: Codes
    factor: npt.NDArray[np.float64]
    through: tuple[str, ...]
    on_disorders: tuple[str, ...]
    names: pl.Series
    start: Codes
    count: Codes

    @classmethod
    def load(cls) -> _Rules:
        frame = rule_frame().sort("first", "second")
        known = pl.Series(PREDICATE_NAMES, dtype=pl.String)
        first, second, conclusion = (
            codes_of(frame[column], known) for column in ("first", "second", "conclusion")
        )
        count = np.bincount(first, minlength=len(PREDICATE_NAMES)).astype(np.int64)
        return cls(
            second=second,
            conclusion=conclusion,
            factor=frame["factor"].to_numpy(),
            through=tuple(frame["through"]),
            on_disorders=tuple(frame["on_disorders"]),
            names=frame["rule"],
            start=np.cumsum(count) - count,
            count=count,
        )

    def are(self, rule: Codes, on_disorders: OnDisorders) -> Mask:
        """Which of the rules say that of disorders."""
        return np.array([each == on_disorders for each in self.on_disorders], np.bool_)[rule]


@dataclass(frozen=True, slots=True)
class _Kinds:
    """What the categories of the entities allow.

    `fitting[conclusion, head category, tail category]` tells which conclusions can be; `passes` which entities pass on
    what they are part of, for each way of `THROUGH`.
    """

    category: Codes
    fitting: Mask
    passes: dict[str, Mask]
    is_disorder: Mask

    @classmethod
    def of(cls, coded: CodedRelations, categories: Mapping[str, str]) -> _Kinds:
        own = [categories.get(each, "") for each in coded.entity_ids]
        known = sorted(set(own))
        fitting = np.array(
            [[[fits(name, head, tail) for tail in known] for head in known] for name in PREDICATE_NAMES],
            dtype=np.bool_,
        )
        category = codes_of(pl.Series(own, dtype=pl.String), pl.Series(known, dtype=pl.String))
        groups = [group_of(each) for each in known]
        passes: dict[str, Mask] = {
            name: np.array([group in allowed for group in groups], np.bool_)[category]
            for name, allowed in THROUGH.items()
        }
        is_disorder: Mask = np.array([group == DISORDER for group in groups], np.bool_)[category]
        return cls(category, fitting, passes, is_disorder)


@dataclass(frozen=True, slots=True)
class _Outgoing:
    """Rows of relations in the order of their head and predicate, with `keys` that say both."""

    rows: Codes
    keys: Codes

    @classmethod
    def of(cls, coded: CodedRelations) -> _Outgoing:
        keys = coded.head * len(PREDICATE_NAMES) + coded.predicate
        rows = np.argsort(keys, kind="stable")
        return cls(rows, keys[rows])

    def ranges(self, heads: Codes, predicates: Codes) -> tuple[Codes, Codes]:
        """Where the relations of each head and predicate begin, and how many they are."""
        wanted = heads * len(PREDICATE_NAMES) + predicates
        start = np.searchsorted(self.keys, wanted, side="left")
        return start, np.searchsorted(self.keys, wanted, side="right") - start


def _batches(coded: CodedRelations, index: _Outgoing, rules: _Rules, is_hub: Mask) -> Iterator[Codes]:
    """Rows of relations that may come first, by head; no head is in two batches."""
    rows = index.rows[rules.count[coded.predicate[index.rows]] > 0]
    rows = rows[~is_hub[coded.tail[rows]]]
    if not len(rows):
        return
    heads = coded.head[rows]
    outs = np.bincount(coded.head, minlength=coded.size)[coded.tail[rows]]
    ends = np.append(np.flatnonzero(np.diff(heads)) + 1, len(rows))  # of the relations of each head
    batch = np.cumsum(outs)[ends - 1] // _BATCH_PAIRS
    borders = ends[np.append(np.flatnonzero(np.diff(batch)), len(ends) - 1)]
    start = 0
    for end in borders.tolist():
        yield rows[start:end]
        start = end


def _conclusions(
    coded: CodedRelations, index: _Outgoing, rules: _Rules, kinds: _Kinds, firsts: Codes
) -> pl.DataFrame:
    """What follows from these relations and those that they meet, each conclusion by each of its ways."""
    predicates = coded.predicate[firsts]
    owner, rule = expand(rules.start[predicates], rules.count[predicates])
    first = firsts[owner]
    passes = _passes(coded.tail[first], rule, rules, kinds)
    first, rule = first[passes], rule[passes]
    owner, place = expand(*index.ranges(coded.tail[first], rules.second[rule]))
    first, rule, second = first[owner], rule[owner], index.rows[place]
    head, tail, conclusion = coded.head[first], coded.tail[second], rules.conclusion[rule]
    kept = (head != tail) & kinds.fitting[conclusion, kinds.category[head], kinds.category[tail]]
    on_disorder = kinds.is_disorder[tail]
    kept &= ~coded.related.holds(head, tail) & ~(on_disorder & rules.are(rule, "never"))
    needs_support = (on_disorder & rules.are(rule, "supported"))[kept]
    first, second, rule = first[kept], second[kept], rule[kept]
    sure, surer = coded.confidence[first], coded.confidence[second]
    return pl.DataFrame(
        {
            "head_id": head[kept].astype(np.uint32),
            "predicate": conclusion[kept].astype(np.uint8),
            "tail_id": tail[kept].astype(np.uint32),
            "confidence": np.minimum(
                np.round(sure * surer * rules.factor[rule], DECIMALS), np.minimum(sure, surer)
            ),
            "first": first.astype(np.uint32),
            "second": second.astype(np.uint32),
            "rule": rule.astype(np.uint16),
            "middle": coded.tail[first].astype(np.uint32),
            "needs_support": needs_support,
        }
    )


def _passes(middles: Codes, rule: Codes, rules: _Rules, kinds: _Kinds) -> Mask:
    """Whether each entity in the middle is of a kind through which its rule composes."""
    passes: Mask = np.ones(len(rule), np.bool_)
    for name, allowed in kinds.passes.items():
        needs = np.array([through == name for through in rules.through], np.bool_)
        passes &= ~needs[rule] | allowed[middles]
    return passes


def _without_contradictions(drawn: pl.DataFrame) -> pl.DataFrame:
    """Conclusions without those of pairs that are both said to rise and to fall."""
    signed = pl.col("predicate").is_in(_RISE_AND_FALL)
    contested = (
        drawn.filter(signed)
        .group_by("head_id", "tail_id")
        .agg(pl.col("predicate").n_unique().alias("signs"))
        .filter(pl.col("signs") > 1)
        .select("head_id", "tail_id")
    )
    agreed = drawn.filter(signed).join(contested, on=["head_id", "tail_id"], how="anti")
    return pl.concat([drawn.filter(~signed), agreed])


def _best_of_head(drawn: pl.DataFrame, max_per_node: int) -> pl.DataFrame:
    """Each conclusion once, by its surest way; of each head those that can still be kept."""
    ways = drawn.sort("confidence", "first", "second", descending=[True, False, False])
    distinct = ways.unique(["head_id", "predicate", "tail_id"], keep="first", maintain_order=True)
    order = ["confidence", "head_id", "tail_id", "predicate"]
    ordered = distinct.sort(order, descending=[True, False, False, False])
    return ordered.filter(pl.int_range(pl.len()).over("head_id") < max_per_node)


def _named(chosen: pl.DataFrame, coded: CodedRelations, rules: _Rules) -> pl.DataFrame:
    predicates = pl.Series(PREDICATE_NAMES, dtype=pl.String)
    listed = pl.concat_list("first", "second", "third", "fourth").list.drop_nulls()
    return coded.named(chosen.with_columns(premises=listed)).with_columns(
        predicates.gather(chosen["predicate"]).alias("predicate"),
        rules.names.gather(chosen["rule"]).alias("rule"),
    )
