"""Hypotheses across communities, without a language model: entities of two communities with neighbours in common.

The score is Adamic-Adar (rare common neighbours count more). Each hypothesis says `related_to`, is speculative, names
both communities in its rule, and lists as premises the relations of both ends with their nearest common neighbours.

Neighbours in common make two things of one kind alike, not related: of BioRED's relations that were taken out, such
pairs were found again in 5 of 100 cases, pairs of two kinds in 15, and those with the least score below in 26 (with
those between two disorders, which BioRED does not annotate, left out). So only things of two kinds are offered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt
import polars as pl

from kg_pipeline.inference.groups import Grouping, communities
from kg_pipeline.inference.relation_rows import DECIMALS, cap, inferred_table, premises
from kg_pipeline.vocabulary.categories import group_of

KIND = "community"
#: Hypotheses kept for an entity: they are leads for a reader, not facts.
PER_NODE = 3
#: Entities need this many neighbours in common.
_LEAST_COMMON = 2
#: Common neighbours whose relations are listed as premises.
_SHOWN_COMMON = 3
#: Least score of a hypothesis: three neighbours in common, or two that are rare.
_LEAST_SCORE = 1.5
#: A hypothesis is at most this share as sure as its least sure premise, and half as sure as that at the score below;
#: so the share of those that are found again is about what the confidence says.
_FACTOR, _HALF_WAY = 0.5, 2.0
#: Entries of the score matrix held at a time.
_BLOCK_ENTRIES = 2_000_000


def infer_offline(
    relations: pl.DataFrame,
    categories: Mapping[str, str],
    *,
    hub_degree: int,
    max_per_node: int,
    max_total: int,
) -> pl.DataFrame:
    """Speculative relations between entities of different communities and kinds that no sentence relates.

    `categories` are the Biolink categories of the entities. Neighbours of a degree above `hub_degree` do not count;
    `max_per_node` is lowered to `PER_NODE`.
    """
    stated = premises(relations)
    grouping = communities(stated)
    per_node = min(max_per_node, PER_NODE)
    asserted = _asserted_pairs(relations)
    kinds = np.array([group_of(categories.get(each, "")) for each in grouping.entity_ids])
    blocks = [
        _best_of_first(block.join(asserted, on=["head_id", "tail_id"], how="anti"), per_node)
        for block in _pairs(grouping, kinds, hub_degree)
    ]
    if not any(block.height for block in blocks):
        return inferred_table(KIND, pl.DataFrame())
    pairs = pl.concat(blocks)
    supported = _with_premises(pairs, stated, grouping, hub_degree)
    return inferred_table(KIND, cap(supported, per_node=per_node, total=max_total), speculative=True)


def _pairs(grouping: Grouping, kinds: npt.NDArray[np.str_], hub_degree: int) -> Iterator[pl.DataFrame]:
    """Pairs across communities and kinds with their score, in blocks of rows."""
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
    ids = np.array(grouping.entity_ids)
    names = np.array(grouping.names())
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
        enough = (common.data >= _LEAST_COMMON) & (score.data >= _LEAST_SCORE)
        apart = (grouping.group[first] != grouping.group[second]) & (kinds[first] != kinds[second])
        kept = enough & (first < second) & apart
        yield pl.DataFrame(
            {
                "head_id": ids[first[kept]],
                "tail_id": ids[second[kept]],
                "score": np.round(score.data[kept], DECIMALS),
                "head_group": names[grouping.group[first[kept]]],
                "tail_group": names[grouping.group[second[kept]]],
            },
            schema={
                "head_id": pl.String,
                "tail_id": pl.String,
                "score": pl.Float64,
                "head_group": pl.String,
                "tail_group": pl.String,
            },
        )
        start = end


def _best_of_first(pairs: pl.DataFrame, per_node: int) -> pl.DataFrame:
    ordered = pairs.sort("head_id", "score", "tail_id", descending=[False, True, False])
    return ordered.filter(pl.int_range(pl.len()).over("head_id") < per_node)


def _asserted_pairs(relations: pl.DataFrame) -> pl.DataFrame:
    asserted = relations.filter(pl.col("kind") == "asserted")
    return asserted.select(
        head_id=pl.min_horizontal("head_id", "tail_id"), tail_id=pl.max_horizontal("head_id", "tail_id")
    ).unique()


def _with_premises(
    pairs: pl.DataFrame, stated: pl.DataFrame, grouping: Grouping, hub_degree: int
) -> pl.DataFrame:
    """Candidates with the relations that support each pair; the rule names both communities."""
    degrees = pl.DataFrame(
        {"near": list(grouping.entity_ids), "degree": grouping.degree},
        schema={"near": pl.String, "degree": pl.Int64},
    ).filter(pl.col("degree") <= hub_degree)
    edges = _best_edges(stated).join(degrees, on="near")
    common = (
        pairs.join(edges.rename({"entity": "head_id"}), on="head_id")
        .join(edges.rename({"entity": "tail_id"}).drop("degree"), on=["tail_id", "near"], suffix="_tail")
        .sort("head_id", "tail_id", "degree", "near")
    )
    common = common.filter(pl.int_range(pl.len()).over("head_id", "tail_id") < _SHOWN_COMMON)
    least = pl.min_horizontal("confidence", "confidence_tail")
    return (
        common.group_by("head_id", "tail_id", "score", "head_group", "tail_group", maintain_order=True)
        .agg(
            least=least.min(),
            premises=pl.concat_list("relation_id", "relation_id_tail").explode(),
        )
        .with_columns(
            premises=pl.col("premises").list.unique(maintain_order=True),
            confidence=(
                pl.col("least") * _FACTOR * (1 - (pl.col("score") * (-np.log(2) / _HALF_WAY)).exp())
            ).round(DECIMALS),
            predicate=pl.lit("related_to"),
            rule=pl.format("common neighbours of the communities of {} and {}", "head_group", "tail_group"),
        )
        .filter(pl.col("confidence") > 0)
    )


def _best_edges(stated: pl.DataFrame) -> pl.DataFrame:
    """The surest relation between each entity and each neighbour, from both sides."""
    columns = [pl.col("confidence").cast(pl.Float64), pl.col("relation_id")]
    both = pl.concat(
        [
            stated.select(pl.col("head_id").alias("entity"), pl.col("tail_id").alias("near"), *columns),
            stated.select(pl.col("tail_id").alias("entity"), pl.col("head_id").alias("near"), *columns),
        ]
    )
    ordered = both.sort("entity", "near", "confidence", "relation_id", descending=[False, False, True, False])
    return ordered.unique(["entity", "near"], keep="first", maintain_order=True)
