"""Assemble a graph version: an immutable, self-contained directory whose name is a digest of what it holds.

It is written under a temporary name, flushed and renamed, so a version is whole or absent. The id covers the values
of the tables, the settings and the models; not times, machines or vector bytes. The same inputs therefore give the
same id, and a version that is already there is used again.
"""

from __future__ import annotations

import importlib.metadata
import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.errors import GraphError
from kg_pipeline.files import sync, temporary_sibling, write_text
from kg_pipeline.fingerprint import digest, file_sha256
from kg_pipeline.graph import layout
from kg_pipeline.graph.adjacency import build_adjacency, write_adjacency
from kg_pipeline.graph.mentions import build_evidence_rows, build_has_entity
from kg_pipeline.graph.reader import Manifest
from kg_pipeline.graph.tables import LogicalTables, collect_tables
from kg_pipeline.graph.text_index import build_text_index
from kg_pipeline.graph.verify import has_all_files, is_intact
from kg_pipeline.graph.version import VersionStore
from kg_pipeline.schema import EMBEDDING_DIMENSIONS, RELATION_KINDS
from kg_pipeline.settings import Settings

#: What names or finds a corpus and does not change what its graph contains.
_NOT_CONTENT = frozenset({"name", "title", "source"})
_LIBRARIES = ("kg-pipeline", "numpy", "polars", "pyarrow", "scispacy", "spacy", "tantivy")
_KIND_TABLES = {"chunk": "chunks", "entity": "entities"}


def assemble_version(datasets: Datasets, spec: CorpusSpec, settings: Settings) -> Manifest:
    """Make the version that the corpus's datasets describe, or find it made already; its manifest.

    Raises
    ------
    GraphError
        If there are no chunks or no entities, so that there is nothing to ask.

    """
    store = VersionStore(settings.graphs)
    store.sweep(spec.name)
    collected = collect_tables(datasets, spec.name)
    empty = [name for name in ("documents", "chunks", "entities") if not collected.tables[name].num_rows]
    if empty:
        raise GraphError(
            f"Corpus {spec.name!r} has no {' and no '.join(empty)}, so there is no graph to make. "
            f"Look at the statuses of its articles, then run: kg build {spec.name}"
        )
    options = {key: value for key, value in sorted(spec.model_dump().items()) if key not in _NOT_CONTENT}
    models = {
        "embedding": settings.embedding_model,
        "spacy": settings.spacy_model,
        "sentences": settings.sentence_model,
    }
    if settings.llm is not None and spec.extraction != "offline":
        models["llm"] = settings.llm.model
    pending = _pending(datasets, spec.name)
    return write_version(store, spec.name, collected, options=options, models=models, pending_chunks=pending)


def write_version(
    store: VersionStore,
    corpus: str,
    collected: LogicalTables,
    *,
    options: Mapping[str, str | int | float | bool],
    models: Mapping[str, str],
    pending_chunks: int = 0,
) -> Manifest:
    """Write tables as a version of the corpus, or find the same version written already; its manifest.

    Parameters
    ----------
    store
        Where versions live.
    corpus
        The corpus; its current version becomes the parent.
    collected
        The tables, sorted by id, and the vectors.
    options, models
        Settings and models that decided the content; part of the version's id.
    pending_chunks
        Chunks that a language model still owes.

    """
    manifest = _manifest(collected, corpus, store.current(corpus), options, models, pending_chunks)
    folder = store.folder(corpus, manifest.version)
    if folder.exists():
        if is_intact(folder):
            return layout.read_manifest(folder)
        store.discard(corpus, manifest.version)
    aside = temporary_sibling(folder)
    try:
        _write_content(aside, collected)
        files = {name: file_sha256(path) for name, path in layout.version_files(aside)}
        complete = manifest.model_copy(update={"files": files})
        text = json.dumps(complete.model_dump(mode="json"), indent=1, sort_keys=True, ensure_ascii=False)
        write_text(aside / layout.MANIFEST, text + "\n")
        _sync_tree(aside)
        try:
            aside.rename(folder)
        except OSError:
            # Another process made the same version first; the same id means the same content.
            if not has_all_files(folder):
                raise
        sync(folder.parent)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return layout.read_manifest(folder)


