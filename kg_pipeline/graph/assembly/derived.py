"""What follows from the tables of a version: adjacency and other joins, vectors by row, and the text index.

Everything is read from the written tables, which are mapped, and written as it is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from kg_pipeline.graph import layout
from kg_pipeline.graph.assembly.tables import LogicalTables
from kg_pipeline.graph.snapshot.adjacency import build_adjacency, write_adjacency
from kg_pipeline.graph.snapshot.approximate import build_index, is_available
from kg_pipeline.graph.snapshot.mentions import build_evidence_rows, build_has_entity
from kg_pipeline.graph.snapshot.text_index import build_text_index
from kg_pipeline.graph.snapshot.vectors import Vectors
from kg_pipeline.schema import EMBEDDING_DIMENSIONS

_KIND_TABLES = {"chunk": "chunks", "entity": "entities"}
_TEXTS = 8_192


def write_derived(
    folder: Path, tables: LogicalTables, embedded: pl.DataFrame, *, ann_above: int
) -> dict[str, float]:
    """Write them into a version directory that has its tables; text is indexed while the rest is computed.

    Returns
    -------
    dict
        Recall of the approximate index, for each kind of node with more than `ann_above` vectors.

    """
    with ThreadPoolExecutor(2) as pool:
        tasks = [
            pool.submit(_write_text_indexes, folder),
            pool.submit(_write_joins, folder),
            pool.submit(_write_vectors, folder, tables, embedded),
        ]
        for task in as_completed(tasks):
            task.result()
    return _index_vectors(folder, ann_above)


def _write_joins(folder: Path) -> None:
    tables = {name: layout.open_table(folder, name) for name in layout.TABLE_KEYS}
    write_adjacency(folder, build_adjacency(tables["entities"], tables["relations"]))
    of_chunks, of_entities = build_has_entity(tables)
    of_chunks.write(folder, "chunk_entities")
    of_entities.write(folder, "entity_chunks")
    build_evidence_rows(tables["relations"], tables["evidence"]).write(folder, "relation_evidence")


def _write_text_indexes(folder: Path) -> None:
    chunks = layout.open_table(folder, "chunks").column("text")
    build_text_index(layout.text_path(folder, "chunk"), _values(chunks), "en_stem")
    entities = layout.open_table(folder, "entities").select(["name", "aliases"])
    build_text_index(layout.text_path(folder, "entity"), _entity_texts(entities), "default")


def _values(column: pa.ChunkedArray) -> Iterator[str]:
    for start in range(0, len(column), _TEXTS):
        yield from column.slice(start, _TEXTS).to_pylist()


def _entity_texts(entities: pa.Table) -> Iterator[str]:
    for start in range(0, len(entities), _TEXTS):
        for row in entities.slice(start, _TEXTS).to_pylist():
            yield "\n".join([row["name"], *row["aliases"]])


@dataclass(frozen=True, slots=True)
class _Places:
    """Which row of a matrix each position of the dataset goes to."""

    positions: npt.NDArray[np.integer[Any]]  # ascending
    rows: npt.NDArray[np.int64]

    @classmethod
    def of(cls, positions: npt.NDArray[np.integer[Any]]) -> _Places:
        """Row i of the matrix is at `positions[i]` of the dataset."""
        order = np.argsort(positions)
        return cls(positions[order], order)

    def between(self, start: int, end: int) -> tuple[npt.NDArray[np.integer[Any]], npt.NDArray[np.int64]]:
        """Positions in a part of the dataset, and the rows they go to."""
        part = slice(*np.searchsorted(self.positions, (start, end)))
        return self.positions[part], self.rows[part]


def _write_vectors(folder: Path, tables: LogicalTables, embedded: pl.DataFrame) -> None:
    """The vectors of each kind in the order of their nodes, with the ordinals of those that have one."""
    places = []
    for kind, name in _KIND_TABLES.items():
        ids = layout.open_table(folder, name).column(layout.TABLE_KEYS[name])
        of_kind = embedded.filter(pl.col("kind") == kind)
        ordinals = pc.index_in(of_kind["id"].to_arrow(compat_level=pl.CompatLevel.oldest()), value_set=ids)
        is_known = ordinals.is_valid().to_numpy(zero_copy_only=False)
        rows = ordinals.drop_null().to_numpy().astype(np.int32)
        layout.write_array(layout.vector_rows_path(folder, kind), rows)
        shape = (len(rows), EMBEDDING_DIMENSIONS)
        matrix = layout.create_array(layout.vector_path(folder, kind), shape, np.dtype(np.float32))
        places.append((_Places.of(of_kind["position"].to_numpy()[is_known]), matrix))
    for start, vectors in tables.vectors():
        for place, matrix in places:
            of_part, rows = place.between(start, start + len(vectors))
            matrix[rows] = vectors[of_part - start]


def _index_vectors(folder: Path, ann_above: int) -> dict[str, float]:
    if not is_available():
        return {}
    recall = {}
    for kind in _KIND_TABLES:
        matrix = Vectors.open(folder, kind).matrix
        if len(matrix) > ann_above:
            found = build_index(layout.vector_index_path(folder, kind), matrix)
            recall[kind] = round(found, 4)
    return recall
