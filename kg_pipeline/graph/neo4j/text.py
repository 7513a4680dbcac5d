"""Rows on their way to Neo4j: a batch is one text, which the server splits.

The driver packs a list of lists value by value in Python, which takes several times longer than the server needs to
store them; one text is packed at once, and splitting it is cheap where it is done. Separators are characters that do not
occur in the batch, so any text of an article arrives as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain

import polars as pl

#: Blocks of four characters to separate with: control characters meant for it, then private-use ones.
_BLOCKS = tuple(tuple(chr(first + n) for n in range(4)) for first in chain((0x1C,), range(0xE000, 0xF8FC, 4)))


@dataclass(frozen=True, slots=True)
class Encoded:
    """A batch as the parameters of a query that begins with `UNROLL`."""

    text: str
    record: str
    field: str
    item: str
    null: str
    n_rows: int

    @property
    def parameters(self) -> dict[str, str]:
        """Parameters of the query."""
        return {
            "text": self.text,
            "record": self.record,
            "field": self.field,
            "item": self.item,
            "null": self.null,
        }


#: Beginning of a query over a batch: `f` is a row, a list of texts.
UNROLL = "UNWIND split($text, $record) AS line WITH split(line, $field) AS f "


def expressions(schema: pl.Schema, nullable: Collection[str]) -> dict[str, str]:
    """For each column the Cypher expression that is its value; `schema` gives order and types."""
    found = {}
    for place, (name, kind) in enumerate(schema.items()):
        field = f"f[{place}]"
        value = field
        if kind.is_integer():
            value = f"toInteger({field})"
        elif kind.is_float():
            value = f"toFloat({field})"
        elif kind == pl.Boolean:
            value = f"{field} = 'true'"
        elif kind == pl.List(pl.String):
            value = f"split({field}, $item)[1..]"
        elif kind == pl.List(pl.Float32) or isinstance(kind, pl.Array):
            value = f"[x IN split({field}, $item)[1..] | toFloat(x)]"
        found[name] = f"CASE {field} WHEN $null THEN null ELSE {value} END" if name in nullable else value
    return found


def encode(frame: pl.DataFrame) -> Encoded:
    """The rows of a frame as one text; a list is its items with a separator before each, so that it may be empty."""
    record, field, item, null = _separators(frame)
    columns = [_text_of(name, kind, item).fill_null(null) for name, kind in frame.schema.items()]
    lines = frame.select(pl.concat_str(columns, separator=field)).to_series()
    return Encoded(lines.str.join(record).item(), record, field, item, null, frame.height)


def _text_of(name: str, kind: pl.DataType, item: str) -> pl.Expr:
    column = pl.col(name)
    if isinstance(kind, pl.Array):
        column = column.arr.to_list()
    if isinstance(kind, pl.Array | pl.List):
        joined = pl.lit(item) + column.cast(pl.List(pl.String)).list.join(item)
        return pl.when(column.list.len() == 0).then(pl.lit("")).otherwise(joined)
    # A number of 32 bits is written with the digits of the 64-bit number that it is, since that is what is read.
    return (column.cast(pl.Float64) if kind == pl.Float32 else column).cast(pl.String)


def _separators(frame: pl.DataFrame) -> Sequence[str]:
    """Four characters that no text of the frame holds."""
    texts = [
        pl.col(name) if kind == pl.String else pl.col(name).list.join(" ")
        for name, kind in frame.schema.items()
        if kind in (pl.String, pl.List(pl.String))
    ]
    for block in _BLOCKS:
        if not texts or not _holds_any(frame, texts, block):
            return block
    raise ValueError("every private-use character occurs in one batch")


def _holds_any(frame: pl.DataFrame, texts: Sequence[pl.Expr], characters: Sequence[str]) -> bool:
    held = [text.str.contains(f"[{characters[0]}-{characters[-1]}]").any() for text in texts]
    return bool(frame.select(pl.any_horizontal(held)).item())
