"""KGX as two files of JSON lines, `nodes.jsonl` and `edges.jsonl`; see `kgx` for what it carries."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

from kg_pipeline.errors import GraphError
from kg_pipeline.graph.exchange import kgx
from kg_pipeline.graph.exchange.files import reading, writing
from kg_pipeline.graph.exchange.source import ExportSource


def write(source: ExportSource, folder: Path) -> list[Path]:
    """Write both files; their paths."""
    names = ("nodes.jsonl", "edges.jsonl")
    with writing(folder, names) as (nodes, edges):
        _write_rows(nodes, chain(map(kgx.node_row, source.nodes()), map(kgx.article_row, source.articles())))
        _write_rows(edges, map(kgx.edge_row, source.edges()))
    return [folder / name for name in names]


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Objects of a file.

    Raises
    ------
    GraphError
        If a line is not a JSON object.

    """
    with reading(path) as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except ValueError as error:
                raise GraphError(
                    f"{path}, line {number}, is not JSON ({error}). Mend or remove it."
                ) from error
            if not isinstance(value, dict):
                raise GraphError(f"{path}, line {number}, is not a JSON object. Mend or remove it.")
            yield value


def _write_rows(stream: TextIO, rows: Iterable[Mapping[str, Any]]) -> None:
    for row in rows:
        filled = {name: value for name, value in row.items() if value not in (None, "", [])}
        stream.write(json.dumps(filled, ensure_ascii=False) + "\n")
