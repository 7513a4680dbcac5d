"""A graph explorer as a folder of web pages that work from disk: search, filter, walk, and read the sentences.

`index.html` loads `data/graph.js` (entities and relations, numbers as base64 of little-endian arrays) and, when somebody
opens a relation, the one `data/evidence-N.js` that holds its sentences; scripts, since a page from disk may load nothing
else. Only the neighbourhood of one entity is ever drawn, so a large graph is as quick as a small one.

Carried: entities with their synonyms, relations of all kinds with polarity, confidence, premises and sentences, articles.
Not carried: text, chunks, merges, vectors.
"""

from __future__ import annotations

import base64
import json
import mmap
import shutil
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kg_pipeline.files import write_text
from kg_pipeline.graph.addresses import article_address
from kg_pipeline.graph.exchange.records import Edge, Node
from kg_pipeline.graph.exchange.source import ExportSource
from kg_pipeline.schema import RELATION_KINDS
from kg_pipeline.vocabulary.names.agreement import is_plural, verb

#: Relations whose sentences share a file: some hundred kilobytes.
_BLOCK = 1000
_STATIC = ("index.html", "explorer.css", "explorer.js")
_KIND_COLUMN = b'"kind":"'
_NEGATED, _SPECULATIVE = 1, 2
_ARTICLE_COLUMNS = ("title", "journal", "year")


def write(source: ExportSource, folder: Path) -> list[Path]:
    """Write the pages and their data; their paths."""
    nodes = list(source.nodes())
    ordinals = {node.entity_id: ordinal for ordinal, node in enumerate(nodes)}
    relations = {relation_id: ordinal for ordinal, relation_id in enumerate(source.relation_ids())}
    columns = _Columns(ordinals)
    # Those of a larger graph that was here before would stay behind.
    shutil.rmtree(folder / "data", ignore_errors=True)
    written = []
    for number, block in enumerate(_blocks(source.edges())):
        for edge in block:
            columns.add(edge)
        rows = [_support(edge, relations) for edge in block]
        written.append(_script(folder, f"evidence-{number}", "evidence", [number, rows]))
    written.append(_script(folder, "graph", "graph", [_graph(source, nodes, columns)]))
    page = resources.files("kg_pipeline.graph.exchange").joinpath("explorer_page")
    for name in _STATIC:
        write_text(folder / name, page.joinpath(name).read_text(encoding="utf-8"))
    return [*(folder / name for name in _STATIC), *written]


def count_relations(folder: Path) -> int:
    """Relations that the pages in `folder` show, counted in their data; 0 where these are not whole.

    The column of kinds, a byte a relation, is found in the mapped file: the data of a large graph are not decoded.
    """
    path = folder / "data" / "graph.js"
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        # A quotation mark in a name is escaped, so this stands nowhere else.
        start = text.find(_KIND_COLUMN) + len(_KIND_COLUMN)
        end = text.find(b'"', start)
        if start < len(_KIND_COLUMN) or end < 0 or text[-3:] != b");\n":
            return 0
        return (end - start) * 3 // 4 - text[max(end - 2, start) : end].count(b"=")


class _Columns:
    """Relations as columns of numbers, which a page can hold by the million."""

    def __init__(self, ordinals: dict[str, int]) -> None:
        self._ordinals = ordinals
        self.predicates: dict[str, int] = {}
        self._rows: list[tuple[int, int, int, int, int, int, int]] = []

    def add(self, edge: Edge) -> None:
        self._rows.append(
            (
                self._ordinals[edge.head_id],
                self._ordinals[edge.tail_id],
                self.predicates.setdefault(edge.predicate, len(self.predicates)),
                RELATION_KINDS.index(edge.kind),
                _NEGATED * edge.negated + _SPECULATIVE * edge.speculative,
                round((edge.confidence or 0) * 100),
                min(len(edge.publications), 65535),
            )
        )

    def encoded(self) -> dict[str, str]:
        """The columns by name, as base64."""
        table = np.array(self._rows, dtype=np.int64).reshape(-1, 7)
        kinds = ("<u4", "<u4", "<u2", "u1", "u1", "u1", "<u2")
        names = ("head", "tail", "predicate", "kind", "flags", "confidence", "articles")
        return {
            name: _base64(table[:, column].astype(kind))
            for column, (name, kind) in enumerate(zip(names, kinds, strict=True))
        }


def _graph(source: ExportSource, nodes: Sequence[Node], columns: _Columns) -> dict[str, Any]:
    categories = sorted({node.category for node in nodes})
    places = {category: place for place, category in enumerate(categories)}
    return {
        "corpus": source.manifest.corpus,
        "version": source.manifest.version,
        "block": _BLOCK,
        "kinds": RELATION_KINDS,
        "categories": [category.removeprefix("biolink:") for category in categories],
        "ids": [node.entity_id for node in nodes],
        "names": [node.name for node in nodes],
        "synonyms": ["|".join(node.aliases).lower() for node in nodes],
        "category": _base64(np.array([places[node.category] for node in nodes], dtype="u1")),
        "plural": _base64(np.array([is_plural(node.name) for node in nodes], dtype="u1")),
        "predicates": list(columns.predicates),
        "verbs": [[verb(name), verb(name, plural=True)] for name in columns.predicates],
        "relations": columns.encoded(),
        "articles": {
            article.article_id: [
                *(article.fields.get(name) for name in _ARTICLE_COLUMNS),
                article_address(article.article_id),
            ]
            for article in source.articles()
        },
    }


def _support(edge: Edge, relations: Mapping[str, int]) -> dict[str, Any]:
    """What a relation stands on: its sentences, or its premises (ordinals of relations) and its rule."""
    if edge.kind != "asserted":
        return {"premises": [relations[premise] for premise in edge.premises], "rule": edge.rule}
    sentences = [[s.article_id, s.section_path, s.quote, s.head_text, s.tail_text] for s in edge.supports]
    return {"articles": edge.publications, "sentences": sentences}


def _blocks(edges: Iterator[Edge]) -> Iterator[list[Edge]]:
    while block := list(islice(edges, _BLOCK)):
        yield block


def _script(folder: Path, name: str, call: str, arguments: list[Any]) -> Path:
    path = folder / "data" / f"{name}.js"
    # Pure ASCII, so that no line separator of Unicode ends a line of the script.
    inside = ",".join(json.dumps(argument, separators=(",", ":")) for argument in arguments)
    write_text(path, f"KG.{call}({inside});\n")
    return path


def _base64(values: npt.NDArray[Any]) -> str:
    return base64.b64encode(values.tobytes()).decode("ascii")
