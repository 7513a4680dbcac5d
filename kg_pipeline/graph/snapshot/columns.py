"""Rows of a memory-mapped table by id: binary search over the sorted id column, then a gather of the rows asked for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Ordinals = npt.NDArray[np.int64]

#: Up to so many searches cost less one by one.
_FEW = 16


class SortedStrings:
    """A sorted string column, searched without a dictionary, so that it costs nothing to open."""

    def __init__(self, column: pa.ChunkedArray) -> None:
        self._values: pa.Array = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)

    def __len__(self) -> int:
        return len(self._values)

    def lower_bounds(self, wanted: Sequence[str]) -> Ordinals:
        """Position of the first value that is not below each wanted one; many searches run at once."""
        size = len(self._values)
        if len(wanted) <= _FEW:
            # Texts in UTF-8 have the order of their code points, which is that of Python.
            found = (bisect_left(range(size), text, key=self._value) for text in wanted)
            return np.fromiter(found, np.int64, len(wanted))
        low = np.zeros(len(wanted), np.int64)
        if size == 0:
            return low
        high = np.full(len(wanted), size, np.int64)
        queries = pa.array(wanted, type=self._values.type)
        for _ in range(size.bit_length()):
            middle = np.minimum((low + high) // 2, size - 1)
            below = pc.less(self._values.take(pa.array(middle)), queries).to_numpy(zero_copy_only=False)
            open_ = low < high
            low = np.where(open_ & below, middle + 1, low)
            high = np.where(open_ & ~below, middle, high)
        return low

    def ordinals(self, wanted: Sequence[str]) -> Ordinals:
        """Position of each wanted value, -1 where it is absent; values must be unique."""
        bounds, size = self.lower_bounds(wanted), len(self._values)
        if len(wanted) <= _FEW:
            found = (
                at if at < size and self._value(at) == text else -1
                for at, text in zip(bounds.tolist(), wanted, strict=True)
            )
            return np.fromiter(found, np.int64, len(wanted))
        if size == 0:
            return np.full(len(wanted), -1, np.int64)
        bounds = np.minimum(bounds, size - 1)
        queries = pa.array(wanted, type=self._values.type)
        same = pc.equal(self._values.take(pa.array(bounds)), queries).to_numpy(zero_copy_only=False)
        return np.where(same, bounds, -1)

    def _value(self, ordinal: int) -> str:
        value: str = self._values[ordinal].as_py()
        return value

    def at(self, ordinals: npt.NDArray[np.integer[Any]]) -> list[str]:
        """Values at positions."""
        found: list[str] = self._values.take(pa.array(ordinals)).to_pylist()
        return found


class KeyedTable:
    """A table sorted by a unique id column."""

    def __init__(self, table: pa.Table, key: str) -> None:
        self.table = table
        self.ids = SortedStrings(table.column(key))

    def known(self, ids: Sequence[str]) -> Ordinals:
        """Ordinals of those ids that exist, in the order asked."""
        found = self.ids.ordinals(ids)
        return found[found >= 0]

    def rows(self, ordinals: npt.NDArray[np.integer[Any]], columns: Sequence[str]) -> list[dict[str, Any]]:
        """Rows as dictionaries."""
        found: list[dict[str, Any]] = self.table.select(list(columns)).take(pa.array(ordinals)).to_pylist()
        return found
