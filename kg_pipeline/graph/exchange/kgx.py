"""KGX: how nodes and edges look in the exchange format of the Biolink community, and how they are read back.

Carried: entities with names, aliases and categories; articles with their bibliography; relations of all kinds with
polarity, confidence, premises and rule; evidence with quote, section, surface forms and extractor, as far as licences
allow. Columns that begin with `kg_` are ours; tools that do not know them pass them over. `kgx validate` of the
Biolink tooling (kgx 2.6.0, Biolink 4.4.6) accepts all but ids: those with prefixes that its context does not list (`LOCAL:`,
`KG:`, `FPLX:`), and articles' DOIs, since it allows no slash in an id.

Not carried: the text of articles beyond the quotes (an imported graph's documents are made of them, and its offsets
count there), chunks, mentions outside of quotes, merges, and vectors, which are computed anew. What KGX tools rewrite
may come back with aliases sorted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from typing import Any

from kg_pipeline.errors import GraphError
from kg_pipeline.graph.exchange import biolink
from kg_pipeline.graph.exchange.curies import article_curie, article_of_curie, entity_curie, entity_of_curie
from kg_pipeline.graph.exchange.records import SOURCE_PREFIX, UNKNOWN_SOURCE, Article, Edge, Node, Support
from kg_pipeline.schema import RELATION_KINDS

Row = dict[str, Any]

NODE_COLUMNS = (
    "id",
    "category",
    "name",
    "synonym",
    "kg_category",
    "kg_mentions",
    "kg_articles",
    "kg_article",
)
EDGE_COLUMNS = (
    "id",
    "subject",
    "predicate",
    "object",
    "category",
    "negated",
    *biolink.QUALIFIERS,
    "original_predicate",
    "knowledge_level",
    "agent_type",
    "primary_knowledge_source",
    "publications",
    "supporting_text",
    "has_confidence_score",
    "kg_kind",
    "kg_speculative",
    "kg_premises",
    "kg_rule",
    "kg_evidence",
)
LIST_COLUMNS = frozenset({"category", "synonym", "publications", "supporting_text", "kg_premises"})
#: Columns with JSON text, which escapes itself.
JSON_COLUMNS = frozenset({"kg_article", "kg_evidence"})
OURS = "kg_"
ARTICLE_CATEGORY = "biolink:JournalArticle"

_LEVELS = {
    "asserted": ("not_provided", "text_mining_agent"),
    "transitive": ("logical_entailment", "automated_agent"),
    "lexical": ("prediction", "automated_agent"),
    "community": ("prediction", "computational_model"),
}
_SUPPORT = frozenset(field.name for field in fields(Support))
_PREDICTED = frozenset({"prediction"})


def node_row(node: Node) -> Row:
    """An entity as a KGX node."""
    category = biolink.node_category(node.category)
    return {
        "id": entity_curie(node.entity_id),
        "category": [category],
        "name": node.name,
        "synonym": list(node.aliases),
        "kg_category": node.category if node.category != category else "",
        "kg_mentions": node.n_mentions,
        "kg_articles": node.n_articles,
    }


def article_row(article: Article) -> Row:
    """An article as a KGX node."""
    return {
        "id": article_curie(article.article_id),
        "category": [ARTICLE_CATEGORY],
        "name": article.fields.get("title") or article.article_id,
        "kg_article": _json({"article_id": article.article_id, **article.fields}),
    }


def edge_row(edge: Edge) -> Row:
    """A relation as a KGX edge."""
    said = biolink.to_biolink(edge.predicate)
    level, agent = _LEVELS[edge.kind]
    return {
        "id": edge.relation_id,
        "subject": entity_curie(edge.head_id),
        "predicate": said.predicate,
        "object": entity_curie(edge.tail_id),
        "category": ["biolink:Association"],
        "negated": edge.negated,
        **dict(zip(biolink.QUALIFIERS, said.qualifiers, strict=True)),
        "original_predicate": biolink.ORIGINAL + edge.predicate,
        "knowledge_level": level,
        "agent_type": agent,
        "primary_knowledge_source": edge.source,
        "publications": list(edge.publications),
        "supporting_text": list(dict.fromkeys(support.quote for support in edge.supports)),
        "has_confidence_score": edge.confidence,
        "kg_kind": edge.kind,
        "kg_speculative": edge.speculative,
        "kg_premises": list(edge.premises),
        "kg_rule": edge.rule,
        "kg_evidence": _json([asdict(support) for support in edge.supports]) if edge.supports else "",
    }


def read_node(row: Mapping[str, Any]) -> Node | Article | None:
    """A KGX node; None for a row without an id."""
    if row.get("kg_article"):
        values = json.loads(row["kg_article"])
        return Article(values.pop("article_id"), values)
    id_ = _text(row, "id")
    if not id_:
        return None
    return Node(
        entity_of_curie(id_),
        _text(row, "name") or id_,
        _text(row, "kg_category") or biolink.category_of(tuple(_list(row, "category"))),
        tuple(_list(row, "synonym")),
        _whole(row, "kg_mentions"),
        _whole(row, "kg_articles"),
    )


def read_edge(row: Mapping[str, Any]) -> Edge | None:
    """A KGX edge of our or another graph; None for a row that lacks an end."""
    subject, object_ = (entity_of_curie(_text(row, name)) for name in ("subject", "object"))
    if not subject or not object_:
        return None
    said = _text(row, "predicate")
    qualifiers = {name: _text(row, name) for name in biolink.QUALIFIERS}
    predicate, is_swapped, _ = biolink.from_biolink(said, qualifiers, _text(row, "original_predicate"))
    head, tail = (object_, subject) if is_swapped else (subject, object_)
    kind = _text(row, "kg_kind")
    is_ours = kind in RELATION_KINDS
    publications = tuple(_list(row, "publications"))
    return Edge(
        head_id=head,
        predicate=predicate,
        tail_id=tail,
        relation_id=_text(row, "id") if is_ours else "",
        kind=kind if is_ours else "asserted",
        negated=_flag(row, "negated"),
        speculative=_flag(row, "kg_speculative")
        or (_text(row, "knowledge_level") in _PREDICTED and not is_ours),
        confidence=_score(row),
        premises=tuple(_list(row, "kg_premises")),
        rule=_text(row, "kg_rule"),
        source=_source(row),
        publications=publications,
        predicate_text=""
        if is_ours
        else (_text(row, "relation") or said).rpartition(":")[2].replace("_", " "),
        supports=tuple(_supports(row, publications)),
    )


def _supports(row: Mapping[str, Any], publications: tuple[str, ...]) -> Iterator[Support]:
    if row.get("kg_evidence"):
        for item in _evidence(row["kg_evidence"]):
            yield Support(**{name: value for name, value in item.items() if name in _SUPPORT})
    elif not _text(row, "kg_kind"):
        # Where several publications are named, nobody says which of them holds the sentence.
        source = _source(row) or UNKNOWN_SOURCE
        is_known = len(publications) == 1
        article = article_of_curie(publications[0]) if is_known else SOURCE_PREFIX + source
        for place, quote in enumerate(_list(row, "supporting_text")):
            yield Support(article, quote, start=place, extractor=f"kgx:{source}", confidence=_score(row))


def _evidence(text: str) -> list[dict[str, Any]]:
    try:
        items = json.loads(text)
    except ValueError:
        items = None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise GraphError(
            f"The column kg_evidence of an edge is no JSON list of statements: {text[:80]!r}. The file may be cut off; "
            "export the graph again."
        )
    return items


def _source(row: Mapping[str, Any]) -> str:
    for name in ("primary_knowledge_source", "knowledge_source", "provided_by"):
        if values := _list(row, name):
            return values[0]
    return ""


def _score(row: Mapping[str, Any]) -> float | None:
    try:
        score = float(row.get("has_confidence_score") or 0)
    except (TypeError, ValueError):
        return None
    return score if 0 < score <= 1 else None


def _whole(row: Mapping[str, Any], name: str) -> int | None:
    value = row.get(name)
    return int(value) if value not in (None, "") else None


def _flag(row: Mapping[str, Any], name: str) -> bool:
    return str(row.get(name) or "").strip().lower() in ("true", "1", "yes")


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if isinstance(value, list):
        value = value[0] if value else ""
    return "" if value is None else str(value)


def _list(row: Mapping[str, Any], name: str) -> list[str]:
    value = row.get(name)
    if value is None or value == "":
        return []
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _json(value: Any) -> str:
    # The bar would split the cell of a TSV file.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).replace(
        "|", "\\u007c"
    )
