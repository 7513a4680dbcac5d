"""The mentions of a corpus as standardisation reads them: by shard, each form with its counts.

What was counted of a shard is remembered as long as the shard, the decisions about its names and the code stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from kg_pipeline.datasets import Datasets
from kg_pipeline.fingerprint import code_digest, short_digest, unchanged_file_sha256
from kg_pipeline.normalization.decisions import Decisions
from kg_pipeline.normalization.refreshing import GIVEN, KEY, forms_of
from kg_pipeline.normalization.remembered import Remembered
from kg_pipeline.normalization.standardise import Form

#: Modules that decide what is remembered.
CODE = ("kg_pipeline.normalization", "kg_pipeline.vocabulary")
_MENTIONS = ("mentions", "triple_mentions")


@dataclass(frozen=True, slots=True)
class MentionSource:
    """The mentions of a corpus, shard by shard, as decisions have them read."""

    datasets: Datasets
    corpus: str
    decisions: Decisions
    remembered: Remembered

    def shards(self) -> list[str]:
        """Shards that have mentions."""
        return _shards(self.datasets, self.corpus)

    def digest(self, shard: str) -> str:
        """What the mentions of a shard are, and how they are read."""
        paths = [self.datasets.fetched(name, self.corpus, shard) for name in _MENTIONS]
        files = [unchanged_file_sha256(path) if path.is_file() else "" for path in paths]
        return short_digest(files, sorted(self.decisions.apart), code_digest(CODE))

    def mentions(self, shard: str) -> pl.DataFrame:
        """The mentions of a shard, each position once."""
        return _mentions(self.datasets, self.corpus, shard, self.decisions)

    def counted(self, shard: str) -> pl.DataFrame:
        """The forms of a shard with their counts."""
        return self.remembered.table(
            f"counted-{shard}", self.digest(shard), lambda: _counted(self.mentions(shard))
        )


def _shards(datasets: Datasets, corpus: str) -> list[str]:
    return sorted({shard for name in _MENTIONS for shard in datasets.shards(name, corpus)})


def _mentions(datasets: Datasets, corpus: str, shard: str, decisions: Decisions) -> pl.DataFrame:
    """Mentions of a shard, those a language model added included, each position once.

    A short form that people parted from the long form its article defines stands for itself.
    """
    both = [datasets.read_or_empty(name, corpus, shard) for name in _MENTIONS]
    return (
        pl.concat(both)
        # A reader of triples may have settled which of its candidates an open mention is.
        .sort(pl.col("concept_id").is_null(), maintain_order=True)
        .unique("mention_id", keep="first", maintain_order=True)
        .with_columns(
            normal_form=on_one_line("normal_form"),
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


def on_one_line(column: str) -> pl.Expr:
    """A column of names without line breaks."""
    return pl.col(column).str.replace_all(r"\s+", " ").str.strip_chars()


def _is_parted(decisions: Decisions) -> pl.Expr:
    pairs = [*decisions.apart, *((other, one) for one, other in decisions.apart)]
    is_pair = [(pl.col("text") == one) & (pl.col("normal_form") == other) for one, other in sorted(pairs)]
    return pl.any_horizontal(is_pair) if is_pair else pl.lit(value=False)


def corpus_forms(datasets: Datasets, corpus: str) -> list[Form]:
    """The distinct normal forms of a corpus with their counts, in order; none where it has no mentions."""
    shards = _shards(datasets, corpus)
    return forms_of(total([_counted(_mentions(datasets, corpus, shard, Decisions())) for shard in shards]))


def _counted(mentions: pl.DataFrame) -> pl.DataFrame:
    """The forms of some mentions (`GIVEN`)."""
    counted = mentions.group_by(KEY).agg(
        count=pl.len(),
        evidence=pl.col("mention_id").min(),
        score=pl.col("score").max(),
        is_open=pl.col("is_open").any(),
    )
    return counted.select(pl.col(name).cast(kind) for name, kind in GIVEN.items()).sort(KEY)


def total(counted: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The forms of all shards, with the counts of all."""
    return (
        pl.concat([pl.DataFrame(schema=GIVEN), *counted])
        .group_by(KEY)
        .agg(pl.col("count").sum(), pl.col("evidence").min(), pl.col("score").max(), pl.col("is_open").any())
        .select(pl.col(name).cast(kind) for name, kind in GIVEN.items())
        .sort(KEY)
    )
