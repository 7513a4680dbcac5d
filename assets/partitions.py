"""Partitions: one a corpus, and corpus x shard for the stages that work article by article."""

from __future__ import annotations

import dagster as dg

from kg_pipeline.corpora import load_corpora, shard_keys
from kg_pipeline.settings import load_settings

_settings = load_settings()
CORPUS = dg.StaticPartitionsDefinition(list(load_corpora(_settings.corpora_file)))
SHARD = dg.StaticPartitionsDefinition(shard_keys(_settings.shards))
CORPUS_SHARD = dg.MultiPartitionsDefinition({"corpus": CORPUS, "shard": SHARD})
