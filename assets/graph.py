"""From relations to a graph version that `retrieval` reads, and to Neo4j."""

import dagster as dg

from assets.inference import community_relations, lexical_relations, relations, transitive_relations
from assets.literature import chunks
from assets.normalization import entities
from assets.partitions import CORPUS
from assets.stage import check_results, result, stage_run
from kg_pipeline import checks
from kg_pipeline.errors import SettingsError
from kg_pipeline.fingerprint import code_digest
from kg_pipeline.graph.assemble import assemble_version
from kg_pipeline.graph.embed import build_embeddings
from kg_pipeline.graph.neo4j import load_version
from kg_pipeline.graph.reader import Manifest
from kg_pipeline.graph.verify import verify_version
from resources.workspace import Workspace

GROUP = "graph"
_CODE = code_digest(["kg_pipeline.graph"])[:12]
_INFERRED = ("transitive_relations", "lexical_relations", "community_relations")
_SHRUNK = 0.5


@dg.asset(
    group_name=GROUP,
    partitions_def=CORPUS,
    code_version=code_digest(["kg_pipeline.graph.embed", "kg_pipeline.llm.embeddings"])[:12],
    kinds={"parquet"},
    deps=[chunks, entities],
    check_specs=[dg.AssetCheckSpec("embeddings_cover_graph", asset="embeddings", blocking=True)],
)
def embeddings(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult:
    """A vector for every chunk and entity."""
    settings, corpus, datasets = workspace.settings(), context.partition_key, workspace.datasets()
    with stage_run(context, settings.home):
        counts = build_embeddings(datasets, workspace.corpus(corpus), settings)
    outcome = checks.embeddings_cover_graph(datasets, corpus)
    return result(datasets, corpus, "embeddings", counts, {"embeddings_cover_graph": outcome})


@dg.asset(
    group_name=GROUP,
    partitions_def=CORPUS,
    code_version=_CODE,
    kinds={"folder"},
    deps=[relations, transitive_relations, lexical_relations, community_relations, embeddings],
    check_specs=[
        dg.AssetCheckSpec("graph_version_verifies", asset="graph_version", blocking=True),
        dg.AssetCheckSpec("inferred_relations_stay_in_proportion", asset="graph_version"),
        dg.AssetCheckSpec("graph_has_not_shrunk", asset="graph_version"),
    ],
)
def graph_version(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult:
    """The immutable, self-contained graph directory; its id is a digest of what it was made from."""
    settings, corpus, datasets = workspace.settings(), context.partition_key, workspace.datasets()
    versions = workspace.versions()
    with stage_run(context, settings.home):
        manifest = assemble_version(datasets, workspace.corpus(corpus), settings)
        folder = versions.folder(corpus, manifest.version)
        problems = [str(problem) for problem in verify_version(folder)]
    parent = next((v.manifest for v in versions.versions(corpus) if v.version == manifest.parent), None)
    outcomes = {
        "graph_version_verifies": checks.Outcome(
            not problems,
            f"Version {manifest.version} verifies."
            if not problems
            else f"{'; '.join(problems[:3])}. Build the corpus again.",
        ),
        "inferred_relations_stay_in_proportion": checks.inferred_stay_in_proportion(
            datasets, corpus, _INFERRED
        ),
        "graph_has_not_shrunk": _compare(manifest, parent),
    }
    return dg.MaterializeResult(
        metadata={
            "version": manifest.version,
            "folder": dg.MetadataValue.path(folder),
            "dagster/row_count": manifest.counts.get("relations", 0),
            **manifest.counts,
            "preview": dg.MetadataValue.md(_as_markdown(manifest)),
        },
        check_results=check_results(outcomes),
    )


@dg.asset(
    group_name=GROUP,
    partitions_def=CORPUS,
    code_version=_CODE,
    kinds={"pointer"},
    deps=[graph_version],
    check_specs=[dg.AssetCheckSpec("current_graph_opens", asset="current_graph", blocking=True)],
)
def current_graph(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult:
    """The pointer that `retrieval` follows, moved only to a version that verifies."""
    settings, corpus, versions = workspace.settings(), context.partition_key, workspace.versions()
    with stage_run(context, settings.home):
        # A blocking check stops its own run only; a run of this asset alone must not publish what it refused.
        manifest = assemble_version(workspace.datasets(), workspace.corpus(corpus), settings)
        problems = verify_version(versions.folder(corpus, manifest.version))
        if problems:
            raise dg.Failure(
                description=f"Version {manifest.version} does not verify ({problems[0]}); the current one stays. "
                "Build the corpus again.",
                allow_retries=False,
            )
        versions.publish(corpus, manifest.version)
        reader = versions.open(corpus)
        opened = reader.manifest.version
        reader.close()
    outcome = checks.Outcome(opened == manifest.version, f"The current graph is {opened}.")
    return dg.MaterializeResult(
        metadata={
            "version": opened,
            "folder": dg.MetadataValue.path(versions.folder(corpus, opened)),
            "preview": dg.MetadataValue.md(_as_markdown(manifest)),
            "dagster/row_count": manifest.counts.get("relations", 0),
        },
        check_results=check_results({"current_graph_opens": outcome}),
    )


@dg.asset(
    group_name=GROUP,
    partitions_def=CORPUS,
    pool="neo4j",
    code_version=_CODE,
    kinds={"neo4j"},
    deps=[current_graph],
    check_specs=[dg.AssetCheckSpec("neo4j_holds_the_version", asset="neo4j_graph", blocking=True)],
)
def neo4j_graph(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult:
    """The current version in Neo4j, to browse and query; earlier versions stay until they are removed."""
    settings, corpus, versions = workspace.settings(), context.partition_key, workspace.versions()
    with stage_run(context, settings.home):
        if settings.neo4j is None:
            raise SettingsError(
                "No Neo4j server is set. Set KG_NEO4J_URI, KG_NEO4J_USER and KG_NEO4J_PASSWORD."
            )
        reader = versions.open(corpus)
        manifest = reader.manifest
        reader.close()
        counts = load_version(settings.neo4j, versions.folder(corpus, manifest.version))
    expected, loaded = manifest.counts.get("relations", 0), counts.get("relations", 0)
    outcome = checks.Outcome(
        expected == loaded,
        f"Neo4j holds {loaded} of {expected} relations of {manifest.version}."
        + ("" if expected == loaded else " Materialise neo4j_graph again."),
    )
    return dg.MaterializeResult(
        metadata={
            "version": manifest.version,
            "dagster/row_count": loaded,
            **counts,
            "preview": dg.MetadataValue.md(_as_markdown(manifest)),
        },
        check_results=check_results({"neo4j_holds_the_version": outcome}),
    )


def _compare(manifest: Manifest, parent: Manifest | None) -> checks.Outcome:
    if parent is None:
        return checks.Outcome(
            passed=True, sentence="There is no earlier version to compare with.", is_error=False
        )
    before, now = parent.counts.get("relations", 0), manifest.counts.get("relations", 0)
    passed = now >= _SHRUNK * before
    return checks.Outcome(
        passed,
        f"{now} relations, {before} in {parent.version}."
        + ("" if passed else " Look at the statuses of the articles before you trust this version."),
        is_error=False,
        figures={"before": before, "now": now},
    )


def _as_markdown(manifest: Manifest) -> str:
    rows = {**manifest.counts, **{f"relations: {kind}": n for kind, n in manifest.relations_by_kind.items()}}
    return "\n".join(
        ["| what | rows |", "|---|---|", *(f"| {name} | {count} |" for name, count in rows.items())]
    )
