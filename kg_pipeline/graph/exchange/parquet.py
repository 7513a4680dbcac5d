"""Parquet, for DuckDB, Spark, pandas and polars: every table of a version as one file, with its joins and vectors.

Carried: all tables with all their columns, which chunk mentions which entity (`has_entity`), and the vectors
(`embeddings`). Not carried: adjacency arrays and text indexes, which follow from the tables, and the text, the quotes and
the vectors of articles that may not be quoted; there the text is empty, as in a version whose policy withholds it, and
offsets still lead to the place.

Each file says in its key-value metadata what it belongs to (`kg.corpus`, `kg.version`, `kg.table`) and what each column
means (`kg.columns`, JSON); Arrow readers find the same at the fields. Rows are sorted by the first column.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kg_pipeline.files import replacing
from kg_pipeline.graph import layout
from kg_pipeline.graph.exchange.source import ExportSource
from kg_pipeline.graph.snapshot.mentions import Rows
from kg_pipeline.graph.snapshot.vectors import Vectors
from kg_pipeline.schema import DATASETS, EMBEDDING_DIMENSIONS

#: Text of articles, by table: what may not leave the house where an article's licence does not allow it.
_TEXTS = {"documents": "text", "chunks": "text", "evidence": "quote"}
_GROUP_BYTES = 32_000_000
_GROUP_ROWS = 1_000_000
_VECTOR_ROWS = 8_192
_NODE_TABLES = {"chunk": "chunks", "entity": "entities"}
_OWN_MEANINGS = {
    "mentions": {"entity_id": "standardised entity that the mention stands for"},
    "names": {
        "key": "name or alias, folded: case, hyphens and blanks do not count",
        "entity_id": "entity that has it",
        "is_name": "true for the canonical name, false for an alias",
        "is_said": "true: names of a vocabulary that no article uses stay at home, whatever its licence",
    },
    "has_entity": {
        "chunk_id": "chunk",
        "entity_id": "entity that the chunk mentions",
        "mentions": "how often",
    },
}
_HAS_ENTITY = pa.schema(
    [("chunk_id", pa.large_string()), ("entity_id", pa.large_string()), ("mentions", pa.int32())]
)
_EMBEDDINGS = pa.schema(
    [
        ("id", pa.large_string()),
        ("kind", pa.string()),
        ("vector", pa.list_(pa.float32(), EMBEDDING_DIMENSIONS)),
    ]
)


def write(source: ExportSource, folder: Path) -> list[Path]:
    """Write the files; their paths."""
    made: dict[str, tuple[pa.Schema, Iterator[pa.Table]]] = {
        name: (layout.open_table(source.folder, name).schema, _slices(source, name))
        for name in layout.TABLE_KEYS
    }
    made["has_entity"] = (_HAS_ENTITY, _has_entity(source.folder))
    made["embeddings"] = (_EMBEDDINGS, _embeddings(source))
    paths = []
    for name, (schema, parts) in made.items():
        paths.append(folder / f"{name}.parquet")
        _write(paths[-1], _described(source, name, schema), parts)
    return paths


def _write(path: Path, schema: pa.Schema, parts: Iterator[pa.Table]) -> None:
    """Write a table as it comes; one part is one row group."""
    vectors = [field.name for field in schema if pa.types.is_fixed_size_list(field.type)]
    options: dict[str, Any] = {
        "compression": "zstd",
        "use_dictionary": [field.name for field in schema if field.name not in vectors],
        "sorting_columns": [pq.SortingColumn(0)],
    }
    with replacing(path) as aside, pq.ParquetWriter(aside, schema, **options) as writer:
        for part in parts:
            writer.write_table(part.cast(schema), row_group_size=max(len(part), 1))


def _described(source: ExportSource, name: str, schema: pa.Schema) -> pa.Schema:
    """The schema with the meaning of each column and what the table belongs to."""
    known = {field.name: _meaning(field) for field in DATASETS.get(name, ())} | _OWN_MEANINGS.get(name, {})
    meanings = {field.name: known[field.name] for field in schema}
    about = {
        "kg.corpus": source.manifest.corpus,
        "kg.version": source.manifest.version,
        "kg.table": name,
        "kg.columns": json.dumps(meanings, ensure_ascii=False),
    }
    fields = [field.with_metadata({"meaning": meanings[field.name]}) for field in schema]
    return pa.schema(fields, about)


def _meaning(field: pa.Field) -> str:
    metadata: Mapping[bytes, bytes] = field.metadata
    return metadata[b"meaning"].decode()


def _slices(source: ExportSource, name: str) -> Iterator[pa.Table]:
    """A table in pieces of about the same size, without the text that may not leave the house."""
    table = layout.open_table(source.folder, name)
    for part in _in_groups(table):
        if "is_said" in part.column_names:  # a vocabulary's names may not be passed on, articles' may
            yield part.filter(part.column("is_said"))
            continue
        if name not in _TEXTS:
            yield part
            continue
        column = _TEXTS[name]
        place = part.schema.get_field_index(column)
        is_withheld = pc.is_in(part.column("article_id"), value_set=_withheld(source, part))
        kept = pc.if_else(is_withheld, pa.scalar("", part.schema.field(place).type), part.column(column))
        yield part.set_column(place, part.schema.field(place), kept)


def _in_groups(table: pa.Table) -> Iterator[pa.Table]:
    size = min(max(_GROUP_BYTES * len(table) // max(table.nbytes, 1), 1), _GROUP_ROWS)
    for start in range(0, len(table), size):
        yield table.slice(start, size)


def _withheld(source: ExportSource, part: pa.Table) -> pa.Array:
    """Articles of a part that may not be quoted."""
    articles = part.column("article_id").unique()
    withheld = [article for article in articles.to_pylist() if not source.may_quote(article)]
    return pa.array(withheld, articles.type)


def _has_entity(folder: Path) -> Iterator[pa.Table]:
    chunks, entities = (
        layout.open_table(folder, name).column(key)
        for name, key in (("chunks", "chunk_id"), ("entities", "entity_id"))
    )
    rows = Rows.open(folder, "chunk_entities")
    owners = np.repeat(np.arange(len(chunks), dtype=np.int32), np.diff(rows.indptr))
    for start in range(0, len(owners), _GROUP_ROWS):
        part = slice(start, start + _GROUP_ROWS)
        columns = [
            chunks.take(pa.array(owners[part])),
            entities.take(pa.array(np.asarray(rows.other[part]))),
            pa.array(np.asarray(rows.count[part])),
        ]
        yield pa.table(columns, schema=_HAS_ENTITY)


def _embeddings(source: ExportSource) -> Iterator[pa.Table]:
    for kind, name in _NODE_TABLES.items():
        nodes, vectors = layout.open_table(source.folder, name), Vectors.open(source.folder, kind)
        for start in range(0, len(vectors.rows), _VECTOR_ROWS):
            ordinals = vectors.rows[start : start + _VECTOR_ROWS]
            part = nodes.take(pa.array(np.asarray(ordinals)))
            matrix = vectors.matrix[start : start + _VECTOR_ROWS]
            values = pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel()), EMBEDDING_DIMENSIONS)
            kinds = pa.array([kind] * len(part), pa.string())
            table = pa.table([part.column(layout.TABLE_KEYS[name]), kinds, values], schema=_EMBEDDINGS)
            if kind == "chunk":  # a vector of a text tells what is in it
                is_withheld = pc.is_in(part.column("article_id"), value_set=_withheld(source, part))
                table = table.filter(pc.invert(is_withheld))
            yield table
