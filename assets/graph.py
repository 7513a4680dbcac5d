"""From relations to a graph version that `retrieval` reads, and to Neo4j."""

from base64 import b64encode
from pathlib import Path

import dagster as dg
import polars as pl

from assets import freshness, graph_checks
from assets.dagster_checks import check_results, corpus_check_spec
from assets.extraction import mentions, triples
from assets.inference import community_relations, lexical_relations, relations, transitive_relations
from assets.literature import article_index, articles, chunks, documents
from assets.normalization import entities
from assets.partitions import CORPUS
from assets.stage import SHOWN_ROWS, preview, result, stage_run, stage_seconds
from kg_pipeline import checks
from kg_pipeline.corpora import shard_keys
from kg_pipeline.errors import SettingsError
from kg_pipeline.fingerprint import code_digest
from kg_pipeline.graph import layout
from kg_pipeline.graph.assembly.assemble import assemble_version
from kg_pipeline.graph.assembly.embed import build_embeddings
from kg_pipeline.graph.exchange.export import export_version
from kg_pipeline.graph.exchange.source import ANY_LICENSE
from kg_pipeline.graph.inspection import checks as health
from kg_pipeline.graph.inspection.plots import plot_version
from kg_pipeline.graph.neo4j import load_version
from kg_pipeline.graph.reader import Manifest
from kg_pipeline.settings import Settings
from resources.workspace import Workspace

GROUP = "graph"
_CODE = code_digest(["kg_pipeline.graph"])[:12]


