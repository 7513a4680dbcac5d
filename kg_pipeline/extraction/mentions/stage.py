"""The `mentions` stage: every article of a shard once, reading its document and the sentences of its chunks."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.extraction.mentions.ner.choice import chosen_recogniser, recogniser_digest
from kg_pipeline.extraction.mentions.people import is_people
from kg_pipeline.extraction.mentions.reading import Mention, find_mentions
from kg_pipeline.fingerprint import code_digest, digest
from kg_pipeline.incremental import ArticleOutput, StageReport, input_digests, one_by_one, run_shard
from kg_pipeline.settings import Settings
from kg_pipeline.text.abbreviations import find_definitions
from kg_pipeline.vocabulary.index.build import build_vocabulary
from kg_pipeline.vocabulary.index.lookup import Vocabulary, open_vocabulary

STAGE = "mentions"
_CODE = (
    "kg_pipeline.extraction.mentions",
    "kg_pipeline.text.abbreviations",
    "kg_pipeline.text.definitions",
    "kg_pipeline.text.short_forms",
    "kg_pipeline.vocabulary.names.headwords",
)


def build_mentions(datasets: Datasets, spec: CorpusSpec, shard: str, settings: Settings) -> StageReport:
    """Bring the mentions of a shard up to date with its documents and chunks.

    The fingerprint covers the vocabulary and the recogniser, so another one of either makes all mentions again.
    People (patients, women) are recognised and left out: they are whom a study is about, and no part of a mechanism.
    """
    folder = build_vocabulary(settings)

    def read(article_id: str) -> ArticleOutput:
        # Looked up at the first article, so that an unchanged shard opens nothing.
        documents, chunks = inputs()
        document = documents[article_id]
        mentions = find_mentions(
            document["text"],
            chunks.get(article_id, ()),
            find_definitions(document["text"], shortest=1),
            {entry["short"]: entry["long"] for entry in document["glossary"]},
            _opened(folder),
            chosen_recogniser(settings.entity_model),
        )
        rows = [mention_row(article_id, mention) for mention in mentions if not is_people(mention)]
        return ArticleOutput(article_id, {STAGE: rows})

    @lru_cache(maxsize=1)
    def inputs() -> tuple[dict[str, dict[str, Any]], dict[str, list[tuple[int, int]]]]:
        documents = datasets.read("documents", spec.name, shard).select("article_id", "text", "glossary")
        spans = (
            datasets.read("chunks", spec.name, shard)
            .select("article_id", pl.col("sentences"))
            .explode("sentences")
            .drop_nulls()
            .unnest("sentences")
            .unique()
            .sort("article_id", "start", "end")
        )
        sentences: dict[str, list[tuple[int, int]]] = {}
        for article_id, start, end in spans.iter_rows():
            sentences.setdefault(article_id, []).append((start, end))
        return {row["article_id"]: row for row in documents.iter_rows(named=True)}, sentences

    return run_shard(
        datasets,
        stage=STAGE,
        corpus=spec.name,
        shard=shard,
        inputs=input_digests(datasets, "chunks", spec.name, shard),
        fingerprint=digest(
            code_digest(_CODE, ["python-crfsuite"]), folder.name, recogniser_digest(settings.entity_model)
        ),
        outputs=[STAGE],
        process=one_by_one(read),
    )


def mention_row(article_id: str, mention: Mention) -> dict[str, Any]:
    """Row of the `mentions` dataset; its id is the article and the span, so a position is one mention."""
    return {
        "article_id": article_id,
        "mention_id": f"{article_id}:{mention.start}-{mention.end}",
        "start": mention.start,
        "end": mention.end,
        "text": mention.text,
        "normal_form": mention.normal_form,
        "category": mention.category,
        "concept_id": mention.concept_id,
        "candidates": [
            {"concept_id": c.concept_id, "name": c.name, "category": c.category, "score": c.score}
            for c in mention.candidates
        ],
        "source": mention.source,
    }


@lru_cache(maxsize=2)
def _opened(folder: Path) -> Vocabulary:
    return open_vocabulary(folder)
