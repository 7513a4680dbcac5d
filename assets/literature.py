"""From a corpus to its text: listing, articles, documents, chunks."""

from collections.abc import Callable

import dagster as dg

from assets.dagster_checks import check_spec, corpus_check_spec
from assets.partitions import CORPUS, CORPUS_SHARD
from assets.stage import progress, result, run_shards, shard_result, shards_of_run, stage_run
from kg_pipeline import checks
from kg_pipeline.fingerprint import code_digest
from kg_pipeline.models import require_models
from kg_pipeline.pmc.query_articles import fetch_query
from kg_pipeline.pmc.stage import list_articles
from kg_pipeline.stages import chunk_shard, fetch_shard, parse_shard
from resources.workers import ShardWorkers
from resources.workspace import Workspace

GROUP = "literature"
_PMC_CODE = code_digest(["kg_pipeline.pmc"])[:12]
_TEXT_CODE = code_digest(["kg_pipeline.text"])[:12]


def _reporting(stage: str) -> Callable[[int, int], None]:
    """Progress of a stage that goes article by article; its end is told by `stage_run`."""

    def report(done: int, total: int) -> None:
        if total > 1:
            progress.info(stage, extra={"done": done, "total": total})

    return report


@dg.asset(
    group_name=GROUP,
    partitions_def=CORPUS,
    pool="pmc",
    code_version=_PMC_CODE,
    kinds={"parquet"},
    check_specs=[
        corpus_check_spec("article_index", "article_index_has_usable_articles", checks.has_usable_articles)
    ],
)
def article_index(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult:
    """Every article the corpus holds now, with its status and what changed since the last listing."""
    settings, corpus = workspace.settings(), context.partition_key
    with stage_run(context, settings):
        require_models(settings)
        listing = list_articles(
            workspace.datasets(), workspace.corpus(corpus), settings, _reporting("article_index")
        )
    outcome = checks.has_usable_articles(workspace.datasets(), corpus)
    counts: dict[str, int | str] = {f"change_{change}": count for change, count in listing.changes.items()}
    counts |= {"unchecked": listing.unchecked, "warnings": "; ".join(listing.warnings)}
    return result(
        workspace.datasets(), corpus, "article_index", counts, {"article_index_has_usable_articles": outcome}
    )


@dg.asset(
    group_name=GROUP,
    partitions_def=CORPUS_SHARD,
    backfill_policy=dg.BackfillPolicy.single_run(),
    pool="pmc",
    code_version=_PMC_CODE,
    kinds={"xml"},
    # The vocabulary is read by the mentions only. Dagster takes a stage into the run of the one before it if nothing else
    # is awaited by then; otherwise it starts runs for the shards as their records come in, a few of them at a time.
    deps=[article_index, "vocabulary"],
    check_specs=[
        check_spec("articles", "articles_have_one_known_status", checks.has_one_known_status),
        check_spec("articles", "articles_rarely_fail", checks.few_articles_fail),
    ],
)
def articles(
    context: dg.AssetExecutionContext, workspace: Workspace, workers: ShardWorkers
) -> dg.MaterializeResult:
    """Raw XML in the content-addressed store that all corpora share, and one status an article."""
    corpus, shards = shards_of_run(context)
    settings, spec = workspace.settings(), workspace.corpus(corpus)
    if spec.query is None:
        # Workers that share no disk do not see the folder.
        reports = run_shards(context, workspace, workers, fetch_shard, stays=bool(settings.store))
    else:
        # One stream of requests for all shards: more processes would only wait for the network, too.
        with stage_run(context, settings):
            reports = fetch_query(
                workspace.datasets(),
                workspace.articles(),
                spec.query,
                spec,
                settings,
                shards,
                _reporting("articles"),
            )
    outcomes = {
        "articles_have_one_known_status": checks.has_one_known_status(workspace.datasets(), corpus),
        "articles_rarely_fail": checks.few_articles_fail(workspace.datasets(), "articles", corpus),
    }
    return shard_result(workspace.datasets(), corpus, "articles", reports, outcomes)


@dg.asset(
    group_name=GROUP,
    partitions_def=CORPUS_SHARD,
    backfill_policy=dg.BackfillPolicy.single_run(),
    code_version=_PMC_CODE,
    kinds={"parquet"},
    deps=[articles],
    check_specs=[check_spec("documents", "documents_rarely_fail", checks.few_articles_fail)],
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
    check_specs=[check_spec("chunks", "chunks_match_text", checks.spans_match_text)],
)
def chunks(
    context: dg.AssetExecutionContext, workspace: Workspace, workers: ShardWorkers
) -> dg.MaterializeResult:
    """Windows of whole sentences within a section, overlapping, with offsets into the document."""
    corpus, _ = shards_of_run(context)
    reports = run_shards(context, workspace, workers, chunk_shard)
    outcome = checks.spans_match_text(workspace.datasets(), "chunks", corpus, "text")
    return shard_result(workspace.datasets(), corpus, "chunks", reports, {"chunks_match_text": outcome})
