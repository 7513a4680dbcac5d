"""Hypotheses across communities, without a language model: entities of two communities and two kinds.

They have neighbours in common, or each is related to something with a name like the other's
(`kg_pipeline.inference.near_names`). Each hypothesis says `related_to`, is speculative, names its source and both
communities in its rule, and lists as premises the relations of both ends that it stands on. Of a pair that comes from
both sources the surer one stays.

The score of neighbours in common is Adamic-Adar (rare ones count more). They make two things of one kind alike, not
related: of BioRED's relations that were taken out, such pairs were found again in 5 of 100 cases, pairs of two kinds in
15, those with the least score below in 39, and those with three neighbours in common or more in 48 (with those between
two disorders, which BioRED does not annotate, left out). So only things of two kinds are offered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt
import polars as pl

from kg_pipeline.inference.coded import CodedRelations, Neighbours, code_relations
from kg_pipeline.inference.groups import Grouping, communities
from kg_pipeline.inference.near_names import near_name_candidates
from kg_pipeline.inference.relation_rows import DECIMALS, PREMISE_COLUMNS, cap, inferred_table, premises
from kg_pipeline.vocabulary.categories import group_of

KIND = "community"
#: How the rules of the two sources begin.
COMMON_RULE, NAMES_RULE = "common neighbours", "names like"
#: Hypotheses kept for an entity: they are leads for a reader, not facts.
PER_NODE = 3
#: Entities need this many neighbours in common.
_LEAST_COMMON = 3
#: Common neighbours whose relations are listed as premises.
_SHOWN_COMMON = 3
#: Least score of a hypothesis: that of three neighbours in common which are no hubs themselves.
_LEAST_SCORE = 1.5
#: A hypothesis is at most this share as sure as its least sure premise, and half as sure as that at the score below;
#: so the share of those that are found again is about what the confidence says.
_FACTOR, _HALF_WAY = 0.8, 2.0
#: Entries of the score matrix held at a time.
_BLOCK_ENTRIES = 2_000_000


def infer_offline(
    relations: pl.DataFrame,
    categories: Mapping[str, str],
    vectors: pl.LazyFrame | None = None,
    grouping: Grouping | None = None,
    /,
    *,
    hub_degree: int,
    max_per_node: int,
    max_total: int,
) -> pl.DataFrame:
    """Speculative relations between entities of different communities and kinds that no sentence relates.

    `categories` are the Biolink categories of the entities, `vectors` those of their names (`id`, `vector`); without
    them names are not compared. Neighbours of a degree above `hub_degree` do not count; `max_per_node` is lowered to
    `PER_NODE`. `grouping` are the communities of the premises, where they are known.
    """
    if grouping is None:
        grouping = communities(premises(relations.select(PREMISE_COLUMNS)))
    coded = code_relations(relations)
    per_node = min(max_per_node, PER_NODE)
    kinds = np.array([group_of(categories.get(each, "")) for each in grouping.entity_ids])
    near = Neighbours.of(coded, hubs=grouping.degree > hub_degree)
    nobody = pl.lit(None, pl.UInt32)
    candidates = [
        _supported(best, coded, grouping, near).with_columns(like_head=nobody, like_tail=nobody)
        for block in _pairs(coded, grouping, kinds, hub_degree)
        if (best := _best_of_first(block, per_node)).height
    ]
    if vectors is not None and coded.size:
        candidates.append(near_name_candidates(coded, grouping, kinds, near, vectors, hub_degree=hub_degree))
    if not candidates:
        return inferred_table(KIND, pl.DataFrame())
    surest = (
        pl.concat(candidates)
        .sort("head_id", "tail_id", "confidence", "like_head", descending=[False, False, True, False])
        .unique(["head_id", "tail_id"], keep="first", maintain_order=True)
    )
    kept = cap(surest, per_node=per_node, total=max_total)
    named = coded.named(kept).with_columns(_rules(kept, coded, grouping), predicate=pl.lit("related_to"))
    return inferred_table(KIND, named, speculative=True)


def _rules(kept: pl.DataFrame, coded: CodedRelations, grouping: Grouping) -> pl.Series:
    """Where each of the hypotheses comes from."""
    groups = pl.Series(grouping.names(), dtype=pl.String)
    told = kept.select(
        head=groups.gather(grouping.group[kept["head_id"].to_numpy()]),
        tail=groups.gather(grouping.group[kept["tail_id"].to_numpy()]),
        like_head=coded.entity_ids.gather(kept["like_head"]),
        like_tail=coded.entity_ids.gather(kept["like_tail"]),
    )
    common = pl.format(f"{COMMON_RULE} of the communities of {{}} and {{}}", "head", "tail")
    alike = pl.format(
        f"{NAMES_RULE} those of {{}} and {{}}, across the communities of {{}} and {{}}",
        *("like_head", "like_tail", "head", "tail"),
    )
    return told.select(rule=pl.when(pl.col("like_head").is_null()).then(common).otherwise(alike))["rule"]


def _pairs(
    coded: CodedRelations, grouping: Grouping, kinds: npt.NDArray[np.str_], hub_degree: int
) -> Iterator[pl.DataFrame]:
    """Pairs across communities and kinds that no sentence relates, with their score, in blocks of rows."""
    from scipy.sparse import csr_array

    size = len(grouping.entity_ids)
    ends = np.concatenate([grouping.edges, grouping.edges[:, ::-1]])
    ends = ends[grouping.degree[ends[:, 1]] <= hub_degree]
    if not len(ends):
        return
    # A neighbour in common has at least two neighbours, so the logarithm is above zero where it counts.
    weights = 1 / np.log(np.maximum(grouping.degree, 2))
    near = csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(size, size))
    far = csr_array((weights[ends[:, 1]], (ends[:, 0], ends[:, 1])), shape=(size, size)).T.tocsr()
    counts = near.T.tocsr()
    reach = np.cumsum(near @ grouping.degree.astype(np.float64))
    borders = np.searchsorted(reach, np.arange(_BLOCK_ENTRIES, reach[-1] + _BLOCK_ENTRIES, _BLOCK_ENTRIES))
    start = 0
    for border in [*borders.tolist(), size]:
        end = min(max(border, start + 1), size)
        if start >= size:
            return
        score, common = near[start:end] @ far, near[start:end] @ counts
        score.sort_indices()
        common.sort_indices()  # the same entries as those of the scores, now in the same order
        score, common = score.tocoo(), common.tocoo()
        first, second = score.coords[0].astype(np.int64) + start, score.coords[1].astype(np.int64)
        kept = (common.data >= _LEAST_COMMON) & (score.data >= _LEAST_SCORE) & (first < second)
        first, second, scores = first[kept], second[kept], score.data[kept]
        apart = (grouping.group[first] != grouping.group[second]) & (kinds[first] != kinds[second])
        apart &= ~coded.related.holds(first, second)
        yield pl.DataFrame(
            {
                "head_id": first[apart].astype(np.uint32),
                "tail_id": second[apart].astype(np.uint32),
                "score": np.round(scores[apart], DECIMALS),
            }
        )
        start = end


def _best_of_first(pairs: pl.DataFrame, per_node: int) -> pl.DataFrame:
    ordered = pairs.sort("head_id", "score", "tail_id", descending=[False, True, False])
    return ordered.filter(pl.int_range(pl.len()).over("head_id") < per_node)


def _supported(
    pairs: pl.DataFrame, coded: CodedRelations, grouping: Grouping, near: Neighbours
) -> pl.DataFrame:
    """Pairs as candidates: with their confidence and the relations of both ends with the nearest in common."""
    heads, tails = (pairs[end].to_numpy().astype(np.int64) for end in ("head_id", "tail_id"))
    pair, neighbour, first, second = near.common(heads, tails)
    common = pl.DataFrame(
        {
            "pair": pair,
            "degree": grouping.degree[neighbour],
            "near": neighbour,
            "least": np.minimum(coded.confidence[first], coded.confidence[second]),
            "first": first.astype(np.uint32),
            "second": second.astype(np.uint32),
        }
    ).sort("pair", "degree", "near")
    shown = common.filter(pl.int_range(pl.len()).over("pair") < _SHOWN_COMMON)
    support = shown.group_by("pair", maintain_order=True).agg(
        pl.col("least").min(), premises=pl.concat_list("first", "second").explode()
    )
    likely = 1 - (pl.col("score") * (-np.log(2) / _HALF_WAY)).exp()
    return (
        pairs.with_row_index("pair")
        .with_columns(pl.col("pair").cast(pl.Int64))
        .join(support, on="pair", maintain_order="left")
        .select(
            "head_id",
            "tail_id",
            pl.lit(0, pl.UInt8).alias("predicate"),
            (pl.col("least") * _FACTOR * likely).round(DECIMALS).alias("confidence"),
            pl.col("premises").list.unique(maintain_order=True),
        )
        .filter(pl.col("confidence") > 0)
    )
