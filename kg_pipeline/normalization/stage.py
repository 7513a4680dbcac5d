"""The `entities` stage of a corpus: mentions to standardised entities, with the reason of every merge.

Shards are read one at a time, twice: to count forms, and to assign mentions. In between, only the distinct forms of
the corpus are held.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.llm.chat import ChatModel, open_chat
from kg_pipeline.normalization.adjudication import (
    LLM_ADJUDICATION,
    Adjudicated,
    adjudicate,
)
from kg_pipeline.normalization.decisions import Decisions, read_decisions
from kg_pipeline.normalization.egot import standardise_egot
from kg_pipeline.normalization.merge_rows import merge_rows
from kg_pipeline.normalization.open_pairs import open_pairs
from kg_pipeline.normalization.pinning import USER_DECISION, pinned
from kg_pipeline.normalization.standardise import (
    Form,
    Standardised,
    standardise,
)
from kg_pipeline.settings import Settings

MAX_ALIASES = 50
_FORM = ["normal_form", "category", "concept_id"]
#: `decided` is the rule by which a form was joined to its entity from outside of the rules; empty for most.
_NAMING = ["entity_id", "text", "normal_form", "concept_id", "decided"]
_NAMINGS = pl.Schema(
    {
        **dict.fromkeys(_NAMING, pl.String),
        "n_mentions": pl.UInt32,
        "evidence": pl.String,
        "score": pl.Float32,
    }
)


@dataclass(frozen=True, slots=True)
class EntityReport:
    """Counts of one standardisation: entities, merge rows, mentions assigned, pairs kept apart by a guard.

    Of pairs that a language model was asked about: all, those it joined, and those that could not be asked.
    """

    entities: int
    merges: int
    mentions: int
    vetoed: int
    adjudicated: int = 0
    adjudicated_joined: int = 0
    adjudicated_unanswered: int = 0


def build_entities(
    datasets: Datasets, spec: CorpusSpec, settings: Settings, *, chat: ChatModel | None = None
) -> EntityReport:
    """Standardise all mentions of a corpus; writes `entities`, `entity_mentions` and `merges`.

    `spec.standardization` chooses the guarded rules or those of the eGoT paper. With `spec.adjudicated_pairs` a language
    model, where there is one, is asked about that many of the pairs that the guarded rules leave open. Decisions that
    people made about names of this corpus come last (`kg_pipeline.normalization.decisions`).
    """
    decisions = read_decisions(settings.home, spec.name)
    forms = corpus_forms(datasets, spec.name, decisions)
    is_egot = spec.standardization == "egot"
    standardised = standardise_egot(forms) if is_egot else standardise(forms)
    opinions = (
        Adjudicated(standardised) if is_egot else _adjudicated(standardised, decisions, spec, settings, chat)
    )
    result = pinned(opinions.result, _about_forms(datasets, spec.name, decisions, forms))
    tally = _Tally()
    datasets.write_batches(
        "entity_mentions",
        spec.name,
        (tally.counted(shard) for shard in _assigned(datasets, spec.name, result, decisions)),
    )
    entities = _entities(result, tally)
    merges = merge_rows(entities, tally.namings, is_egot=is_egot)
    datasets.write("entities", spec.name, entities)
    datasets.write("merges", spec.name, merges)
    n_mentions = int(entities["n_mentions"].sum())
    return EntityReport(
        entities.height,
        merges.height,
        n_mentions,
        result.vetoed.total(),
        opinions.asked,
        opinions.joined,
        opinions.unanswered,
    )


def _adjudicated(
    result: Standardised,
    decisions: Decisions,
    spec: CorpusSpec,
    settings: Settings,
    chat: ChatModel | None,
) -> Adjudicated:
    has_model = chat is not None or settings.llm is not None
    if not spec.adjudicated_pairs or spec.extraction == "offline" or not has_model:
        return Adjudicated(result)
    pairs = open_pairs(result, spec.adjudicated_pairs, decisions.apart)
    if chat is None and settings.llm is not None:
        chat = open_chat(settings.llm, settings.cache)
    return Adjudicated(result) if chat is None else adjudicate(result, pairs, chat, decisions.apart)


def _shards(datasets: Datasets, corpus: str, decisions: Decisions) -> Iterator[pl.DataFrame]:
    """Mentions of each shard, those a language model added included, each position once.

    A short form that people parted from the long form its article defines stands for itself.
    """
    for shard in sorted({*datasets.shards("mentions", corpus), *datasets.shards("triple_mentions", corpus)}):
        both = [datasets.read_or_empty(name, corpus, shard) for name in ("mentions", "triple_mentions")]
        yield (
            pl.concat(both)
            # A reader of triples may have settled which of its candidates an open mention is.
            .sort(pl.col("concept_id").is_null(), maintain_order=True)
            .unique("mention_id", keep="first", maintain_order=True)
            .with_columns(
                normal_form=_on_one_line("normal_form"),
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


def _about_forms(datasets: Datasets, corpus: str, decisions: Decisions, forms: Sequence[Form]) -> Decisions:
    """The decisions with a name that only mentions have, as an abbreviation, replaced by what it mostly stands for."""
    known = {form.name for form in forms}
    spoken = sorted({name for pair in decisions.merged | decisions.apart for name in pair} - known)
    if not spoken or not forms:
        return decisions
    counted = pl.concat(
        [
            shard.select(_on_one_line("text"), "normal_form").filter(pl.col("text").is_in(spoken))
            for shard in _shards(datasets, corpus, decisions)
        ]
    )
    meant = dict(
        counted.group_by("text", "normal_form")
        .len()
        .sort("text", "len", "normal_form", descending=[False, True, False])
        .unique("text", keep="first", maintain_order=True)
        .select("text", "normal_form")
        .iter_rows()
    )
    return decisions.renamed(meant)


def _on_one_line(column: str) -> pl.Expr:
    return pl.col(column).str.replace_all(r"\s+", " ").str.strip_chars()


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
            (*form.key, cluster.entity_id, _decided(form))
            for cluster in result.clusters
            for form in cluster.forms
        ],
        schema=dict.fromkeys([*_FORM, "entity_id", "decided"], pl.String),
        orient="row",
    )
    for shard in _shards(datasets, corpus, decisions):
        yield (
            shard.select("article_id", "mention_id", "text", "start", "score", *_FORM)
            .join(assignment, on=_FORM)
            .sort("article_id", "start", "mention_id")
        )


def _decided(form: Form) -> str:
    if form.pinned_to is not None:
        return USER_DECISION
    return LLM_ADJUDICATION if form.adjudicated_to is not None else ""


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
