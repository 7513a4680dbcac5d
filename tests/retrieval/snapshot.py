"""A graph in memory written as stage datasets and assembled to a version directory."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from typing import Any

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets, table_from_rows
from kg_pipeline.graph.assembly.assemble import assemble_version
from kg_pipeline.graph.assembly.embed import build_embeddings
from kg_pipeline.graph.reader import Manifest
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.settings import Settings
from retrieval.words.terms import find_name, name_keys, tokenise
from tests.retrieval.memory_graph import MemoryGraph, split

SHARD = "00"


def publish(graph: MemoryGraph, settings: Settings, corpus: str, embedder: object) -> Manifest:
    """Write, embed, assemble and publish the graph as `corpus`."""
    datasets = Datasets(settings.datasets)
    spec = CorpusSpec.model_validate({"name": corpus, "source": "articles"})
    _write(graph, datasets, corpus)
    build_embeddings(datasets, spec, settings, embedder=embedder)
    manifest = assemble_version(datasets, spec, settings)
    VersionStore(settings.graphs).publish(corpus, manifest.version)
    return manifest


def _write(graph: MemoryGraph, datasets: Datasets, corpus: str) -> None:
    texts: dict[str, list[str]] = defaultdict(list)
    for chunk in sorted(graph.chunks_.values(), key=lambda chunk: (chunk.article_id, chunk.ordinal)):
        texts[chunk.article_id].append(chunk.text)
    mentions, entity_mentions = _mentions(graph)
    by_shard = {
        "documents": [
            _document(d.article_id, d.title, texts[d.article_id]) for d in graph.documents_.values()
        ],
        "articles": [_article(article_id) for article_id in graph.documents_],
        "chunks": [
            dataclasses.asdict(c)
            | {"section_kind": "body", "n_tokens": 1, "sentences": _spans(c.start, c.text)}
            for c in graph.chunks_.values()
        ],
        "mentions": mentions,
    }
    relations = {
        r.relation_id: dataclasses.asdict(r) | {"premises": list(r.premises)}
        for r in graph.relations_.values()
    }
    whole: dict[str, list[dict[str, Any]]] = {
        "entities": [dataclasses.asdict(e) | {"aliases": list(e.aliases)} for e in graph.entities_.values()],
        "entity_mentions": entity_mentions,
        "relations": [row for row in relations.values() if row["kind"] == "asserted"],
        "transitive_relations": [row for row in relations.values() if row["kind"] == "transitive"],
        "lexical_relations": [],
        "community_relations": [],
        "evidence": [dataclasses.asdict(row) for rows in graph.evidence_.values() for row in rows],
        "merges": [],
    }
    for name, rows in by_shard.items():
        datasets.write(name, corpus, table_from_rows(name, rows), SHARD)
    for name, rows in whole.items():
        datasets.write(name, corpus, table_from_rows(name, rows))


def _spans(offset: int, text: str) -> list[dict[str, int]]:
    return [{"start": offset + start, "end": offset + end} for start, end in split(text)]


def _document(article_id: str, title: str, paragraphs: list[str]) -> dict[str, Any]:
    empty: dict[str, Any] = {name: [] for name in ("sections", "paragraphs", "glossary", "tables")}
    return empty | {
        "article_id": article_id,
        "version": 1,
        "pmcid": article_id,
        "pmid": None,
        "doi": None,
        "title": title,
        "journal": "J Test",
        "year": 2024,
        "article_type": "research-article",
        "language": "en",
        "license_class": "redistributable",
        "text": "\n\n".join([title, *paragraphs]),
        "formulas": 0,
    }


def _article(article_id: str) -> dict[str, Any]:
    return {
        "article_id": article_id,
        "version": 1,
        "source_ref": article_id,
        "content_sha256": "",
        "status": "ok",
        "reason": "",
        "article_type": "research-article",
        "license": "",
        "license_class": "redistributable",
    }


def _mentions(graph: MemoryGraph) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The first mention of each entity in each sentence; one entity a span."""
    rows: dict[str, dict[str, Any]] = {}
    linked = []
    for chunk in graph.chunks_.values():
        for start, end in split(chunk.text):
            tokens = tokenise(chunk.text[start:end])
            for entity in graph.entities_.values():
                place = find_name(tokens, name_keys([entity.name, *entity.aliases]))
                if place is None:
                    continue
                first, last = start + tokens[place[0]].start, start + tokens[place[1] - 1].end
                mention_id = f"{chunk.article_id}:{chunk.start + first}-{chunk.start + last}"
                if mention_id in rows:
                    continue
                rows[mention_id] = {
                    "article_id": chunk.article_id,
                    "mention_id": mention_id,
                    "start": chunk.start + first,
                    "end": chunk.start + last,
                    "text": chunk.text[first:last],
                    "normal_form": chunk.text[first:last],
                    "category": entity.category,
                    "concept_id": None,
                    "candidates": [],
                    "source": "vocabulary",
                }
                linked.append(
                    {"article_id": chunk.article_id, "mention_id": mention_id, "entity_id": entity.entity_id}
                )
    return list(rows.values()), linked
