"""Precision of inferred relations, estimated from relations that were held in.

BioRED's relations, over all abstracts of the files, make a graph; a share of its pairs is removed, the rest is
inferred from, and an inferred pair is *found again* if it is among the removed ones. A pair that nobody annotated may
be true all the same, so the share found again is a lower bound; beside it stands what pairs drawn at random would
give, so that the gain is seen. Lexical relations are judged by the vocabulary's hierarchy, which is kept from them
meanwhile: BioRED has no relations between kinds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from kg_pipeline.datasets import empty_frame
from kg_pipeline.evaluation.gold import GoldArticle
from kg_pipeline.extraction.relation_model.kinds import NEGATIVE, POSITIVE, of_biored
from kg_pipeline.extraction.relation_model.pairs import are_related_groups
from kg_pipeline.inference import community, lexical, transitive
from kg_pipeline.inference.relation_rows import relation_ids
from kg_pipeline.vocabulary.categories import CHEMICAL, DISORDER, GENE, group_of
from kg_pipeline.vocabulary.index import Concept, Vocabulary

HELD_IN = 0.2
_SEED = 17
_CONFIDENCE = 0.8
_HUB_DEGREE, _PER_NODE, _TOTAL = 50, 20, 100_000
#: The usual direction of correlations that name none; without one nothing composes. For this estimate only.
_USUAL = {
    (POSITIVE, CHEMICAL, GENE): "increases",
    (NEGATIVE, CHEMICAL, GENE): "decreases",
    (POSITIVE, GENE, DISORDER): "causes",
    (NEGATIVE, GENE, DISORDER): "decreases",
}


@dataclass(frozen=True, slots=True)
class InferencePrecision:
    """Inferred pairs of one kind, how many of them could be judged, and how many are right.

    `chance` is the share of right ones among pairs drawn at random.
    """

    kind: str
    inferred: int
    judged: int
    right: int
    chance: float

    @property
    def precision(self) -> float:
        """Right of judged."""
        return self.right / self.judged if self.judged else 0.0


def held_in_precision(articles: Sequence[GoldArticle]) -> list[InferencePrecision]:
    """Precision of transitive and community relations on relations of the articles that were removed."""
    categories = {
        i: mention.category for each in articles for mention in each.mentions for i in mention.identifiers
    }
    relations = _graph(articles, categories)
    pairs = sorted({tuple(sorted(ends)) for ends in relations.select("head_id", "tail_id").iter_rows()})
    drawn = np.random.default_rng(_SEED).random(len(pairs)) < HELD_IN
    removed = {pair for pair, is_removed in zip(pairs, drawn, strict=True) if is_removed}
    ends = pl.concat_list("head_id", "tail_id").list.sort().list.join("\t")
    kept = relations.filter(~ends.is_in([f"{a}\t{b}" for a, b in removed]))
    caps = {"hub_degree": _HUB_DEGREE, "max_per_node": _PER_NODE, "max_total": _TOTAL}
    inferred = {
        "transitive": transitive.infer_typed(kept, categories, **caps),
        "community": community.infer_offline(kept, **caps),
    }
    chance = _chance(kept, removed, categories)
    return [_judged(kind, frame, removed, chance) for kind, frame in inferred.items()]


def hierarchy_precision(articles: Sequence[GoldArticle], vocabulary: Vocabulary) -> InferencePrecision:
    """Precision of `subclass_of` by names alone, where the vocabulary knows both names and stays hidden."""
    names: dict[str, Counter[str]] = defaultdict(Counter)
    categories: dict[str, str] = {}
    for article in articles:
        for mention in article.mentions:
            found = vocabulary.lookup(mention.text)
            if found and group_of(found[0].category) == group_of(mention.category):
                names[found[0].concept_id][found[0].name] += 1
                categories[found[0].concept_id] = mention.category
    entities = pl.DataFrame(
        [(each, names[each].most_common(1)[0][0], categories[each]) for each in sorted(names)],
        schema={"entity_id": pl.String, "name": pl.String, "category": pl.String},
        orient="row",
    )
    nothing = empty_frame("relations")
    inferred = lexical.infer_typed(entities, nothing, _Unknown(), max_per_node=_PER_NODE, max_total=_TOTAL)
    kinds = inferred.filter(pl.col("predicate") == "subclass_of").select("head_id", "tail_id").rows()
    right = sum(vocabulary.is_a(child, parent) for child, parent in kinds)
    rng = np.random.default_rng(_SEED)
    ids = entities["entity_id"].to_list()
    drawn = [tuple(rng.choice(ids, 2, replace=False)) for _ in range(len(kinds))] if len(ids) > 1 else []
    chance = sum(vocabulary.is_a(str(a), str(b)) for a, b in drawn) / len(drawn) if drawn else 0.0
    return InferencePrecision("lexical", inferred.height, len(kinds), right, chance)


class _Unknown:
    """A hierarchy that knows nothing."""

    def concept(self, concept_id: str) -> Concept | None:
        """Nothing."""
        return None

    def is_a(self, child: str, ancestor: str, max_depth: int = 0) -> bool:
        """No."""
        return False


def _graph(articles: Sequence[GoldArticle], categories: dict[str, str]) -> pl.DataFrame:
    """The annotated relations as asserted ones, with the predicates that their kinds and groups allow."""
    rows = set()
    for article in articles:
        for each in article.relations:
            if each.head not in categories or each.tail not in categories or each.head == each.tail:
                continue
            groups = group_of(categories[each.head]), group_of(categories[each.tail])
            meant = of_biored(each.kind, *groups)
            for ends, way in (((each.head, each.tail), groups), ((each.tail, each.head), groups[::-1])):
                if (each.kind, *way) in _USUAL:
                    rows.add((ends[0], _USUAL[each.kind, *way], ends[1]))
                    meant = None
            if meant is not None:
                ends = (each.tail, each.head) if meant.inverted else (each.head, each.tail)
                rows.add((ends[0], meant.predicate, ends[1]))
    frame = pl.DataFrame(
        sorted(rows),
        schema={"head_id": pl.String, "predicate": pl.String, "tail_id": pl.String},
        orient="row",
    ).with_columns(
        kind=pl.lit("asserted"),
        negated=pl.lit(False),
        speculative=pl.lit(False),
        confidence=pl.lit(_CONFIDENCE, pl.Float32),
        n_articles=pl.lit(1, pl.Int32),
        n_evidence=pl.lit(1, pl.Int32),
        premises=pl.lit([], dtype=pl.List(pl.String)),
        rule=pl.lit(""),
    )
    return frame.with_columns(relation_ids("asserted", frame)).select(empty_frame("relations").columns)


def _judged(
    kind: str, inferred: pl.DataFrame, removed: set[tuple[str, str]], chance: float
) -> InferencePrecision:
    pairs = {tuple(sorted(ends)) for ends in inferred.select("head_id", "tail_id").iter_rows()}
    return InferencePrecision(kind, inferred.height, len(pairs), len(pairs & removed), chance)


def _chance(kept: pl.DataFrame, removed: set[tuple[str, str]], categories: dict[str, str]) -> float:
    """Share of the removed pairs among all pairs that the corpus could have related and that are not in the graph."""
    groups = Counter(
        group_of(categories[each]) for each in {*kept["head_id"].to_list(), *kept["tail_id"].to_list()}
    )
    possible = sum(n * (n - 1) // 2 for group, n in groups.items() if are_related_groups(group, group))
    possible += sum(
        groups[a] * groups[b] for a, b in combinations(sorted(groups), 2) if are_related_groups(a, b)
    )
    return len(removed) / possible if possible else 0.0
