"""Turn rows of a store into the records of `kg_pipeline.graph.reader`; both stores use it, so both return the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from kg_pipeline.graph.reader import Chunk, Document, Entity, Evidence, Relation

Record = TypeVar("Record", Document, Chunk, Entity, Relation, Evidence)


def columns_of(record: type[Record]) -> tuple[str, ...]:
    """Names of the columns a record is made of."""
    return tuple(field.name for field in fields(record))


def make(record: type[Record], rows: Iterable[Mapping[str, Any]]) -> list[Record]:
    """Records from rows that have at least the record's columns; lists become tuples."""
    names = columns_of(record)
    return [record(**{name: _frozen(row[name]) for name in names}) for row in rows]


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
