"""Turn rows of a store into the records of `kg_pipeline.graph.reader`; both stores use it, so both return the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from operator import itemgetter
from typing import Any, TypeVar

from kg_pipeline.graph.reader import Chunk, Document, Entity, Evidence, Relation

Record = TypeVar("Record", Document, Chunk, Entity, Relation, Evidence)


def columns_of(record: type[Record]) -> tuple[str, ...]:
    """Names of the columns a record is made of."""
    return tuple(field.name for field in fields(record))


def make(record: type[Record], rows: Iterable[Mapping[str, Any]]) -> list[Record]:
    """Records from rows that have at least the record's columns; lists become tuples."""
    # One question makes thousands of them, so the values of a row are picked at once and handed over by position.
    values = itemgetter(*columns_of(record))
    new: Callable[..., Record] = record
    return [new(*[tuple(v) if type(v) is list else v for v in values(row)]) for row in rows]