def _manifest(
    collected: LogicalTables,
    corpus: str,
    parent: str | None,
    options: Mapping[str, str | int | float | bool],
    models: Mapping[str, str],
    pending_chunks: int,
) -> Manifest:
    inputs = {name: layout.content_digest(table) for name, table in sorted(collected.tables.items())}
    # Vectors follow from text and model; which texts have one belongs to the content.
    embedded = collected.embeddings.select("kind", "id", "text_sha256").to_arrow(
        compat_level=pl.CompatLevel.oldest()
    )
    inputs["embeddings"] = layout.content_digest(embedded)
    identity = digest(Manifest.model_fields["format"].default, inputs, dict(options), dict(models))
    kinds = collected.tables["relations"].column("kind")
    version = f"v{identity[:12]}"
    return Manifest(
        corpus=corpus,
        version=version,
        parent=parent if parent != version else None,
        inputs=inputs,
        settings=dict(options),
        models=dict(models),
        libraries={name: importlib.metadata.version(name) for name in _LIBRARIES},
        counts={
            **{name: table.num_rows for name, table in collected.tables.items()},
            **{name: count for name, count in collected.withdrawn.items() if count},
        },
        relations_by_kind={kind: pc.sum(pc.equal(kinds, kind)).as_py() or 0 for kind in RELATION_KINDS},
        pending_chunks=pending_chunks,
        files={},
    )


def _pending(datasets: Datasets, corpus: str) -> int:
    """Chunks that a language model did not answer; the reason of a `partial` article begins with their number."""
    partial = datasets.scan("triples.status", corpus).filter(pl.col("status") == "partial")
    chunks = pl.col("reason").str.extract(r"^(\d+) of ").cast(pl.Int64).fill_null(1)
    return int(partial.select(chunks.sum()).collect().item())


def _write_content(folder: Path, collected: LogicalTables) -> None:
    tables = collected.tables
    for name, table in tables.items():
        layout.write_table(layout.table_path(folder, name), table)
    write_adjacency(folder, build_adjacency(tables["entities"], tables["relations"]))
    of_chunks, of_entities = build_has_entity(tables)
    of_chunks.write(folder, "chunk_entities")
    of_entities.write(folder, "entity_chunks")
    build_evidence_rows(tables["relations"], tables["evidence"]).write(folder, "relation_evidence")
    for kind, name in _KIND_TABLES.items():
        _write_vectors(folder, kind, tables[name].column(layout.TABLE_KEYS[name]), collected.embeddings)
    build_text_index(
        layout.text_path(folder, "chunk"), tables["chunks"].column("text").to_pylist(), "en_stem"
    )
    build_text_index(layout.text_path(folder, "entity"), _entity_texts(tables), "default")


def _entity_texts(tables: Mapping[str, pa.Table]) -> list[str]:
    rows = tables["entities"].select(["name", "aliases"]).to_pylist()
    return ["\n".join([row["name"], *row["aliases"]]) for row in rows]


def _write_vectors(folder: Path, kind: str, ids: pa.ChunkedArray, embeddings: pl.DataFrame) -> None:
    of_kind = embeddings.filter(pl.col("kind") == kind)
    at = pc.index_in(pa.array(of_kind["id"].to_arrow(), ids.type), value_set=ids)
    known = at.is_valid().to_numpy(zero_copy_only=False)
    rows = at.filter(at.is_valid()).to_numpy().astype(np.int32)
    matrix = of_kind["vector"].to_numpy().reshape(-1, EMBEDDING_DIMENSIONS)[known]
    order = np.argsort(rows, kind="stable")
    layout.write_array(layout.vector_rows_path(folder, kind), rows[order])
    layout.write_array(layout.vector_path(folder, kind), matrix[order].astype(np.float32))


def _sync_tree(folder: Path) -> None:
    for path in sorted(folder.rglob("*")):
        sync(path)
    sync(folder)
