"""GraphML, for Gephi, yEd, Cytoscape, networkx and igraph: `graph.graphml`, written as a stream.

Carried: entities and relations with all their columns; evidence as one JSON text an edge (`evidence`), the best quote
also by itself. Not carried: articles' bibliography, text, chunks, mentions, merges, vectors. Characters that XML does
not allow are replaced by U+FFFD.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lxml import etree

from kg_pipeline.files import replacing
from kg_pipeline.graph.exchange.records import Edge, Node
from kg_pipeline.graph.exchange.source import ExportSource

_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_DEFAULT: Any = {None: _NAMESPACE}
_NOT_XML = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")
_NODE_KEYS = {
    "name": "string",
    "category": "string",
    "aliases": "string",
    "n_mentions": "int",
    "n_articles": "int",
}
_EDGE_KEYS = {
    "kind": "string",
    "predicate": "string",
    "negated": "boolean",
    "speculative": "boolean",
    "confidence": "double",
    "rule": "string",
    "premises": "string",
    "source": "string",
    "publications": "string",
    "quote": "string",
    "evidence": "string",
}


def write(source: ExportSource, folder: Path) -> list[Path]:
    """Write the file; its path."""
    path = folder / "graph.graphml"
    with replacing(path) as aside, etree.xmlfile(str(aside), encoding="utf-8") as xml:
        xml.write_declaration()
        with xml.element(f"{{{_NAMESPACE}}}graphml", nsmap=_DEFAULT):
            for target, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
                for name, kind in keys.items():
                    attributes = {
                        "id": _key(target, name),
                        "for": target,
                        "attr.name": name,
                        "attr.type": kind,
                    }
                    xml.write(_element("key", attributes))
            with xml.element(f"{{{_NAMESPACE}}}graph", edgedefault="directed"):
                for node in source.nodes():
                    xml.write(_node(node))
                for edge in source.edges():
                    xml.write(_edge(edge))
    return [path]


def _node(node: Node) -> Any:
    values = asdict(node) | {"aliases": _json(node.aliases)}
    return _with_data(_element("node", {"id": node.entity_id}), "node", _NODE_KEYS, values)


def _edge(edge: Edge) -> Any:
    values = asdict(edge) | {
        "premises": _json(edge.premises),
        "publications": _json(edge.publications),
        "quote": edge.supports[0].quote if edge.supports else None,
        "evidence": _json([asdict(support) for support in edge.supports]) if edge.supports else None,
    }
    attributes = {"id": edge.relation_id, "source": edge.head_id, "target": edge.tail_id}
    return _with_data(_element("edge", attributes), "edge", _EDGE_KEYS, values)


def _with_data(element: Any, target: str, keys: Mapping[str, str], values: Mapping[str, Any]) -> Any:
    for name in keys:
        value = values[name]
        if value is not None:
            data = etree.SubElement(element, f"{{{_NAMESPACE}}}data", key=_key(target, name))
            data.text = str(value).lower() if isinstance(value, bool) else _clean(str(value))
    return element


def _element(name: str, attributes: Mapping[str, str]) -> Any:
    cleaned = {key: _clean(value) for key, value in attributes.items()}
    return etree.Element(f"{{{_NAMESPACE}}}{name}", cleaned, nsmap=_DEFAULT)


def _key(target: str, name: str) -> str:
    return f"{target}_{name}"


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
