"""From mentions to entities."""

from dataclasses import asdict

import dagster as dg

from assets.dagster_checks import corpus_check_spec
from assets.extraction import mentions, triples, vocabulary
from assets.partitions import CORPUS
from assets.stage import result, stage_run
from kg_pipeline import checks
from kg_pipeline.fingerprint import code_digest
from kg_pipeline.normalization.remembered import remembered_of
from kg_pipeline.normalization.stage import build_entities
from kg_pipeline.normalization.synonyms import build_synonyms
from kg_pipeline.vocabulary.index.build import build_vocabulary
from kg_pipeline.vocabulary.index.lookup import open_vocabulary
from resources.workspace import Workspace


@dg.asset(
    group_name="normalization",
    partitions_def=CORPUS,
    code_version=code_digest(["kg_pipeline.normalization", "kg_pipeline.vocabulary"])[:12],
    kinds={"parquet"},
    pool="memory",
    deps=[mentions, triples, vocabulary],
    check_specs=[
        corpus_check_spec("entities", "entities_cover_mentions", checks.every_mention_has_an_entity)
    ],
)
def entities(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult:
    """Standardised entities, the mentions that belong to each, every merge with its reason, and names to ask for them by."""
    settings, corpus = workspace.settings(), context.partition_key
    datasets = workspace.datasets()
    with stage_run(context, settings):
        report = build_entities(datasets, workspace.corpus(corpus), settings)
        opened = open_vocabulary(build_vocabulary(settings))
        synonyms = build_synonyms(datasets, corpus, opened, remembered_of(settings, corpus))
    outcome = checks.every_mention_has_an_entity(datasets, corpus)
    return result(
        datasets,
        corpus,
        "entities",
        {**asdict(report), "synonyms": synonyms},
        {"entities_cover_mentions": outcome},
    )
