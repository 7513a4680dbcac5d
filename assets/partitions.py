"""Partitions: one a corpus, and corpus x shard for the stages that work article by article."""

from __future__ import annotations

import dagster as dg

from kg_pipeline.corpora import CorpusSpec, load_corpora, shard_keys
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.settings import Settings, load_settings


def corpora_of_articles(settings: Settings) -> dict[str, CorpusSpec]:
    """The corpora of the file that are built from articles; a graph that was imported has none that could be listed.

    Versions are looked for on this machine only: a code location has to load though its object store does not answer.
    """
    versions = VersionStore(settings.graphs)
    corpora = load_corpora(settings.corpora_file)
    return {name: spec for name, spec in corpora.items() if not versions.is_imported(name)}


_settings = load_settings()
CORPUS = dg.StaticPartitionsDefinition(list(corpora_of_articles(_settings)))
SHARD = dg.StaticPartitionsDefinition(shard_keys(_settings.shards))
CORPUS_SHARD = dg.MultiPartitionsDefinition({"corpus": CORPUS, "shard": SHARD})
