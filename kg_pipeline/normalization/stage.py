"""The `entities` stage of a corpus: mentions to standardised entities, with the reason of every merge.

Shards are read one at a time, twice: to count forms, and to assign mentions. In between, only the distinct forms of
the corpus are held. What was counted of a shard, what became of the forms, and which entities the mentions of a shard have
is remembered, so that a build after a change reads the shards and standardises the forms that the change reaches.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.fingerprint import code_digest, short_digest
from kg_pipeline.llm.chat import ChatModel, open_chat
from kg_pipeline.normalization.adjudication import (
    LLM_ADJUDICATION,
    Adjudicated,
    adjudicate,
)
from kg_pipeline.normalization.decisions import Decisions, read_decisions
from kg_pipeline.normalization.egot import standardise_egot
from kg_pipeline.normalization.mention_source import CODE, MentionSource, on_one_line, total
from kg_pipeline.normalization.merge_rows import merge_rows
from kg_pipeline.normalization.open_pairs import open_pairs
from kg_pipeline.normalization.pinning import USER_DECISION, pinned
from kg_pipeline.normalization.refreshing import KEY, STATE, forms_of, standardise_again
from kg_pipeline.normalization.remembered import Remembered, remembered_of
from kg_pipeline.normalization.standardise import Form, Standardised
from kg_pipeline.settings import Settings

MAX_ALIASES = 50
_ROWS = ["article_id", "mention_id", "entity_id"]
#: `decided` is the rule by which a form was joined to its entity from outside of the rules; empty for most.
_NAMING = ["entity_id", "text", "normal_form", "concept_id", "decided"]
#: Rows of namings that are collected before they are added up again.
_MOST_ROWS = 200_000
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
    source = MentionSource(datasets, spec.name, decisions, remembered_of(settings, spec.name))
    given = total([source.counted(shard) for shard in source.shards()])
    forms = forms_of(given)
    is_egot = spec.standardization == "egot"
    standardised = standardise_egot(forms) if is_egot else _standardised(given, source.remembered)
    opinions = (
        Adjudicated(standardised) if is_egot else _adjudicated(standardised, decisions, spec, settings, chat)
    )
    result = pinned(opinions.result, _about_forms(source, forms))
    tally = _Tally()
    datasets.write_batches(
        "entity_mentions", spec.name, (tally.counted(assigned) for assigned in _assigned(source, result))
    )
    namings = tally.namings()
    entities = _entities(result, namings, tally.articles())
    merges = merge_rows(entities, namings, is_egot=is_egot)
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


def _standardised(given: pl.DataFrame, remembered: Remembered) -> Standardised:
    code = code_digest(CODE)
    before = remembered.kept("forms", code)
    result, state = standardise_again(given, pl.DataFrame(schema=STATE) if before is None else before)
    remembered.keep("forms", code, state)
    return result


def _about_forms(source: MentionSource, forms: Sequence[Form]) -> Decisions:
    """The decisions with a name that only mentions have, as an abbreviation, replaced by what it mostly stands for."""
    decisions = source.decisions
    known = {form.name for form in forms}
    spoken = sorted({name for pair in decisions.merged | decisions.apart for name in pair} - known)
    if not spoken or not forms:
        return decisions
    counted = pl.concat(
        [
            source.mentions(shard)
            .select(on_one_line("text"), "normal_form")
            .filter(pl.col("text").is_in(spoken))
            for shard in source.shards()
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


@dataclass(frozen=True, slots=True)
class _Assigned:
    """Mentions of a shard with their entities, and how the entities are named there."""

    rows: pl.DataFrame
    namings: pl.DataFrame


def _assigned(source: MentionSource, result: Standardised) -> Iterator[_Assigned]:
    """The mentions of each shard with the entities of their forms."""
    assignment = pl.DataFrame(
        [
            (*form.key, cluster.entity_id, _decided(form))
            for cluster in result.clusters
            for form in cluster.forms
        ],
        schema=dict.fromkeys([*KEY, "entity_id", "decided"], pl.String),
        orient="row",
    )
    for shard in source.shards():
        own = assignment.join(source.counted(shard).select(KEY), on=KEY, how="semi").sort(KEY)
        digest = short_digest(source.digest(shard), hashlib.sha256(own.write_csv().encode()).hexdigest())
        rows, namings = (source.remembered.kept(f"{name}-{shard}", digest) for name in ("rows", "namings"))
        if rows is None or namings is None:
            mentions = source.mentions(shard).join(own, on=KEY).sort("article_id", "start", "mention_id")
            rows, namings = mentions.select(_ROWS), _namings(mentions)
            source.remembered.keep(f"rows-{shard}", digest, rows)
            source.remembered.keep(f"namings-{shard}", digest, namings)
        yield _Assigned(rows, namings)


def _namings(mentions: pl.DataFrame) -> pl.DataFrame:
    """How each entity is named: mentions, the first of them, and the best score."""
    namings = mentions.group_by(_NAMING).agg(
        n_mentions=pl.len(), evidence=pl.col("mention_id").min(), score=pl.col("score").max()
    )
    return namings.cast(_NAMINGS).select(list(_NAMINGS)).sort(_NAMING)


def _decided(form: Form) -> str:
    if form.pinned_to is not None:
        return USER_DECISION
    return LLM_ADJUDICATION if form.adjudicated_to is not None else ""


class _Tally:
    """What is counted of the mentions while their shards go by; an article is in one shard only."""

    def __init__(self) -> None:
        self._namings = [pl.DataFrame(schema=_NAMINGS)]
        self._articles = [pl.DataFrame(schema={"entity_id": pl.String, "n_articles": pl.UInt32})]
        self._rows = 0

    def counted(self, assigned: _Assigned) -> pl.DataFrame:
        """Count a shard, and give back the rows that are written of it."""
        self._namings.append(assigned.namings)
        self._articles.append(
            assigned.rows.group_by("entity_id").agg(
                n_articles=pl.col("article_id").n_unique().cast(pl.UInt32)
            )
        )
        self._rows += assigned.namings.height
        # Added up each time the rows have doubled, so that neither the rows nor the work grow with the shards' square.
        if self._rows > max(_MOST_ROWS, 2 * self._namings[0].height):
            self._namings, self._articles = [self.namings()], [self.articles()]
            self._rows = self._namings[0].height
        return assigned.rows

    def namings(self) -> pl.DataFrame:
        """How each entity is named in the corpus."""
        return (
            pl.concat(self._namings)
            .group_by(_NAMING)
            .agg(pl.col("n_mentions").sum(), pl.col("evidence").min(), pl.col("score").max())
        )

    def articles(self) -> pl.DataFrame:
        """In how many articles each entity is."""
        return pl.concat(self._articles).group_by("entity_id").agg(pl.col("n_articles").sum())


def _entities(result: Standardised, namings: pl.DataFrame, articles: pl.DataFrame) -> pl.DataFrame:
    named = pl.DataFrame(
        [(cluster.entity_id, cluster.name, cluster.category) for cluster in result.clusters],
        schema={"entity_id": pl.String, "name": pl.String, "category": pl.String},
        orient="row",
    )
    aliases = (
        namings.group_by("entity_id", "text")
        .agg(pl.col("n_mentions").sum())
        .sort(["n_mentions", "text"], descending=[True, False])
        .group_by("entity_id", maintain_order=True)
        .agg(aliases=pl.col("text").head(MAX_ALIASES))
    )
    mentions = namings.group_by("entity_id").agg(pl.col("n_mentions").sum())
    return (
        named.join(aliases, on="entity_id")
        .join(mentions, on="entity_id")
        .join(articles, on="entity_id")
        .sort("entity_id")
    )