@dg.asset(
    group_name="embedding",
    partitions_def=CORPUS,
    code_version=code_digest(["kg_pipeline.graph.assembly.embed", "kg_pipeline.llm.embeddings"])[:12],
    kinds={"parquet"},
    pool="memory",
    deps=[chunks, entities],
    check_specs=[corpus_check_spec("embeddings", "embeddings_cover_graph", checks.embeddings_cover_graph)],
)
def embeddings(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult:
    """A vector for every chunk and entity."""
    settings, corpus, datasets = workspace.settings(), context.partition_key, workspace.datasets()
    with stage_run(context, settings):
        counts = build_embeddings(datasets, workspace.corpus(corpus), settings)
    outcome = checks.embeddings_cover_graph(datasets, corpus)
    return result(datasets, corpus, "embeddings", counts, {"embeddings_cover_graph": outcome})


#: The stages that lead to a version, in their order.
_BEFORE = (
    article_index, articles, documents, chunks, mentions, triples, entities, relations, transitive_relations,
    lexical_relations, community_relations, embeddings,
)  # fmt: skip


@dg.asset(
    group_name=GROUP,
    partitions_def=CORPUS,
    code_version=_CODE,
    kinds={"folder"},
    pool="memory",
    deps=[relations, transitive_relations, lexical_relations, community_relations, embeddings],
    check_specs=[
        corpus_check_spec("graph_version", "graph_version_verifies", graph_checks.verifies),
        *(
            corpus_check_spec("graph_version", name, check, blocking=False)
            for name, check in health.CHECKS.items()
        ),
    ],
)
def graph_version(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult:
    """The immutable, self-contained graph directory; its id is a digest of what it was made from."""
    settings, corpus, datasets = workspace.settings(), context.partition_key, workspace.datasets()
    versions = workspace.versions()
    with stage_run(context, settings):
        spec = workspace.corpus(corpus)
        manifest = assemble_version(datasets, spec, settings)
        folder = versions.folder(corpus, manifest.version)
        verified = graph_checks.verifies(folder)
        if verified.passed:
            # What `current_graph` may publish, also in a run of its own: a blocking check stops only this run.
            versions.propose(corpus, manifest.version)
        outcomes = health.check_version(folder, versions.parent_folder(manifest), spec)
        listed = [info.manifest for info in versions.versions(corpus)]
        earlier = [other for other in listed if other.version != manifest.version]
        seconds = stage_seconds(context.instance, _BEFORE, corpus, shard_keys(settings.shards)[0])
        picture = plot_version(folder, [*earlier, manifest], seconds)
    return dg.MaterializeResult(
        metadata={
            "folder": dg.MetadataValue.path(folder),
            "plots": _shown(picture),
            "sample": dg.MetadataValue.md(preview(_surest(folder))),
            **_summary(manifest),
        },
        check_results=check_results({"graph_version_verifies": verified, **outcomes}),
    )


@dg.asset(
    group_name=GROUP,
    partitions_def=CORPUS,
    code_version=_CODE,
    kinds={"pointer"},
    freshness_policy=freshness.POLICY,
    deps=[graph_version],
    check_specs=[corpus_check_spec("current_graph", "current_graph_opens", graph_checks.opens)],
)
def current_graph(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult:
    """The pointer that `retrieval` follows, moved only to a version that verifies."""
    settings, corpus, versions = workspace.settings(), context.partition_key, workspace.versions()
    with stage_run(context, settings):
        version = versions.publish_proposed(corpus)
        opened = graph_checks.opens(versions, corpus, version)
        manifest = layout.read_manifest(versions.folder(corpus, version))
    return dg.MaterializeResult(
        metadata=_summary(manifest),
        check_results=check_results({"current_graph_opens": opened}),
    )


@dg.asset(
    group_name=GROUP,
    partitions_def=CORPUS,
    code_version=_CODE,
    kinds={"html"},
    deps=[current_graph],
    check_specs=[corpus_check_spec("graph_explorer", "explorer_shows_the_version", graph_checks.is_shown)],
)
def graph_explorer(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult:
    """The current version as pages that open from disk: search, filter, walk, and read the sentence behind an edge."""
    settings, corpus, versions = workspace.settings(), context.partition_key, workspace.versions()
    with stage_run(context, settings):
        version = versions.folder(corpus, versions.resolve(corpus))
        # It stays in the workspace, which holds the sentences anyway.
        written = export_version(version, "html", settings.explorers / corpus, quotable=ANY_LICENSE)
    manifest = layout.read_manifest(version)
    page = settings.explorers / corpus / "index.html"
    shown = graph_checks.is_shown(manifest, page.parent)
    return dg.MaterializeResult(
        metadata={
            "page": dg.MetadataValue.path(page),
            "link": dg.MetadataValue.url(page.as_uri()),
            "megabytes": round(sum(path.stat().st_size for path in written) / 1e6, 1),
            **_summary(manifest),
        },
        check_results=check_results({"explorer_shows_the_version": shown}),
    )


@dg.asset(
    group_name=GROUP,
    partitions_def=CORPUS,
    pool="neo4j",
    code_version=_CODE,
    kinds={"neo4j"},
    deps=[current_graph],
    check_specs=[corpus_check_spec("neo4j_graph", "neo4j_holds_the_version", graph_checks.is_loaded)],
)
def neo4j_graph(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult:
    """The current version in Neo4j, to browse and query; earlier versions stay until they are removed."""
    settings, corpus, versions = workspace.settings(), context.partition_key, workspace.versions()
    with stage_run(context, settings):
        if settings.neo4j is None:
            raise SettingsError(
                "No Neo4j server is set. Set KG_NEO4J_URI, KG_NEO4J_USER and KG_NEO4J_PASSWORD."
            )
        reader = versions.open(corpus)
        manifest = reader.manifest
        reader.close()
        loaded = load_version(settings.neo4j, versions.folder(corpus, manifest.version))
    return dg.MaterializeResult(
        metadata=_summary(manifest),
        check_results=check_results({"neo4j_holds_the_version": graph_checks.is_loaded(manifest, loaded)}),
    )


def is_offered(asset: dg.AssetsDefinition, settings: Settings) -> bool:
    """Whether the asset can be made: without a server, one for Neo4j would only make every backfill fail."""
    return asset.key != neo4j_graph.key or settings.neo4j is not None


def _shown(png: bytes) -> dg.MetadataValue:
    return dg.MetadataValue.md(f"![plots](data:image/png;base64,{b64encode(png).decode()})")


def _surest(folder: Path) -> pl.DataFrame:
    """Asserted relations that most articles state, as a person reads them, each with a sentence that states it."""
    relations, evidence = layout.open_frame(folder, "relations"), layout.open_frame(folder, "evidence")
    name = layout.open_frame(folder, "entities").select("entity_id", "name")
    first = evidence.unique("relation_id", keep="first", maintain_order=True).select("relation_id", "quote")
    return (
        relations.filter(kind="asserted")
        .sort("n_articles", "confidence", "relation_id", descending=[True, True, False])
        .head(SHOWN_ROWS)
        .join(name.rename({"entity_id": "head_id", "name": "head"}), on="head_id", maintain_order="left")
        .join(name.rename({"entity_id": "tail_id", "name": "tail"}), on="tail_id", maintain_order="left")
        .join(first, on="relation_id", how="left", maintain_order="left")
        .select("head", "predicate", "tail", "negated", "speculative", "n_articles", "quote")
    )


def _summary(manifest: Manifest) -> dict[str, dg.MetadataValue | int | str]:
    lines = [
        "| relations | rows |",
        "|---|---|",
        *(f"| {kind} | {count} |" for kind, count in manifest.relations_by_kind.items()),
    ]
    return {
        "version": manifest.version,
        "dagster/row_count": manifest.counts.get("relations", 0),
        **manifest.counts,
        "preview": dg.MetadataValue.md("\n".join(lines)),
    }
