"""KGX as two TSV files, `nodes.tsv` and `edges.tsv`; see `kgx` for what it carries and `cells` for how cells are escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

from kg_pipeline.errors import GraphError
from kg_pipeline.graph.exchange import cells, kgx
from kg_pipeline.graph.exchange.files import reading, writing
from kg_pipeline.graph.exchange.source import ExportSource

#: Columns that hold lists in files of other tools.
_FOREIGN_LISTS = kgx.LIST_COLUMNS | {"knowledge_source", "provided_by", "primary_knowledge_source"}


def write(source: ExportSource, folder: Path) -> list[Path]:
    """Write both files; their paths."""
    names = ("nodes.tsv", "edges.tsv")
    with writing(folder, names) as (nodes, edges):
        rows = chain(map(kgx.node_row, source.nodes()), map(kgx.article_row, source.articles()))
        _write_rows(nodes, kgx.NODE_COLUMNS, rows)
        _write_rows(edges, kgx.EDGE_COLUMNS, map(kgx.edge_row, source.edges()))
    return [folder / name for name in names]


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Rows of a file by column; lists are split, and what `cells` escapes is undone in files that we wrote.

    Raises
    ------
    GraphError
        If the file has no header or a row of another length.

    """
    with reading(path) as stream:
        header = stream.readline().rstrip("\r\n").split("\t")
        if len(header) < 2:
            raise GraphError(f"{path} is no TSV file: its first line has no column names separated by tabs.")
        is_ours = any(name.startswith(kgx.OURS) for name in header)
        for number, line in enumerate(stream, 2):
            values = line.rstrip("\r\n").split("\t")
            if values == [""]:
                continue
            if len(values) != len(header):
                raise GraphError(
                    f"{path}, line {number}, has {len(values)} cells, and the header {len(header)}. Mend or remove that line."
                )
            yield {name: _read_cell(name, value, is_ours) for name, value in zip(header, values, strict=True)}


def columns(path: Path) -> list[str]:
    """Names in the header."""
    with reading(path) as stream:
        return stream.readline().rstrip("\r\n").split("\t")


def _write_rows(stream: TextIO, names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    stream.write("\t".join(names) + "\n")
    for row in rows:
        stream.write("\t".join(_cell(name, row.get(name)) for name in names) + "\n")


def _cell(name: str, value: Any) -> str:
    if value is None or value is False:
        # KGX reads every text as true, "False" too.
        return ""
    if value is True:
        return "true"
    if isinstance(value, list):
        return cells.encode_list(value)
    if isinstance(value, str):
        return value if name in kgx.JSON_COLUMNS else cells.encode(value)
    return repr(value)


def _read_cell(name: str, cell: str, is_ours: bool) -> str | list[str]:
    if name in kgx.JSON_COLUMNS:
        return cell
    if not is_ours:
        return cells.split_list(cell) if name in _FOREIGN_LISTS else cell
    if name in kgx.LIST_COLUMNS:
        return [cells.decode(value) for value in cells.split_list(cell)]
    return cells.decode(cell)
