"""The last finished build of a corpus: what it was made from, so that one that would make the same again is left out."""

from __future__ import annotations

import json

import polars as pl

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import ALL, Datasets
from kg_pipeline.errors import GraphError
from kg_pipeline.extraction.annotations.stage import annotations_digest
from kg_pipeline.extraction.mentions.ner.choice import recogniser_digest
from kg_pipeline.fingerprint import code_digest, digest
from kg_pipeline.graph.reader import Manifest
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.graph.versions.verify import verify_version
from kg_pipeline.normalization.decisions import read_decisions
from kg_pipeline.schema import DATASETS, OPTIONAL_DATASETS
from kg_pipeline.settings import Settings
from kg_pipeline.vocabulary.index.stack import chosen_digest

_CODE = ("kg_pipeline", "assets", "resources")
_RECORD = "build.json"


def build_key(datasets: Datasets, spec: CorpusSpec, settings: Settings) -> str:
    """Digest of what a build depends on: listed articles, options, code, vocabulary and models."""
    # An article of a query is known by where it is kept until it is fetched, and is decided about by the query.
    identity = "content_sha256" if spec.query is None else "source_ref"
    index = datasets.read("article_index", spec.name).select(
        "article_id", "version", identity, "status", "license_class", "shard"
    )
    return digest(
        index.rows(),
        spec.options(),
        annotations_digest(spec),
        code_digest(_CODE),
        read_decisions(settings.home, spec.name).digest,
        chosen_digest(settings),
        recogniser_digest(settings.entity_model),
        [settings.spacy_model, settings.sentence_model, settings.embedding_model, settings.shards],
        [settings.llm.base_url, settings.llm.model] if settings.llm else None,
    )


def _has_unfetched(datasets: Datasets, spec: CorpusSpec) -> bool:
    """Whether articles of a query could not be fetched, so that the next build has to try again."""
    if spec.query is None:
        return False
    status = datasets.scan("articles.status", spec.name).filter(pl.col("status") != "ok")
    return bool(status.select(pl.len()).collect().item())


def record(datasets: Datasets, versions: VersionStore, spec: CorpusSpec, key: str) -> None:
    """Remember what was built, unless something is still owed that the next build has to ask for again."""
    manifest = current_manifest(versions, spec.name)
    if manifest.pending_chunks == 0 and not _has_unfetched(datasets, spec):
        told = {"key": key, "version": manifest.version}
        datasets.write_note(_RECORD, spec.name, json.dumps(told))


def forget(datasets: Datasets, corpus: str) -> None:
    """Before tables are made anew: until they are whole, they are of no finished build."""
    datasets.delete_note(_RECORD, corpus)


def current_manifest(versions: VersionStore, corpus: str) -> Manifest:
    """Manifest of the version that readers open."""
    reader = versions.open(corpus)
    try:
        return reader.manifest
    finally:
        reader.close()


def find(datasets: Datasets, versions: VersionStore, corpus: str, key: str) -> Manifest | None:
    """Manifest of the current version if the last finished build had the same inputs, code and settings."""
    try:
        told = json.loads(datasets.note(_RECORD, corpus) or "{}")
        manifest = current_manifest(versions, corpus)
    except (ValueError, GraphError):
        return None
    if told != {"key": key, "version": manifest.version} or not _is_whole(datasets, corpus):
        return None
    if versions.shared is not None and not versions.shared.has(corpus, manifest.version):
        return None  # only this machine has it still
    return None if verify_version(versions.folder(corpus, manifest.version)) else manifest


def _is_whole(datasets: Datasets, corpus: str) -> bool:
    """Whether every table of the corpus is there and readable, so that nothing is said to be done that is lost."""
    return all(
        shards and all(datasets.is_usable(name, corpus, None if shard == ALL else shard) for shard in shards)
        for name, shards in ((name, datasets.shards(name, corpus)) for name in DATASETS)
        if shards or name not in OPTIONAL_DATASETS
    )
