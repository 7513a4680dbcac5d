"""The `entities` stage of a corpus: mentions to standardised entities, with the reason of every merge.

Shards are read one at a time, twice: to count forms, and to assign mentions. In between, only the distinct forms of
the corpus are held.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.normalization.decisions import Decisions, read_decisions
from kg_pipeline.normalization.egot import standardise_egot, stem_score
from kg_pipeline.normalization.pinning import USER_DECISION, pinned
from kg_pipeline.normalization.standardise import (
    ABBREVIATION,
    EGOT_STEM,
    SAME_CONCEPT,
    SPELLING_SCORE,
    SPELLING_VARIANT,
    Form,
    Standardised,
    standardise,
)
from kg_pipeline.settings import Settings

ABBREVIATION_SCORE = 0.9
MAX_ALIASES = 50
_FORM = ["normal_form", "category", "concept_id"]
_NAMING = ["entity_id", "text", "normal_form", "concept_id", "is_pinned"]
_NAMINGS = pl.Schema(
    {
        **dict.fromkeys(_NAMING[:-1], pl.String),
        "is_pinned": pl.Boolean,
        "n_mentions": pl.UInt32,
        "evidence": pl.String,
        "score": pl.Float32,
    }
)


@dataclass(frozen=True, slots=True)
class EntityReport:
    """Counts of one standardisation: entities, merge rows, mentions assigned, pairs kept apart by a guard."""

    entities: int
    merges: int
    mentions: int
    vetoed: int


def build_entities(datasets: Datasets, spec: CorpusSpec, settings: Settings) -> EntityReport:
    """Standardise all mentions of a corpus; writes `entities`, `entity_mentions` and `merges`.

    `spec.standardization` chooses the guarded rules or those of the eGoT paper. Decisions that people made about names
    of this corpus come last (`kg_pipeline.normalization.decisions`), whichever rules are chosen.
    """
    decisions = read_decisions(settings.home, spec.name)
    forms = corpus_forms(datasets, spec.name, decisions)
    is_egot = spec.standardization == "egot"
    result = standardise_egot(forms) if is_egot else standardise(forms)
    result = pinned(result, decisions)
    tally = _Tally()
    datasets.write_batches(
        "entity_mentions",
        spec.name,
        (tally.counted(shard) for shard in _assigned(datasets, spec.name, result, decisions)),
    )
    entities = _entities(result, tally)
    merges = _merges(entities, tally.namings, is_egot=is_egot)
    datasets.write("entities", spec.name, entities)
    datasets.write("merges", spec.name, merges)
    n_mentions = int(entities["n_mentions"].sum())
    return EntityReport(entities.height, merges.height, n_mentions, result.vetoed.total())


def _shards(datasets: Datasets, corpus: str, decisions: Decisions) -> Iterator[pl.DataFrame]:
    """Mentions of each shard, those a language model added included, each position once.

    A short form that people parted from the long form its article defines stands for itself.
    """
    for shard in sorted({*datasets.shards("mentions", corpus), *datasets.shards("triple_mentions", corpus)}):
        both = [datasets.read_or_empty(name, corpus, shard) for name in ("mentions", "triple_mentions")]
        yield (
            pl.concat(both)
            .unique("mention_id", keep="first", maintain_order=True)
            .with_columns(
                normal_form=pl.col("normal_form").str.replace_all(r"\s+", " ").str.strip_chars(),
                concept_id=pl.col("concept_id").fill_null(""),
                score=pl.col("candidates").list.first().struct.field("score").fill_null(1.0),
                is_open=(pl.col("candidates").list.len() > 0) & pl.col("concept_id").is_null(),
            )
            .with_columns(
                normal_form=pl.when(_is_parted(decisions)).then("text").otherwise("normal_form"),
                concept_id=pl.when(_is_parted(decisions)).then(pl.lit("")).otherwise("concept_id"),
                is_open=pl.col("is_open") | _is_parted(decisions),
            )
            .drop("candidates")
        )


def _is_parted(decisions: Decisions) -> pl.Expr:
    pairs = [*decisions.apart, *((other, one) for one, other in decisions.apart)]
    is_pair = [(pl.col("text") == one) & (pl.col("normal_form") == other) for one, other in sorted(pairs)]
    return pl.any_horizontal(is_pair) if is_pair else pl.lit(value=False)


def corpus_forms(datasets: Datasets, corpus: str, decisions: Decisions | None = None) -> list[Form]:
    """The distinct normal forms of a corpus with their counts, in order; none where it has no mentions."""
    partial = [
        shard.group_by(_FORM).agg(
            count=pl.len(),
            evidence=pl.col("mention_id").min(),
            score=pl.col("score").max(),
            is_open=pl.col("is_open").any(),
        )
        for shard in _shards(datasets, corpus, decisions or Decisions())
    ]
    if not partial:
        return []
    total = (
        pl.concat(partial)
        .group_by(_FORM)
        .agg(pl.col("count").sum(), pl.col("evidence").min(), pl.col("score").max(), pl.col("is_open").any())
        .sort(_FORM)
    )
    return [
        Form(row["normal_form"], row["category"], row["concept_id"] or None, row["count"], row["evidence"],
             min(1.0, max(row["score"], 0.01)), row["is_open"])
        for row in total.iter_rows(named=True)
    ]  # fmt: skip


def _assigned(
    datasets: Datasets, corpus: str, result: Standardised, decisions: Decisions
) -> Iterator[pl.DataFrame]:
    """Every mention of each shard with the entity of its form."""
    assignment = pl.DataFrame(
        [
            (*form.key, cluster.entity_id, form.pinned_to is not None)
            for cluster in result.clusters
            for form in cluster.forms
        ],
        schema={**dict.fromkeys(_FORM, pl.String), "entity_id": pl.String, "is_pinned": pl.Boolean},
        orient="row",
    )
    for shard in _shards(datasets, corpus, decisions):
        yield (
            shard.select("article_id", "mention_id", "text", "start", "score", *_FORM)
            .join(assignment, on=_FORM)
            .sort("article_id", "start", "mention_id")
        )


class _Tally:
    """What is counted of the mentions while their shards go by; an article is in one shard only."""

    def __init__(self) -> None:
        #: How each entity is named: mentions, the first of them, and the best score.
        self.namings = pl.DataFrame(schema=_NAMINGS)
        self.articles = pl.DataFrame(schema={"entity_id": pl.String, "n_articles": pl.UInt32})

    def counted(self, shard: pl.DataFrame) -> pl.DataFrame:
        """Count a shard, and give back the rows that are written of it."""
        namings = shard.group_by(_NAMING).agg(
            n_mentions=pl.len(), evidence=pl.col("mention_id").min(), score=pl.col("score").max()
        )
        self.namings = (
            pl.concat([self.namings, namings.cast(_NAMINGS)])
            .group_by(_NAMING)
            .agg(pl.col("n_mentions").sum(), pl.col("evidence").min(), pl.col("score").max())
        )
        articles = shard.group_by("entity_id").agg(n_articles=pl.col("article_id").n_unique())
        self.articles = (
            pl.concat([self.articles, articles]).group_by("entity_id").agg(pl.col("n_articles").sum())
        )
        return shard.select("article_id", "mention_id", "entity_id")


def _entities(result: Standardised, tally: _Tally) -> pl.DataFrame:
    named = pl.DataFrame(
        [(cluster.entity_id, cluster.name, cluster.category) for cluster in result.clusters],
        schema={"entity_id": pl.String, "name": pl.String, "category": pl.String},
        orient="row",
    )
    aliases = (
        tally.namings.group_by("entity_id", "text")
        .agg(pl.col("n_mentions").sum())
        .sort(["n_mentions", "text"], descending=[True, False])
        .group_by("entity_id", maintain_order=True)
        .agg(aliases=pl.col("text").head(MAX_ALIASES))
    )
    mentions = tally.namings.group_by("entity_id").agg(pl.col("n_mentions").sum())
    return (
        named.join(aliases, on="entity_id")
        .join(mentions, on="entity_id")
        .join(tally.articles, on="entity_id")
        .sort("entity_id")
    )


def _merges(entities: pl.DataFrame, seen: pl.DataFrame, *, is_egot: bool) -> pl.DataFrame:
    """A row for every name that went to an entity of another name, with the rule that brought it there."""
    short = seen.filter(pl.col("text") != pl.col("normal_form")).select(
        "entity_id",
        name_b="text",
        rule=pl.lit(ABBREVIATION),
        score=pl.lit(ABBREVIATION_SCORE, pl.Float32),
        evidence="evidence",
    )
    by_concept = pl.col("concept_id") == pl.col("entity_id")
    full = seen.select(
        "entity_id",
        name_b="normal_form",
        rule=pl.when("is_pinned")
        .then(pl.lit(USER_DECISION))
        .when(by_concept)
        .then(pl.lit(SAME_CONCEPT))
        .otherwise(pl.lit(EGOT_STEM if is_egot else SPELLING_VARIANT)),
        score=pl.when("is_pinned")
        .then(pl.lit(1.0, pl.Float32))
        .when(by_concept)
        .then(pl.col("score"))
        .otherwise(pl.lit(SPELLING_SCORE, pl.Float32)),
        evidence=pl.when(by_concept).then(pl.col("concept_id")).otherwise(pl.col("evidence")),
    )
    rows = (
        pl.concat([full, short])
        .join(entities.select("entity_id", name_a="name"), on="entity_id")
        .filter(pl.col("name_a") != pl.col("name_b"))
        .sort(
            "entity_id",
            "name_b",
            "rule",
            pl.col("score"),
            "evidence",
            descending=[False, False, False, True, False],
        )
        .unique(["entity_id", "name_b", "rule"], keep="first", maintain_order=True)
    )
    if is_egot:
        pairs = pl.struct("name_a", "name_b").map_elements(
            lambda pair: stem_score(pair["name_a"], pair["name_b"]), return_dtype=pl.Float64
        )
        score = pl.when(pl.col("rule") == EGOT_STEM).then(pairs.cast(pl.Float32)).otherwise(pl.col("score"))
        rows = rows.with_columns(score=score)
    return rows.select("entity_id", "name_a", "name_b", "rule", "score", "evidence")
