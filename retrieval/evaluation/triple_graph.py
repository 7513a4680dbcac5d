"""A graph version of a benchmark's passages and of triples that were extracted from them.

It goes the way of every other corpus, through stage tables and `assemble_version`, so that what is measured is the
product's reader and retrieval. Predicates outside of the closed set become `related_to`; the authors' words for them
stay in the evidence. Names are one entity where they fold to the same key; nothing else is merged.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets, table_from_rows
from kg_pipeline.fingerprint import short_digest
from kg_pipeline.graph.assembly.assemble import assemble_version
from kg_pipeline.graph.assembly.embed import build_embeddings
from kg_pipeline.graph.reader import Manifest
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.llm.embeddings import Embedder
from kg_pipeline.settings import Settings
from kg_pipeline.vocabulary.names.variants import normal_key
from kg_pipeline.vocabulary.predicates import PREDICATES
from retrieval.evaluation.questions import Passage

Triple = tuple[str, str, str]

_OTHER_PREDICATE = "related_to"
_CATEGORY = "biolink:NamedThing"
_SHARD = "00"


def publish_graph(
    passages: Sequence[Passage],
    triples: Mapping[str, Sequence[Triple]],
    settings: Settings,
    corpus: str,
    *,
    names: Mapping[str, Sequence[str]] | None = None,
    embedder: Embedder | None = None,
) -> Manifest:
    """Make and publish the version of passages (a chunk each, under their ids) and their triples by passage id.

    `names`, by passage id too, are entities of a passage that no triple relates; those that it does not hold are left out.
    """
    datasets = Datasets.of(settings)
    # A benchmark's passages have no licence class; without their text there is nothing to rank.
    spec = CorpusSpec.model_validate({"name": corpus, "source": corpus, "rights": {"unknown": "text"}})
    rows = _Rows()
    for passage in passages:
        rows.add(passage, triples.get(passage.passage_id, ()))
        rows.name(passage, (names or {}).get(passage.passage_id, ()))
    for name, sharded in rows.tables().items():
        shard = _SHARD if name in ("documents", "chunks", "mentions") else None
        datasets.write(name, corpus, table_from_rows(name, sharded), shard)
    build_embeddings(datasets, spec, settings, embedder=embedder)
    manifest = assemble_version(datasets, spec, settings)
    VersionStore.of(settings).publish(corpus, manifest.version)
    return manifest


@dataclass(slots=True)
class _Rows:
    """Rows of the stage tables, filled passage by passage."""

    documents: list[dict[str, Any]] = field(default_factory=list)
    chunks: list[dict[str, Any]] = field(default_factory=list)
    mentions: list[dict[str, Any]] = field(default_factory=list)
    entity_mentions: list[dict[str, Any]] = field(default_factory=list)
    evidence: dict[str, dict[str, Any]] = field(default_factory=dict)
    relations: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    names: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    articles: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, passage: Passage, triples: Sequence[Triple]) -> None:
        """A passage as an article of one chunk, with the names and statements of its triples."""
        text = passage.titled
        self.documents.append(_document(passage, text))
        self.chunks.append(_chunk(passage, text))
        for head, predicate, tail in triples:
            ends = [self._mention(passage, text, name) for name in (head, tail)]
            if ends[0] and ends[1] and ends[0] != ends[1]:
                self._state(passage, text, (ends[0], ends[1]), (head, predicate, tail))

    def name(self, passage: Passage, names: Sequence[str]) -> None:
        """Names that stand in a passage, as its entities."""
        text = passage.titled
        for name in names:
            if re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE):
                self._mention(passage, text, name)

    def _mention(self, passage: Passage, text: str, name: str) -> str:
        """The entity of a name; empty if it has neither letter nor digit."""
        key = normal_key(name)
        if not any(character.isalnum() for character in key):
            return ""
        entity_id = f"LOCAL:{short_digest(key)}"
        if passage.passage_id not in self.articles[entity_id]:
            # A model may give a name that the passage words differently: it stands for the passage as a whole.
            found = re.search(re.escape(name), text, re.IGNORECASE)
            start, end = found.span() if found else (0, len(text))
            mention_id = f"{passage.passage_id}:{start}-{end}:{short_digest(key, length=8)}"
            self.mentions.append(
                {
                    "article_id": passage.passage_id,
                    "mention_id": mention_id,
                    "start": start,
                    "end": end,
                    "text": text[start:end],
                    "normal_form": name,
                    "category": _CATEGORY,
                    "concept_id": None,
                    "candidates": [],
                    "source": "llm",
                }
            )
            self.entity_mentions.append(
                {"article_id": passage.passage_id, "mention_id": mention_id, "entity_id": entity_id}
            )
        self.names[entity_id][name] += 1
        self.articles[entity_id].add(passage.passage_id)
        return entity_id

    def _state(self, passage: Passage, text: str, ends: tuple[str, str], said: Triple) -> None:
        predicate = said[1] if said[1] in PREDICATES else _OTHER_PREDICATE
        relation_id = short_digest("asserted", ends[0], predicate, ends[1])
        self.relations[relation_id] = (ends[0], predicate, ends[1])
        evidence_id = short_digest(relation_id, passage.passage_id, *said)
        self.evidence[evidence_id] = {
            "evidence_id": evidence_id,
            "relation_id": relation_id,
            "article_id": passage.passage_id,
            "chunk_id": passage.passage_id,
            "section_path": "",
            "start": 0,
            "end": len(text),
            "quote": text,
            "head_text": said[0],
            "predicate_text": said[1],
            "tail_text": said[2],
            "extractor": "import",
            "confidence": 1.0,
        }

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """Rows by dataset."""
        evidence = list(self.evidence.values())
        support = Counter(row["relation_id"] for row in evidence)
        return {
            "documents": self.documents,
            "chunks": self.chunks,
            "mentions": self.mentions,
            "entity_mentions": self.entity_mentions,
            "entities": [self._entity(entity_id) for entity_id in sorted(self.names)],
            "relations": [
                _relation(relation_id, *ends, n_evidence=support[relation_id])
                for relation_id, ends in sorted(self.relations.items())
            ],
            "evidence": evidence,
            "merges": [],
            "transitive_relations": [],
            "lexical_relations": [],
            "community_relations": [],
        }

    def _entity(self, entity_id: str) -> dict[str, Any]:
        ranked = sorted(self.names[entity_id].items(), key=lambda item: (-item[1], item[0]))
        return {
            "entity_id": entity_id,
            "name": ranked[0][0],
            "category": _CATEGORY,
            "aliases": [name for name, _ in ranked],
            "n_mentions": self.names[entity_id].total(),
            "n_articles": len(self.articles[entity_id]),
        }


def _document(passage: Passage, text: str) -> dict[str, Any]:
    nothing: dict[str, Any] = dict.fromkeys(("pmcid", "pmid", "doi", "year"))
    empty: dict[str, Any] = {name: [] for name in ("sections", "paragraphs", "glossary", "tables")}
    return {
        **nothing,
        **empty,
        "article_id": passage.passage_id,
        "version": 1,
        "title": passage.title,
        "journal": "",
        "article_type": "",
        "language": "en",
        "license_class": "unknown",
        "text": text,
        "formulas": 0,
    }


def _chunk(passage: Passage, text: str) -> dict[str, Any]:
    return {
        "article_id": passage.passage_id,
        "chunk_id": passage.passage_id,
        "ordinal": 0,
        "section_path": passage.title,
        "section_kind": "body",
        "start": 0,
        "end": len(text),
        "text": text,
        "n_tokens": 0,
        "sentences": [],
    }


def _relation(relation_id: str, head: str, predicate: str, tail: str, *, n_evidence: int) -> dict[str, Any]:
    return {
        "relation_id": relation_id,
        "kind": "asserted",
        "head_id": head,
        "predicate": predicate,
        "tail_id": tail,
        "negated": False,
        "speculative": False,
        "confidence": 1.0,
        "n_articles": 0,
        "n_evidence": n_evidence,
        "premises": [],
        "rule": "",
    }
