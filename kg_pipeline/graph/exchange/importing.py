"""Import a graph of another tool as a graph version, so that `retrieval` and the stores work on it as on any other."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import polars as pl

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets, empty_frame
from kg_pipeline.errors import GraphError
from kg_pipeline.graph import layout
from kg_pipeline.graph.assembly.assemble import write_version
from kg_pipeline.graph.assembly.embed import build_embeddings
from kg_pipeline.graph.assembly.tables import LogicalTables
from kg_pipeline.graph.exchange import layout_text
from kg_pipeline.graph.exchange.collecting import Collected
from kg_pipeline.graph.exchange.reading import GraphFile, recognise
from kg_pipeline.graph.exchange.records import Article, Edge, Node
from kg_pipeline.graph.reader import Manifest, NodeKind
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.llm.embeddings import Embedder
from kg_pipeline.settings import Settings

Embed = Literal["all", "entities", "none"]

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
#: Values of `embed`, and the kinds of nodes each stands for.
EMBEDDED: dict[Embed, tuple[NodeKind, ...]] = {
    "all": ("chunk", "entity"),
    "entities": ("entity",),
    "none": (),
}


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What became of a graph's rows.

    `records` are edges without a sentence, which their knowledge source stands for; `unnamed` ends that no node
    describes; `unmapped` predicates that became `related_to`, with counts; `skipped` rows without an id or an end.
    """

    manifest: Manifest
    records: int
    unnamed: int
    unmapped: Mapping[str, int]
    skipped: int


def import_graph(
    name: str,
    paths: Sequence[Path],
    settings: Settings,
    *,
    embed: Embed = "all",
    embedder: Embedder | None = None,
) -> ImportReport:
    """Make a version of the corpus `name` from files of nodes and edges; it is not published.

    Parameters
    ----------
    name
        The corpus; a new one, or one that was imported before.
    paths
        KGX TSV or JSON lines, Hetionet's TSV or PrimeKG's CSV; plain or .gz. What they are is told by their columns.
    settings
        Where versions live, and the embedding model.
    embed
        What gets a vector: entities and the passages made of quotes, entities only, or nothing.
    embedder
        The model; by default the one that the settings name.

    Raises
    ------
    GraphError
        If a file cannot be read, holds no edges, the name is no slug, or the corpus is built from articles.

    """
    if not _NAME.fullmatch(name):
        raise GraphError(f"{name!r} cannot name a corpus; use lower-case letters, digits and single hyphens.")
    store = VersionStore.of(settings)
    _refuse_built(store, name)
    files = recognise(paths)
    collected = _collect(files)
    with tempfile.TemporaryDirectory(prefix="kg-import-") as scratch:
        datasets = Datasets(Path(scratch))
        _write_datasets(datasets, name, collected)
        models = {}
        if kinds := EMBEDDED[embed]:
            spec = CorpusSpec(name=name, source=scratch)
            build_embeddings(datasets, spec, settings, embedder=embedder, kinds=kinds)
            models["embedding"] = settings.embedding_model
        tables = LogicalTables.of(datasets, name)
        manifest = write_version(
            store, tables, options={layout.IMPORTED: True}, models=models, ann_above=settings.ann_above
        )
    return ImportReport(
        manifest=manifest,
        records=collected.recorded,
        unnamed=len(collected.unnamed),
        unmapped=dict(sorted(collected.unmapped.items(), key=lambda item: (-item[1], item[0]))),
        skipped=collected.skipped,
    )


def _refuse_built(store: VersionStore, name: str) -> None:
    current = store.current(name)
    if current is not None and not layout.is_imported(layout.read_manifest(store.folder(name, current))):
        raise GraphError(
            f"Corpus {name!r} is built from articles, and an import would take its place. Choose another name."
        )


def _collect(files: Sequence[GraphFile]) -> Collected:
    collected = Collected()
    for file in files:
        for record in file.records():
            match record:
                case Node():
                    collected.add_node(record)
                case Article():
                    collected.add_article(record)
                case Edge():
                    collected.add_edge(record)
                case None:
                    collected.skipped += 1
    return collected


def _write_datasets(datasets: Datasets, name: str, collected: Collected) -> None:
    placed, chunks = layout_text.lay_out(collected.evidence())
    mentions = layout_text.mentions(placed)
    entities = _entities(collected, mentions)
    categories = entities.select("entity_id", "category")
    candidates = pl.lit([], dtype=empty_frame("mentions").schema["candidates"])
    datasets.write("documents", name, layout_text.documents(chunks, collected.articles))
    datasets.write("chunks", name, chunks)
    datasets.write(
        "mentions",
        name,
        mentions.join(categories, on="entity_id").with_columns(
            normal_form="text", concept_id="entity_id", candidates=candidates, source=pl.lit("import")
        ),
    )
    datasets.write("entity_mentions", name, mentions)
    datasets.write("entities", name, entities)
    datasets.write("relations", name, collected.relations())
    datasets.write("evidence", name, placed)


def _entities(collected: Collected, mentions: pl.DataFrame) -> pl.DataFrame:
    rows = [
        {
            "entity_id": node.entity_id,
            "name": node.name,
            "category": node.category,
            # Another tool's node without synonyms has none; ours would list its name.
            "aliases": list(node.aliases) if node.aliases or node.n_mentions is not None else [node.name],
            "n_mentions": node.n_mentions,
            "n_articles": node.n_articles,
        }
        for node in collected.nodes.values()
    ]
    frame = pl.DataFrame(rows, schema=empty_frame("entities").schema)
    counted = mentions.group_by("entity_id").agg(
        seen=pl.len().cast(pl.Int32), places=pl.col("article_id").n_unique().cast(pl.Int32)
    )
    return frame.join(counted, on="entity_id", how="left").with_columns(
        n_mentions=pl.coalesce("n_mentions", "seen", pl.lit(0, pl.Int32)),
        n_articles=pl.coalesce("n_articles", "places", pl.lit(0, pl.Int32)),
    )
