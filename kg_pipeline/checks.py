"""What must hold of the stage tables, checked after each stage.

Each function returns an `Outcome`: whether it holds, a sentence for the person who has to act, and the figures.
The sentence of a failed check says what to do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from kg_pipeline.datasets import Datasets
from kg_pipeline.schema import ARTICLE_STATUSES

#: Share of articles that may fail a stage before it counts as broken rather than as a few odd articles.
MAX_FAILED_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of one check. `is_error` false: worth a look, and the build goes on."""

    passed: bool
    sentence: str
    is_error: bool = True
    figures: Mapping[str, int | float | str] = field(default_factory=dict)


def has_usable_articles(datasets: Datasets, corpus: str) -> Outcome:
    """At least one article of the listing can be used."""
    counts = dict(datasets.read("article_index", corpus).group_by("status").len().sort("status").iter_rows())
    usable = counts.get("ok", 0)
    listing = ", ".join(f"{count} {status}" for status, count in counts.items())
    return Outcome(
        usable > 0,
        f"{usable} articles can be used ({listing})."
        if usable
        else f"No article of corpus {corpus!r} can be used ({listing}). Look at article_index and mend the source.",
        figures=counts,
    )


def has_one_known_status(datasets: Datasets, corpus: str) -> Outcome:
    """Every listed article has exactly one row in `articles`, with a status of the closed set."""
    rows = datasets.scan("articles", corpus).select("article_id", "status").collect()
    repeated = rows.height - rows["article_id"].n_unique()
    unknown = rows.filter(~pl.col("status").is_in(ARTICLE_STATUSES)).height
    passed = repeated == 0 and unknown == 0
    return Outcome(
        passed,
        "Every article has one status."
        if passed
        else f"{repeated} articles have several rows and {unknown} an unknown status. Delete the articles dataset and build again.",
        figures=dict(rows.group_by("status").len().sort("status").iter_rows()),
    )


def few_articles_fail(datasets: Datasets, stage: str, corpus: str) -> Outcome:
    """At most `MAX_FAILED_SHARE` of the articles failed the stage."""
    status = datasets.scan(f"{stage}.status", corpus).select("article_id", "status", "reason").collect()
    failed = status.filter(pl.col("status") == "failed")
    partial = status.filter(pl.col("status") == "partial").height
    share = failed.height / max(1, status.height)
    passed = share <= MAX_FAILED_SHARE
    reasons = failed["reason"].value_counts(sort=True).head(3)["reason"].to_list()
    sentence = f"{failed.height} of {status.height} articles failed stage {stage}"
    if partial:
        sentence += f", {partial} are incomplete and are tried again by the next build"
    if reasons:
        sentence += f"; most often: {'; '.join(reasons)}"
    figures = {"articles": status.height, "failed": failed.height, "incomplete": partial}
    return Outcome(passed and not partial, f"{sentence}.", is_error=not passed, figures=figures)


def spans_match_text(datasets: Datasets, dataset: str, corpus: str, column: str) -> Outcome:
    """`documents.text[start:end]` is what the dataset quotes in `column`, for every row."""
    rows = wrong = 0
    for shard, documents in datasets.batches("documents", corpus):
        spans = datasets.read_or_empty(dataset, corpus, shard).select("article_id", "start", "end", column)
        joined = spans.join(documents.select("article_id", document_text="text"), on="article_id", how="left")
        rows += joined.height
        sliced = pl.col("document_text").str.slice(pl.col("start"), pl.col("end") - pl.col("start"))
        wrong += joined.filter(~(sliced == pl.col(column)).fill_null(value=False)).height
    return Outcome(
        wrong == 0,
        f"All {rows} rows of {dataset} quote their article exactly."
        if wrong == 0
        else f"{wrong} of {rows} rows of {dataset} do not match their article's text. Delete the {dataset} dataset and build again.",
        figures={"rows": rows, "wrong": wrong},
    )


def is_not_empty(datasets: Datasets, dataset: str, corpus: str, advice: str) -> Outcome:
    """The dataset has rows; `advice` says what to do when it has none."""
    rows = int(datasets.scan(dataset, corpus).select(pl.len()).collect().item())
    return Outcome(
        rows > 0,
        f"{dataset} holds {rows} rows." if rows else f"{dataset} of corpus {corpus!r} is empty. {advice}",
        figures={"rows": rows},
    )


def commonest_reason(datasets: Datasets, stage: str, corpus: str) -> str:
    """What most articles of a stage lack or failed for, as its status says; empty if none does."""
    reasons = datasets.scan(f"{stage}.status", corpus).filter(pl.col("reason") != "")
    counted = reasons.group_by("reason").len().sort("len", "reason", descending=[True, False]).collect()
    return str(counted["reason"][0]) if counted.height else ""


def every_mention_has_an_entity(datasets: Datasets, corpus: str) -> Outcome:
    """Standardisation lost no mention and invented none."""
    offered = pl.concat(
        [datasets.scan(name, corpus).select("mention_id") for name in ("mentions", "triple_mentions")]
    ).unique()
    assigned = datasets.scan("entity_mentions", corpus).select("mention_id")
    lost = offered.join(assigned, on="mention_id", how="anti").select(pl.len()).collect().item()
    stray = assigned.join(offered, on="mention_id", how="anti").select(pl.len()).collect().item()
    return Outcome(
        lost == 0 and stray == 0,
        "Every mention belongs to an entity."
        if lost == 0 and stray == 0
        else f"{lost} mentions have no entity and {stray} entities' mentions do not exist. Build the corpus again.",
        figures={"lost": int(lost), "stray": int(stray)},
    )


def every_relation_has_evidence(datasets: Datasets, corpus: str) -> Outcome:
    """Each asserted relation leads to at least one sentence."""
    relations = datasets.scan("relations", corpus).select("relation_id")
    evidence = datasets.scan("evidence", corpus).select("relation_id").unique()
    bare = int(relations.join(evidence, on="relation_id", how="anti").select(pl.len()).collect().item())
    return Outcome(
        bare == 0,
        "Every relation quotes at least one sentence."
        if bare == 0
        else f"{bare} relations have no evidence. Build the corpus again.",
        figures={"without_evidence": bare},
    )


def premises_exist(datasets: Datasets, dataset: str, corpus: str) -> Outcome:
    """Each inferred relation names premises, all of which are asserted relations of this corpus."""
    inferred = datasets.scan(dataset, corpus).select("relation_id", "premises")
    asserted = datasets.scan("relations", corpus).select(premises="relation_id")
    named = inferred.explode("premises").drop_nulls("premises")
    dangling = int(named.join(asserted, on="premises", how="anti").select(pl.len()).collect().item())
    return Outcome(
        dangling == 0,
        "Every premise is an asserted relation."
        if dangling == 0
        else f"{dangling} premises of {dataset} do not exist. Build the corpus again.",
        figures={"dangling": dangling},
    )


def embeddings_cover_graph(datasets: Datasets, corpus: str) -> Outcome:
    """Every chunk and every entity has a vector."""
    missing = 0
    for kind, dataset, key in (("chunk", "chunks", "chunk_id"), ("entity", "entities", "entity_id")):
        vectors = datasets.scan("embeddings", corpus).filter(pl.col("kind") == kind).select("id")
        nodes = datasets.scan(dataset, corpus).select(id=key)
        missing += int(nodes.join(vectors, on="id", how="anti").select(pl.len()).collect().item())
    return Outcome(
        missing == 0,
        "Every chunk and entity has a vector."
        if missing == 0
        else f"{missing} chunks or entities have no vector. Build the corpus again.",
        figures={"missing": missing},
    )
