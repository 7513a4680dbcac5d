"""From a corpus to its text: listing, articles, documents, chunks."""

import dagster as dg

from assets.partitions import CORPUS, CORPUS_SHARD
from assets.stage import result, run_shards, shard_result, shards_of_run, stage_run
from kg_pipeline import checks
from kg_pipeline.fingerprint import code_digest
from kg_pipeline.pmc.stage import list_articles
from kg_pipeline.stages import chunk_shard, fetch_shard, parse_shard
from resources.workers import ShardWorkers
from resources.workspace import Workspace

GROUP = "literature"
_PMC_CODE = code_digest(["kg_pipeline.pmc"])[:12]
_TEXT_CODE = code_digest(["kg_pipeline.text"])[:12]


@dg.asset(
    group_name=GROUP,
    partitions_def=CORPUS,
    pool="pmc",
    code_version=_PMC_CODE,
    kinds={"parquet"},
    check_specs=[
        dg.AssetCheckSpec("article_index_has_usable_articles", asset="article_index", blocking=True)
    ],
)
def article_index(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult:
    """Every article the corpus holds now, with its status and what changed since the last listing."""
    settings, corpus = workspace.settings(), context.partition_key
    with stage_run(context, settings.home):
        index = list_articles(workspace.datasets(), workspace.corpus(corpus), settings.shards)
    outcome = checks.has_usable_articles(workspace.datasets(), corpus)
    changes = {
        f"change_{change}": count
        for change, count in index.group_by("change").len().sort("change").iter_rows()
    }
    return result(
        workspace.datasets(), corpus, "article_index", changes, {"article_index_has_usable_articles": outcome}
    )


@dg.asset(
    group_name=GROUP,
    partitions_def=CORPUS_SHARD,
    backfill_policy=dg.BackfillPolicy.single_run(),
    pool="pmc",
    code_version=_PMC_CODE,
    kinds={"xml"},
    deps=[article_index],
    check_specs=[dg.AssetCheckSpec("articles_have_one_known_status", asset="articles", blocking=True)],
)
def articles(
    context: dg.AssetExecutionContext, workspace: Workspace, workers: ShardWorkers
) -> dg.MaterializeResult:
    """Raw XML in the content-addressed store that all corpora share, and one status an article."""
    corpus, _ = shards_of_run(context)
    reports = run_shards(context, workspace, workers, fetch_shard)
    outcome = checks.has_one_known_status(workspace.datasets(), corpus)
    return shard_result(
        workspace.datasets(), corpus, "articles", reports, {"articles_have_one_known_status": outcome}
    )


@dg.asset(
    group_name=GROUP,
    partitions_def=CORPUS_SHARD,
    backfill_policy=dg.BackfillPolicy.single_run(),
    code_version=_PMC_CODE,
    kinds={"parquet"},
    deps=[articles],
    check_specs=[dg.AssetCheckSpec("documents_rarely_fail", asset="documents", blocking=True)],
)
def documents(
    context: dg.AssetExecutionContext, workspace: Workspace, workers: ShardWorkers
) -> dg.MaterializeResult:
    """JATS as metadata, sections, paragraphs, tables and one text with exact offsets."""
    corpus, _ = shards_of_run(context)
    reports = run_shards(context, workspace, workers, parse_shard)
    outcome = checks.few_articles_fail(workspace.datasets(), "documents", corpus)
    return shard_result(
        workspace.datasets(), corpus, "documents", reports, {"documents_rarely_fail": outcome}
    )


@dg.asset(
    group_name=GROUP,
    partitions_def=CORPUS_SHARD,
    backfill_policy=dg.BackfillPolicy.single_run(),
    code_version=_TEXT_CODE,
    kinds={"parquet"},
    deps=[documents],
    check_specs=[dg.AssetCheckSpec("chunks_match_text", asset="chunks", blocking=True)],
)
def chunks(
    context: dg.AssetExecutionContext, workspace: Workspace, workers: ShardWorkers
) -> dg.MaterializeResult:
    """Windows of whole sentences within a section, overlapping, with offsets into the document."""
    corpus, _ = shards_of_run(context)
    reports = run_shards(context, workspace, workers, chunk_shard)
    outcome = checks.spans_match_text(workspace.datasets(), "chunks", corpus, "text")
    return shard_result(workspace.datasets(), corpus, "chunks", reports, {"chunks_match_text": outcome})
