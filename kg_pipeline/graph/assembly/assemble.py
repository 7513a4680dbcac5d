"""Assemble a graph version: an immutable, self-contained directory whose name is a digest of what it holds.

It is written under a temporary name, flushed and renamed, so a version is whole or absent. The id covers the values
of the tables, the settings and the models; not times, machines or vector bytes. The same inputs therefore give the
same id, and a version that is already there is used again.

Tables are made, written and let go of one at a time, those that grow with the text of the articles in parts; digests,
and what is derived from tables (adjacency, vectors, text index), are made from the written files, which are mapped, so
memory holds the largest table of entities or relations and not the corpus.
"""

from __future__ import annotations

import importlib.metadata
import json
import shutil
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.errors import GraphError
from kg_pipeline.files import sync, temporary_sibling, write_text
from kg_pipeline.fingerprint import file_sha256
from kg_pipeline.graph import layout
from kg_pipeline.graph.assembly.derived import write_derived
from kg_pipeline.graph.assembly.rights import LicensedTables
from kg_pipeline.graph.assembly.table_parts import write_parts
from kg_pipeline.graph.assembly.tables import IN_PARTS, LogicalTables
from kg_pipeline.graph.reader import Manifest
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.graph.versions.verify import has_all_files, is_intact
from kg_pipeline.schema import RELATION_KINDS
from kg_pipeline.settings import Settings

#: What names or finds a corpus and does not change what its graph contains.
_NOT_CONTENT = frozenset({"name", "title", "source"})
_LIBRARIES = ("kg-pipeline", "numpy", "polars", "pyarrow", "scispacy", "spacy", "tantivy")
#: Checksums and table digests let other threads run, so two at a time keep two cores busy.
_THREADS = 2


@dataclass(frozen=True, slots=True)
class _Written:
    """What was learnt while the tables were written."""

    digests: dict[str, str]
    counts: dict[str, int]
    relations_by_kind: dict[str, int]


def assemble_version(datasets: Datasets, spec: CorpusSpec, settings: Settings) -> Manifest:
    """Make the version that the corpus's datasets describe, or find it made already; its manifest.

    Raises
    ------
    GraphError
        If there are no chunks or no entities, so that there is nothing to ask.

    """
    store = VersionStore.of(settings)
    store.sweep(spec.name)
    tables = LicensedTables.under(LogicalTables.of(datasets, spec.name), spec.rights)
    if empty := tables.empty():
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
    return write_version(
        store,
        tables,
        options=options,
        models=models,
        pending_chunks=pending,
        ann_above=settings.ann_above,
    )


def write_version(
    store: VersionStore,
    tables: LogicalTables,
    *,
    options: Mapping[str, str | int | float | bool],
    models: Mapping[str, str],
    ann_above: int,
    pending_chunks: int = 0,
) -> Manifest:
    """Write tables as a version of their corpus, or find the same version written already; its manifest.

    Parameters
    ----------
    store
        Where versions live; the corpus's current version becomes the parent.
    tables
        What the version holds.
    options, models
        Settings and models that decided the content; part of the version's id.
    ann_above
        Vectors of a kind beyond which they get an approximate index.
    pending_chunks
        Chunks that a language model still owes.

    """
    parent = store.current(tables.corpus)
    aside = temporary_sibling(store.root / tables.corpus / "version")
    try:
        embedded = tables.embedded()
        written = _write_tables(aside, tables, embedded)
        manifest = _manifest(tables, written, parent, options, models, pending_chunks)
        folder = store.folder(tables.corpus, manifest.version)
        if folder.exists():
            if is_intact(folder):
                return layout.read_manifest(folder)
            store.discard(tables.corpus, manifest.version)
        recall = write_derived(aside, tables, embedded, ann_above=ann_above)
        _seal(aside, manifest.model_copy(update={"recall": recall}))
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


def _write_tables(folder: Path, tables: LogicalTables, embedded: pl.DataFrame) -> _Written:
    """Write all tables; one is digested while the next is made."""
    scratch = folder / "scratch"
    digests: dict[str, Future[str]] = {}
    with ThreadPoolExecutor(1) as pool:
        for name in layout.TABLE_KEYS:
            if name in IN_PARTS:
                write_parts(layout.table_path(folder, name), tables.parts(name, scratch))
                shutil.rmtree(scratch, ignore_errors=True)
            else:
                layout.write_table(layout.table_path(folder, name), tables.table(name))
            digests[name] = pool.submit(layout.content_digest, layout.open_table(folder, name))
        # Vectors follow from text and model; which texts have one belongs to the content.
        texts = embedded.select("kind", "id", "text_sha256").to_arrow(compat_level=pl.CompatLevel.oldest())
        digests["embeddings"] = pool.submit(layout.content_digest, texts)
    counts = {name: layout.open_table(folder, name).num_rows for name in layout.TABLE_KEYS}
    counted = layout.open_table(folder, "relations").column("kind").value_counts().to_pylist()
    kinds = dict.fromkeys(RELATION_KINDS, 0) | {item["values"]: item["counts"] for item in counted}
    return _Written({name: done.result() for name, done in digests.items()}, counts, kinds)


def _manifest(
    tables: LogicalTables,
    written: _Written,
    parent: str | None,
    options: Mapping[str, str | int | float | bool],
    models: Mapping[str, str],
    pending_chunks: int,
) -> Manifest:
    version = layout.version_id(written.digests, options, models)
    withdrawn = tables.n_withdrawn(written.counts["mentions"])
    return Manifest(
        corpus=tables.corpus,
        version=version,
        parent=parent if parent != version else None,
        inputs=written.digests,
        settings=dict(options),
        models=dict(models),
        libraries={name: importlib.metadata.version(name) for name in _LIBRARIES},
        counts={**written.counts, **withdrawn},
        relations_by_kind=written.relations_by_kind,
        pending_chunks=pending_chunks,
        files={},
    )


def _seal(folder: Path, manifest: Manifest) -> None:
    """Write the manifest with the checksums of all files, and flush everything to disk."""
    with ThreadPoolExecutor(_THREADS) as pool:
        named = list(layout.version_files(folder))
        sums = pool.map(file_sha256, (path for _, path in named))
        files = dict(zip((name for name, _ in named), sums, strict=True))
    complete = manifest.model_copy(update={"files": files})
    text = json.dumps(complete.model_dump(mode="json"), indent=1, sort_keys=True, ensure_ascii=False)
    write_text(folder / layout.MANIFEST, text + "\n")
    for path in sorted(folder.rglob("*")):
        sync(path)
    sync(folder)


def _pending(datasets: Datasets, corpus: str) -> int:
    """Chunks that a language model did not answer; the reason of a `partial` article begins with their number."""
    partial = datasets.scan("triples.status", corpus).filter(pl.col("status") == "partial")
    chunks = pl.col("reason").str.extract(r"^(\d+) of ").cast(pl.Int64).fill_null(1)
    return int(partial.select(chunks.sum()).collect().item())
