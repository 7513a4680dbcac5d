"""From text to triples: vocabulary, mentions, triples."""

from typing import Any

import dagster as dg
import polars as pl

from assets.dagster_checks import check_results, check_spec
from assets.graph_checks import CONTROLS, knows_controls
from assets.literature import chunks
from assets.partitions import CORPUS_SHARD
from assets.stage import (
    run_settings,
    run_shards,
    shard_result,
    shards_of_run,
    spending,
    stage_run,
    translated_errors,
)
from kg_pipeline import checks
from kg_pipeline.datasets import Datasets
from kg_pipeline.extraction.annotations.stage import BroughtReport, bring_annotations
from kg_pipeline.extraction.triples.llm_batches import answer_in_batches
from kg_pipeline.fingerprint import code_digest
from kg_pipeline.stages import extract_shard, recognise_shard
from kg_pipeline.vocabulary.index.build import build_vocabulary
from kg_pipeline.vocabulary.index.lookup import open_vocabulary
from resources.workers import ShardWorkers
from resources.workspace import Workspace

GROUP = "extraction"
_VOCABULARY_CODE = code_digest(["kg_pipeline.vocabulary"])[:12]
_EXTRACTION_CODE = code_digest(["kg_pipeline.extraction", "kg_pipeline.vocabulary"])[:12]


@dg.asset(
    group_name=GROUP,
    code_version=_VOCABULARY_CODE,
    kinds={"index"},
    check_specs=[check_spec("vocabulary", "vocabulary_knows_controls", knows_controls)],
)
def vocabulary(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult:
    """Concepts and their names as a memory-mapped look-up index, shared by all corpora."""
    settings = workspace.settings()
    with stage_run(context, settings):
        index = open_vocabulary(build_vocabulary(settings))
    return dg.MaterializeResult(
        metadata={
            "digest": index.digest,
            "dagster/row_count": len(index),
            "preview": dg.MetadataValue.md(
                "\n".join(f"- {name}: {_concepts(index.lookup(name))}" for name in CONTROLS)
            ),
        },
        check_results=check_results({"vocabulary_knows_controls": knows_controls(index)}),
    )


def _concepts(candidates: Any) -> str:
    return (
        ", ".join(f"{candidate.name} ({candidate.concept_id})" for candidate in candidates[:3]) or "unknown"
    )


@dg.asset(
    group_name=GROUP,
    partitions_def=CORPUS_SHARD,
    backfill_policy=dg.BackfillPolicy.single_run(),
    code_version=_EXTRACTION_CODE,
    kinds={"parquet"},
    deps=[chunks, vocabulary],
    check_specs=[check_spec("mentions", "mentions_match_text", checks.spans_match_text)],
)
def mentions(
    context: dg.AssetExecutionContext, workspace: Workspace, workers: ShardWorkers
) -> dg.MaterializeResult:
    """Entities in the text: span, Biolink category and concept candidates."""
    corpus, _ = shards_of_run(context)
    reports = run_shards(context, workspace, workers, recognise_shard)
    outcome = checks.spans_match_text(workspace.datasets(), "mentions", corpus, "text")
    return shard_result(workspace.datasets(), corpus, "mentions", reports, {"mentions_match_text": outcome})


@dg.asset(
    group_name=GROUP,
    partitions_def=CORPUS_SHARD,
    backfill_policy=dg.BackfillPolicy.single_run(),
    pool="llm",
    code_version=_EXTRACTION_CODE,
    kinds={"parquet"},
    deps=[mentions],
    check_specs=[
        check_spec("triples", "triples_quote_their_sentence", checks.spans_match_text),
        check_spec("triples", "triples_rarely_fail", checks.few_articles_fail),
    ],
)
def triples(
    context: dg.AssetExecutionContext, workspace: Workspace, workers: ShardWorkers
) -> dg.MaterializeResult:
    """Head, predicate, tail and the quote that states it, with negation and speculation kept."""
    corpus, shards = shards_of_run(context)
    settings = run_settings(workspace)
    with spending(context, settings):
        with translated_errors(context, settings.home):
            spec = workspace.corpus(corpus)
            brought = bring_annotations(workspace.datasets(), spec, settings)
            answer_in_batches(workspace.datasets(), spec, shards, settings, announce=context.log.warning)
        # A language model's answers, and what was spent on them, are kept here, so that nothing is paid for twice.
        is_asked_here = settings.llm is not None and bool(settings.store)
        reports = run_shards(context, workspace, workers, extract_shard, stays=is_asked_here)
    datasets = workspace.datasets()
    if brought is not None:
        context.add_asset_metadata(_brought_in(brought))
        for problem in brought.problems:
            context.log.warning("Annotations that were not read to their end: %s", problem)
    outcomes = {
        "triples_quote_their_sentence": checks.spans_match_text(datasets, "triples", corpus, "quote"),
        "triples_rarely_fail": checks.few_articles_fail(datasets, "triples", corpus),
    }
    return shard_result(datasets, corpus, "triples", reports, outcomes, rows=_readable(datasets, corpus))


def _brought_in(report: BroughtReport) -> dict[str, Any]:
    """Records that were brought in, counted as `kg build` counts them; those that an article rejects are in `rejects`.

    They are the distinct relations that went to articles, those that repeat one, and the records that were left out.
    """
    return {
        "brought_in_records": report.records,
        "brought_in_distinct": report.distinct,
        "brought_in_repeated": report.repeated,
        "brought_in_left_out": report.left_out,
        "brought_in_problems": report.problems,
    }


def _readable(datasets: Datasets, corpus: str) -> pl.LazyFrame:
    """Triples as a person reads them: surface forms instead of mention ids, and the quote."""
    names = pl.concat(
        [datasets.scan(name, corpus).select("mention_id", "text") for name in ("mentions", "triple_mentions")]
    ).unique("mention_id")
    return (
        datasets.scan("triples", corpus)
        .join(names.rename({"mention_id": "head_mention_id", "text": "head"}), on="head_mention_id")
        .join(names.rename({"mention_id": "tail_mention_id", "text": "tail"}), on="tail_mention_id")
        .select("head", "predicate", "tail", "negated", "speculative", "quote", "article_id")
    )
