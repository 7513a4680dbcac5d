"""From triples to relations, and from relations to what follows from them."""

import dagster as dg

from assets.dagster_checks import corpus_check_spec
from assets.extraction import triples, vocabulary
from assets.normalization import entities
from assets.partitions import CORPUS
from assets.stage import result, run_settings, spending, stage_run
from kg_pipeline import checks
from kg_pipeline.fingerprint import code_digest
from kg_pipeline.inference.stage import build_community, build_lexical, build_relations, build_transitive
from resources.workspace import Workspace

GROUP = "inference"
_MODULES = ("kg_pipeline.inference", "kg_pipeline.vocabulary")
_CODE = code_digest(_MODULES)[:12]
_COMMUNITY_CODE = code_digest(_MODULES, ["graspologic-native"])[:12]
_NO_RELATIONS = (
    "Look at the rejects and at the triples of the corpus; too few articles, or no language model?"
)


@dg.asset(
    group_name=GROUP,
    partitions_def=CORPUS,
    code_version=_CODE,
    kinds={"parquet"},
    deps=[triples, entities],
    check_specs=[
        corpus_check_spec("relations", "relations_are_not_empty", checks.is_not_empty),
        corpus_check_spec("relations", "relations_have_evidence", checks.every_relation_has_evidence),
    ],
)
def relations(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult:
    """Asserted relations between entities, each with the sentences that state it."""
    settings, corpus, datasets = workspace.settings(), context.partition_key, workspace.datasets()
    with stage_run(context, settings):
        counts = build_relations(datasets, workspace.corpus(corpus))
    failed = checks.commonest_reason(datasets, "triples", corpus)
    advice = f"Most articles lack triples for this reason: {failed}" if failed else _NO_RELATIONS
    outcomes = {
        "relations_are_not_empty": checks.is_not_empty(datasets, "relations", corpus, advice),
        "relations_have_evidence": checks.every_relation_has_evidence(datasets, corpus),
    }
    return result(datasets, corpus, "relations", counts, outcomes)


@dg.asset(
    group_name=GROUP,
    partitions_def=CORPUS,
    code_version=_CODE,
    kinds={"parquet"},
    deps=[relations, entities],
    check_specs=[
        corpus_check_spec("transitive_relations", "transitive_premises_exist", checks.premises_exist)
    ],
)
def transitive_relations(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult:
    """Relations composed of two asserted ones through the typed composition table."""
    settings, corpus, datasets = workspace.settings(), context.partition_key, workspace.datasets()
    with stage_run(context, settings):
        counts = build_transitive(datasets, workspace.corpus(corpus))
    outcome = checks.premises_exist(datasets, "transitive_relations", corpus)
    return result(datasets, corpus, "transitive_relations", counts, {"transitive_premises_exist": outcome})


@dg.asset(
    group_name=GROUP,
    partitions_def=CORPUS,
    code_version=_CODE,
    kinds={"parquet"},
    deps=[relations, entities, vocabulary],
    check_specs=[corpus_check_spec("lexical_relations", "lexical_premises_exist", checks.premises_exist)],
)
def lexical_relations(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult:
    """Relations between entities whose names share a head noun, confirmed by the vocabulary's hierarchy."""
    settings, corpus, datasets = workspace.settings(), context.partition_key, workspace.datasets()
    with stage_run(context, settings):
        counts = build_lexical(datasets, workspace.corpus(corpus), settings)
    outcome = checks.premises_exist(datasets, "lexical_relations", corpus)
    return result(datasets, corpus, "lexical_relations", counts, {"lexical_premises_exist": outcome})


@dg.asset(
    group_name=GROUP,
    partitions_def=CORPUS,
    pool="llm",
    code_version=_COMMUNITY_CODE,
    kinds={"parquet"},
    deps=[relations, entities, "embeddings"],
    check_specs=[corpus_check_spec("community_relations", "community_premises_exist", checks.premises_exist)],
)
def community_relations(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult:
    """Hypotheses that link communities of the graph, marked as such, with their support on both sides."""
    settings, corpus, datasets = run_settings(workspace), context.partition_key, workspace.datasets()
    with stage_run(context, settings), spending(context, settings):
        counts = build_community(datasets, workspace.corpus(corpus), settings)
    outcome = checks.premises_exist(datasets, "community_relations", corpus)
    return result(datasets, corpus, "community_relations", counts, {"community_premises_exist": outcome})
