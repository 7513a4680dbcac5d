"""Read graphs of other tools: which format a file is in, told by its columns, and its records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from kg_pipeline.errors import GraphError
from kg_pipeline.graph.exchange import hetionet, kgx, kgx_jsonl, kgx_tsv, primekg
from kg_pipeline.graph.exchange.records import Record

Part = Literal["nodes", "edges"]
Reader = Callable[[Mapping[str, Any]], Record | None]


@dataclass(frozen=True, slots=True)
class GraphFile:
    """A file of nodes or edges in a format that we read."""

    path: Path
    format: str
    part: Part

    def records(self) -> Iterator[Record | None]:
        """What its rows say; None for a row that lacks an id or an end."""
        if self.format == "primekg":
            return primekg.read(self.path)
        rows = kgx_jsonl.read(self.path) if self.format == "kgx-jsonl" else kgx_tsv.read(self.path)
        return map(self._reader(), rows)

    def _reader(self) -> Reader:
        if self.format == "hetionet":
            return hetionet.read_node if self.part == "nodes" else hetionet.read_edge
        return kgx.read_node if self.part == "nodes" else kgx.read_edge


def recognise(paths: Sequence[Path]) -> list[GraphFile]:
    """The files of a graph, those of nodes first.

    Raises
    ------
    GraphError
        If a file is in no format that we read, or there is none with edges.

    """
    files = [_recognise(path) for path in paths]
    if not any(file.part == "edges" for file in files):
        raise GraphError(
            "None of the files has edges. Give the file of edges, and that of nodes if there is one."
        )
    return sorted(files, key=lambda file: file.part != "nodes")


def _recognise(path: Path) -> GraphFile:
    if any(suffix in (".jsonl", ".ndjson", ".jsonlines") for suffix in path.suffixes):
        first = next(kgx_jsonl.read(path), {})
        names, format_ = frozenset(first), "kgx-jsonl"
    else:
        names, format_ = frozenset(kgx_tsv.columns(path)), "kgx-tsv"
        if names >= hetionet.EDGE_COLUMNS:
            return GraphFile(path, "hetionet", "edges")
        if names >= hetionet.NODE_COLUMNS:
            return GraphFile(path, "hetionet", "nodes")
        if frozenset(primekg.columns(path)) >= primekg.COLUMNS:
            return GraphFile(path, "primekg", "edges")
    if {"subject", "predicate", "object"} <= names:
        return GraphFile(path, format_, "edges")
    if "id" in names:
        return GraphFile(path, format_, "nodes")
    raise GraphError(
        f"{path} is in no format that can be imported. There are: KGX TSV or JSON lines (columns id, name, category; "
        "subject, predicate, object), Hetionet TSV (id, name, kind; source, metaedge, target), PrimeKG CSV (relation, "
        "display_relation, x_id, x_type, x_name, x_source, y_id, ...)."
    )
