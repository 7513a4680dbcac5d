"""Gather the records of another graph as columns: entities, articles, relations, and evidence with where the ends stand.

An asserted edge without a sentence is put into words ("metformin treats type 2 diabetes [infores:hetionet; PMID:1]")
and its knowledge source takes the place of the article, so that every rule of a graph holds for it too: it has
evidence, the evidence has a quote, and the quote stands in a text that can be searched and cited. Such evidence is
marked by its extractor, `record`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from kg_pipeline.datasets import empty_frame
from kg_pipeline.fingerprint import short_digest
from kg_pipeline.graph.exchange.biolink import UNKNOWN_CATEGORY
from kg_pipeline.graph.exchange.curies import article_of_curie
from kg_pipeline.graph.exchange.records import SOURCE_PREFIX, UNKNOWN_SOURCE, Article, Edge, Node, Support
from kg_pipeline.vocabulary.predicates import PREDICATES

#: Belief in an edge whose graph gives no score: curated, but not by us.
UNSCORED = 0.9
_PART = 50_000
_SHOWN_PUBLICATIONS = 5
_RELATION = empty_frame("relations").schema
_EVIDENCE = pl.Schema(
    [
        *((name, kind) for name, kind in empty_frame("evidence").schema.items() if name != "chunk_id"),
        *((name, pl.String()) for name in ("head_id", "tail_id")),
        *((name, pl.Int32()) for name in ("head_at", "tail_at")),
    ]
)


@dataclass(slots=True)
class _Columns:
    """Rows that become a frame part by part, which takes a fraction of the memory of dictionaries."""

    schema: pl.Schema
    rows: list[dict[str, Any]] = field(default_factory=list)
    parts: list[pl.DataFrame] = field(default_factory=list)

    def add(self, row: dict[str, Any]) -> None:
        self.rows.append(row)
        if len(self.rows) >= _PART:
            self._flush()

    def frame(self) -> pl.DataFrame:
        self._flush()
        return pl.concat(self.parts)

    def _flush(self) -> None:
        self.parts.append(pl.DataFrame(self.rows, schema=self.schema))
        self.rows = []


@dataclass(slots=True)
class Collected:
    """What was read so far."""

    nodes: dict[str, Node] = field(default_factory=dict)
    articles: dict[str, Article] = field(default_factory=dict)
    unnamed: set[str] = field(default_factory=set)
    unmapped: Counter[str] = field(default_factory=Counter)
    skipped: int = 0
    recorded: int = 0
    _relations: _Columns = field(default_factory=lambda: _Columns(_RELATION))
    _evidence: _Columns = field(default_factory=lambda: _Columns(_EVIDENCE))

    def add_node(self, node: Node) -> None:
        """Add an entity; of two with one id the first stays."""
        self.nodes.setdefault(node.entity_id, node)

    def add_article(self, article: Article) -> None:
        """Add an article's bibliography."""
        self.articles.setdefault(article.article_id, article)

    def add_edge(self, edge: Edge) -> None:
        """Add a relation; its ends become entities if no node names them."""
        head, tail = (self._end(id_) for id_ in (edge.head_id, edge.tail_id))
        key = (edge.head_id, edge.predicate, edge.tail_id, edge.negated, edge.speculative)
        relation_id = edge.relation_id or short_digest(edge.kind, *key)
        confidence = UNSCORED if edge.confidence is None else edge.confidence
        if edge.predicate == "related_to" and edge.predicate_text not in ("", "related to"):
            self.unmapped[edge.predicate_text] += 1
        self._relations.add(
            {
                "relation_id": relation_id,
                "kind": edge.kind,
                **dict(zip(("head_id", "predicate", "tail_id", "negated", "speculative"), key, strict=True)),
                "confidence": confidence,
                "n_articles": 0,
                "n_evidence": 0,
                "premises": list(edge.premises),
                "rule": edge.rule,
            }
        )
        if edge.kind == "asserted":
            supports = edge.supports or (self._record(edge, head, tail),)
            for support in supports:
                self._evidence.add(_evidence_row(support, relation_id, edge, head, tail, confidence))

    def relations(self) -> pl.DataFrame:
        """Relations; of several edges that say the same the surest."""
        ordered = self._relations.frame().sort("relation_id", "confidence", descending=[False, True])
        return ordered.unique("relation_id", keep="first", maintain_order=True)

    def evidence(self) -> pl.DataFrame:
        """Evidence, each row once."""
        return (
            self._evidence.frame()
            .sort("evidence_id")
            .unique("evidence_id", keep="first", maintain_order=True)
        )

    def _end(self, entity_id: str) -> Node:
        if entity_id not in self.nodes:
            self.nodes[entity_id] = Node(entity_id, entity_id, UNKNOWN_CATEGORY)
            self.unnamed.add(entity_id)
        return self.nodes[entity_id]

    def _record(self, edge: Edge, head: Node, tail: Node) -> Support:
        self.recorded += 1
        source = edge.source or UNKNOWN_SOURCE
        words = edge.predicate_text or PREDICATES[edge.predicate].label
        verb = f"does not: {words}" if edge.negated else words
        named = "; ".join([source, *edge.publications[:_SHOWN_PUBLICATIONS]])
        # A line break would end the line that the record is.
        head_text, tail_text = (" ".join(node.name.split()) or node.entity_id for node in (head, tail))
        return Support(
            SOURCE_PREFIX + source,
            f"{head_text} {verb} {tail_text} [{named}]",
            head_text=head_text,
            tail_text=tail_text,
            predicate_text=words,
            section_path="Records",
            confidence=edge.confidence,
        )


def _evidence_row(
    support: Support, relation_id: str, edge: Edge, head: Node, tail: Node, confidence: float
) -> dict[str, Any]:
    head_text, head_at = _anchor(support.quote, support.head_text, head)
    tail_text, tail_at = _anchor(support.quote, support.tail_text, tail, last=True)
    article = article_of_curie(support.article_id)
    return {
        "evidence_id": support.evidence_id
        or short_digest(relation_id, article, support.quote, support.start, support.extractor),
        "relation_id": relation_id,
        "article_id": article,
        "section_path": support.section_path,
        "start": support.start,
        "end": support.end,
        "quote": support.quote,
        "head_text": head_text,
        "tail_text": tail_text,
        "predicate_text": support.predicate_text or edge.predicate_text,
        "extractor": support.extractor,
        "confidence": confidence if support.confidence is None else support.confidence,
        "head_id": edge.head_id,
        "tail_id": edge.tail_id,
        "head_at": head_at,
        "tail_at": tail_at,
    }


def _anchor(quote: str, said: str, node: Node, *, last: bool = False) -> tuple[str, int | None]:
    """Surface form of an end and where it stands in the quote; None where no name of it does."""
    for name in [said] if said else _names(node):
        at = quote.rfind(name) if last else quote.find(name)
        if at < 0 and not said and len(quote.lower()) == len(quote):
            at = quote.lower().find(name.lower())
        if at >= 0 and name:
            return quote[at : at + len(name)], at
    return said or node.name, None


def _names(node: Node) -> Iterator[str]:
    yield node.name
    yield from sorted(node.aliases, key=lambda alias: (-len(alias), alias))
