"""A graph on its way in or out: nodes, articles and edges with their evidence, one record at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: Article ids of knowledge sources begin with this; what follows is the source's infores id.
SOURCE_PREFIX = "SOURCE:"
UNKNOWN_SOURCE = "infores:unknown"
#: Extractor of a sentence that we put into words from another graph's edge.
RECORD_EXTRACTOR = "record"


@dataclass(frozen=True, slots=True)
class Node:
    """An entity. Counts are None where the other graph does not tell them."""

    entity_id: str
    name: str
    category: str
    aliases: tuple[str, ...] = ()
    n_mentions: int | None = None
    n_articles: int | None = None


@dataclass(frozen=True, slots=True)
class Article:
    """An article that evidence stands in; `fields` are columns of the documents table without its text."""

    article_id: str
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Support:
    """A sentence that states an edge; `start` orders the sentences of an article."""

    article_id: str
    quote: str
    head_text: str = ""
    tail_text: str = ""
    predicate_text: str = ""
    section_path: str = ""
    start: int = 0
    end: int = 0
    evidence_id: str = ""
    extractor: str = RECORD_EXTRACTOR
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation. `relation_id` is empty where the other graph has no id of ours, `confidence` None where it has none.

    `publications` are CURIEs of articles that state it, whether or not `supports` quotes them.
    """

    head_id: str
    predicate: str
    tail_id: str
    relation_id: str = ""
    kind: str = "asserted"
    negated: bool = False
    speculative: bool = False
    confidence: float | None = None
    premises: tuple[str, ...] = ()
    rule: str = ""
    source: str = ""
    publications: tuple[str, ...] = ()
    predicate_text: str = ""
    supports: tuple[Support, ...] = ()


Record = Node | Article | Edge
