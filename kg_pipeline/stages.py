"""The stages that work shard by shard, each as a plain function of corpus, settings and shard.

They can be pickled and import what they need when called, so that a worker process loads neither Dagster nor the
models of other stages.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import TypeAlias

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.errors import StageError
from kg_pipeline.fingerprint import code_digest
from kg_pipeline.incremental import StageReport
from kg_pipeline.settings import Settings

ShardStage: TypeAlias = Callable[[CorpusSpec, Settings, str], StageReport]


def release() -> str:
    """Digest of the code that runs here; what one release makes another may make differently."""
    return code_digest(["kg_pipeline"])


def run_here(
    stage: ShardStage, spec: CorpusSpec, settings: Settings, shard: str, *, of: str = ""
) -> StageReport:
    """Run a stage on the machine that it was handed to, in whose own home its copies, models and indexes are.

    `of` is the `release` that handed it over, where that may be another one.

    Raises
    ------
    StageError
        If this machine has another release.

    """
    if of and of != release():
        raise StageError(
            f"The worker on {socket.gethostname()} has another release of kg-pipeline than the machine that builds. "
            "Install the same on both, and build again."
        )
    return stage(spec, settings.on_this_machine(), shard)


def fetch_shard(spec: CorpusSpec, settings: Settings, shard: str) -> StageReport:
    """Put the raw articles of one shard into the store."""
    from kg_pipeline.pmc.raw import ArticleStore
    from kg_pipeline.pmc.stage import fetch_articles

    return fetch_articles(Datasets.of(settings), ArticleStore.of(settings), spec, shard)


def parse_shard(spec: CorpusSpec, settings: Settings, shard: str) -> StageReport:
    """Parse the articles of one shard."""
    from kg_pipeline.pmc.raw import ArticleStore
    from kg_pipeline.pmc.stage import build_documents

    return build_documents(Datasets.of(settings), ArticleStore.of(settings), spec, shard)


def chunk_shard(spec: CorpusSpec, settings: Settings, shard: str) -> StageReport:
    """Cut the documents of one shard into chunks."""
    from kg_pipeline.text.stage import build_chunks

    return build_chunks(Datasets.of(settings), spec, shard, settings)


def recognise_shard(spec: CorpusSpec, settings: Settings, shard: str) -> StageReport:
    """Find the mentions of one shard."""
    from kg_pipeline.extraction.mentions.stage import build_mentions

    return build_mentions(Datasets.of(settings), spec, shard, settings)


def extract_shard(spec: CorpusSpec, settings: Settings, shard: str) -> StageReport:
    """Extract the triples of one shard."""
    from kg_pipeline.extraction.triples.stage import build_triples

    return build_triples(Datasets.of(settings), spec, shard, settings)
