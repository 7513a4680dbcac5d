"""Write a table that comes in parts as one record batch, without having it in memory.

A record batch keeps each column in one piece, and only such a file opens without a copy; so parts are written column by
column into files of their own, which are mapped and written as one batch in the end.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kg_pipeline.graph.layout import write_table


def write_parts(path: Path, parts: Iterable[pa.Table]) -> None:
    """Write tables laid end to end; they have the same columns, of texts and numbers, and there is at least one.

    Raises
    ------
    ValueError
        If a column is of another type.

    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        columns: list[_Column] = []
        names: list[str] = []
        for part in parts:
            if not columns:
                names = part.column_names
                columns = [_Column(Path(scratch) / str(n), field.type) for n, field in enumerate(part.schema)]
            for column, values in zip(columns, part.columns, strict=True):
                for chunk in values.chunks:
                    column.append(chunk)
        write_table(path, pa.table([column.mapped() for column in columns], names=names))


class _Column:
    """A column that grows in files."""

    def __init__(self, path: Path, kind: pa.DataType) -> None:
        is_text = pa.types.is_large_string(kind)
        if not is_text and not pa.types.is_integer(kind) and not pa.types.is_floating(kind):
            raise ValueError(f"a column of {kind} cannot be written in parts")
        self._kind = kind
        self._valid: list[npt.NDArray[np.bool_]] = []
        self._values = path.with_suffix(".values")
        self._values.touch()
        self._offsets = path.with_suffix(".offsets") if is_text else None
        self._end = 0
        if self._offsets is not None:
            self._offsets.write_bytes(bytes(8))

    def append(self, array: pa.Array) -> None:
        """Add values."""
        if not len(array):
            return
        self._valid.append(array.is_valid().to_numpy(zero_copy_only=False))
        if self._offsets is None:
            values = array.fill_null(0) if array.null_count else array
            _add(self._values, values.to_numpy().data)
            return
        filled = array.fill_null("") if array.null_count else array
        _, offsets, data = filled.buffers()
        of_part = np.frombuffer(offsets, np.int64)[filled.offset : filled.offset + len(filled) + 1]
        start, end = int(of_part[0]), int(of_part[-1])
        _add(self._offsets, (of_part[1:] + (self._end - start)).data)
        if data is not None:
            _add(self._values, memoryview(data)[start:end])
        self._end += end - start

    def mapped(self) -> pa.Array:
        """All values, over the mapped files."""
        valid = np.concatenate(self._valid) if self._valid else np.empty(0, np.bool_)
        n_nulls = int(np.count_nonzero(~valid))
        bitmap = pa.py_buffer(np.packbits(valid, bitorder="little").tobytes()) if n_nulls else None
        buffers = [bitmap, *(_map(path) for path in (self._offsets, self._values) if path is not None)]
        return pa.Array.from_buffers(self._kind, len(valid), buffers, n_nulls)


def _add(path: Path, content: memoryview) -> None:
    with path.open("ab") as file:
        file.write(content)


def _map(path: Path) -> pa.Buffer:
    if not path.stat().st_size:
        return pa.py_buffer(b"")
    return pa.memory_map(str(path)).read_buffer()
