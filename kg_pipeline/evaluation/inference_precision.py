"""Precision of inferred relations, estimated from relations that were held in.

BioRED's relations, over all abstracts of the files, make a graph. Its pairs are taken out in turn, a tenth at a time,
and the rest is inferred from. A pair is *found again* if it is inferred while it is out; a pair that is inferred and
never annotated counts as wrong, so the share found again is a lower bound: it may be true all the same. Pairs of
groups that BioRED does not annotate are not judged. Beside the share stand its 95 % interval (Wilson) and what pairs
drawn at random would give, so that the gain is seen. Lexical relations are judged by the vocabulary's hierarchy,
which is kept from them meanwhile: BioRED has no relations between kinds. Hypotheses between communities are also judged
by source. The vectors of names hold nothing of the relations.
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
from kg_pipeline.llm.embeddings import Embedder
from kg_pipeline.vocabulary.categories import CHEMICAL, DISORDER, GENE, group_of
from kg_pipeline.vocabulary.index.lookup import Concept, Vocabulary

FOLDS = 10
_SEED = 17
_CONFIDENCE = 0.8
_HUB_DEGREE, _PER_NODE, _TOTAL = 50, 20, 100_000
#: Names of an identifier that are embedded.
_NAMES = 4
#: The usual direction of correlations that name none; without one nothing composes. For this estimate only.
_USUAL = {
    (POSITIVE, CHEMICAL, GENE): "increases",
    (NEGATIVE, CHEMICAL, GENE): "decreases",
    (POSITIVE, GENE, DISORDER): "causes",
    (NEGATIVE, GENE, DISORDER): "decreases",
}


Pair = tuple[str, str]  # two identifiers, the smaller first


@dataclass(frozen=True, slots=True)
class InferencePrecision:
    """Distinct pairs that one kind of inference drew, how many of them could be judged, and how many are right.

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

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the precision; from 0 to 1 where nothing was judged."""
        from scipy.stats import binomtest

        if not self.judged:
            return 0.0, 1.0
        found = binomtest(self.right, self.judged).proportion_ci(method="wilson")
        return float(found.low), float(found.high)


def held_in_precision(articles: Sequence[GoldArticle], embedder: Embedder) -> list[InferencePrecision]:
    """Precision of transitive and community relations on relations of the articles that were removed."""
    vectors = _name_vectors(articles, embedder).lazy()
    categories = {
        i: mention.category for each in articles for mention in each.mentions for i in mention.identifiers
    }
    relations = _graph(articles, categories)
    pairs = sorted(_pairs(relations))
    fold_of = np.random.default_rng(_SEED).integers(0, FOLDS, len(pairs))
    ends = pl.concat_list("head_id", "tail_id").list.sort().list.join("\t")
    caps = {"hub_degree": _HUB_DEGREE, "max_per_node": _PER_NODE, "max_total": _TOTAL}
    sources = {f"{community.KIND}, {rule}": rule for rule in (community.COMMON_RULE, community.NAMES_RULE)}
    drawn: dict[str, set[Pair]] = {each: set() for each in (transitive.KIND, community.KIND, *sources)}
    found: dict[str, set[Pair]] = {kind: set() for kind in drawn}
    for fold in range(FOLDS):
        removed = {pair for pair, of in zip(pairs, fold_of, strict=True) if of == fold}
        kept = relations.filter(~ends.is_in(["\t".join(pair) for pair in sorted(removed)]))
        hypotheses = community.infer_offline(kept, categories, vectors, **caps)
        for kind, inferred in (
            (transitive.KIND, transitive.infer_typed(kept, categories, **caps)),
            (community.KIND, hypotheses),
            *((name, hypotheses.filter(pl.col("rule").str.starts_with(of))) for name, of in sources.items()),
        ):
            drawn[kind] |= _pairs(inferred)
            found[kind] |= _pairs(inferred) & removed
    chance = _chance(relations, len(pairs), categories)
    return [_judged(kind, drawn[kind], found[kind], categories, chance) for kind in drawn]


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


def _name_vectors(articles: Sequence[GoldArticle], embedder: Embedder) -> pl.DataFrame:
    """Vectors of the commonest names of each identifier, as a corpus has them of its entities."""
    names: dict[str, Counter[str]] = defaultdict(Counter)
    for article in articles:
        for mention in article.mentions:
            for identifier in mention.identifiers:
                names[identifier][mention.text] += 1
    ids = sorted(names)
    texts = ["; ".join(name for name, _ in names[each].most_common(_NAMES)) for each in ids]
    return pl.DataFrame({"id": pl.Series(ids, dtype=pl.String), "vector": embedder.embed(texts)})


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


def _pairs(relations: pl.DataFrame) -> set[Pair]:
    rows = relations.select("head_id", "tail_id").iter_rows()
    return {(head, tail) if head <= tail else (tail, head) for head, tail in rows}


def _judged(
    kind: str, drawn: set[Pair], found: set[Pair], categories: dict[str, str], chance: float
) -> InferencePrecision:
    judged = sum(are_related_groups(*(group_of(categories[end]) for end in pair)) for pair in drawn)
    return InferencePrecision(kind, len(drawn), judged, len(found), chance)


def _chance(relations: pl.DataFrame, annotated: int, categories: dict[str, str]) -> float:
    """Share of the annotated pairs among all pairs that the corpus could have related."""
    ends = {*relations["head_id"].to_list(), *relations["tail_id"].to_list()}
    groups = Counter(group_of(categories[each]) for each in ends)
    possible = sum(n * (n - 1) // 2 for group, n in groups.items() if are_related_groups(group, group))
    possible += sum(
        groups[a] * groups[b] for a, b in combinations(sorted(groups), 2) if are_related_groups(a, b)
    )
    return annotated / possible if possible else 0.0
