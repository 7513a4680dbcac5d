"""From text to triples: vocabulary, mentions, triples."""

from typing import Any

import dagster as dg

from assets.literature import chunks
from assets.partitions import CORPUS_SHARD
from assets.stage import check_results, run_shards, shard_result, shards_of_run, stage_run
from kg_pipeline import checks
from kg_pipeline.fingerprint import code_digest
from kg_pipeline.stages import extract_shard, recognise_shard
from kg_pipeline.vocabulary.build import build_vocabulary
from kg_pipeline.vocabulary.index import open_vocabulary
from resources.workers import ShardWorkers
from resources.workspace import Workspace

GROUP = "extraction"
_VOCABULARY_CODE = code_digest(["kg_pipeline.vocabulary"])[:12]
_EXTRACTION_CODE = code_digest(["kg_pipeline.extraction", "kg_pipeline.vocabulary"])[:12]

#: Names that any usable vocabulary knows; a missing one means that the index is broken or of the wrong field.
_CONTROLS = ("apoptosis", "systemic lupus erythematosus", "TP53", "cisplatin")


@dg.asset(
    group_name=GROUP,
    code_version=_VOCABULARY_CODE,
    kinds={"index"},
    check_specs=[dg.AssetCheckSpec("vocabulary_knows_controls", asset="vocabulary", blocking=True)],
)
def vocabulary(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult:
    """Concepts and their names as a memory-mapped look-up index, shared by all corpora."""
    settings = workspace.settings()
    with stage_run(context, settings.home):
        index = open_vocabulary(build_vocabulary(settings))
    unknown = [name for name in _CONTROLS if not index.lookup(name)]
    outcome = checks.Outcome(
        not unknown,
        "The vocabulary knows the control names."
        if not unknown
        else f"The vocabulary does not know {', '.join(unknown)}. Delete the vocabulary cache and build it again.",
    )
    return dg.MaterializeResult(
        metadata={
            "digest": index.digest,
            "dagster/row_count": len(index),
            "preview": dg.MetadataValue.md(
                "\n".join(f"- {name}: {_concepts(index.lookup(name))}" for name in _CONTROLS)
            ),
        },
        check_results=check_results({"vocabulary_knows_controls": outcome}),
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
    check_specs=[dg.AssetCheckSpec("mentions_match_text", asset="mentions", blocking=True)],
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
        dg.AssetCheckSpec("triples_quote_their_sentence", asset="triples", blocking=True),
        dg.AssetCheckSpec("triples_rarely_fail", asset="triples", blocking=True),
    ],
)
def triples(
    context: dg.AssetExecutionContext, workspace: Workspace, workers: ShardWorkers
) -> dg.MaterializeResult:
    """Head, predicate, tail and the quote that states it, with negation and speculation kept."""
    corpus, _ = shards_of_run(context)
    reports = run_shards(context, workspace, workers, extract_shard)
    datasets = workspace.datasets()
    outcomes = {
        "triples_quote_their_sentence": checks.spans_match_text(datasets, "triples", corpus, "quote"),
        "triples_rarely_fail": checks.few_articles_fail(datasets, "triples", corpus),
    }
    return shard_result(datasets, corpus, "triples", reports, outcomes)
