"""The stages that work shard by shard, each as a plain function of corpus, settings and shard.

They can be pickled and import what they need when called, so that a worker process loads neither Dagster nor the
models of other stages.
"""

from __future__ import annotations

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.incremental import StageReport
from kg_pipeline.settings import Settings


def fetch_shard(spec: CorpusSpec, settings: Settings, shard: str) -> StageReport:
    """Put the raw articles of one shard into the store."""
    from kg_pipeline.pmc.raw import ArticleStore
    from kg_pipeline.pmc.stage import fetch_articles

    return fetch_articles(Datasets(settings.datasets), ArticleStore(settings.raw), spec, shard)


def parse_shard(spec: CorpusSpec, settings: Settings, shard: str) -> StageReport:
    """Parse the articles of one shard."""
    from kg_pipeline.pmc.raw import ArticleStore
    from kg_pipeline.pmc.stage import build_documents

    return build_documents(Datasets(settings.datasets), ArticleStore(settings.raw), spec, shard)


def chunk_shard(spec: CorpusSpec, settings: Settings, shard: str) -> StageReport:
    """Cut the documents of one shard into chunks."""
    from kg_pipeline.text.stage import build_chunks

    return build_chunks(Datasets(settings.datasets), spec, shard, settings)


def recognise_shard(spec: CorpusSpec, settings: Settings, shard: str) -> StageReport:
    """Find the mentions of one shard."""
    from kg_pipeline.extraction.mentions.stage import build_mentions

    return build_mentions(Datasets(settings.datasets), spec, shard, settings)


def extract_shard(spec: CorpusSpec, settings: Settings, shard: str) -> StageReport:
    """Extract the triples of one shard."""
    from kg_pipeline.extraction.triples.stage import build_triples

    return build_triples(Datasets(settings.datasets), spec, shard, settings)
