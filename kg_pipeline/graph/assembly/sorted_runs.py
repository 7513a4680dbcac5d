"""Rows in the order of a text key that may be more than memory holds: an external merge sort.

Rows are collected until they fill a run, which is sorted and written; in the end, runs are mapped and one range of keys
after the other is cut out of all of them and sorted (Knuth, The Art of Computer Programming 3, section 5.4, with a sort
of each range in place of a tournament, since a range fits into memory). What fits into one run is never written.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pyarrow as pa

from kg_pipeline.graph.layout import map_table, write_table

_RUN_BYTES = 48_000_000
_RANGE_BYTES = 24_000_000
#: Keys that are looked at for each range to be cut, so that ranges are about equally large.
_SAMPLES = 16


class SortedRuns:
    """Rows that are added in any order and come back sorted."""

    def __init__(self, folder: Path, key: str, *, run_bytes: int = _RUN_BYTES) -> None:
        """Runs are written into `folder`, which is the caller's to remove; `key` is a text column without nulls."""
        self._folder = folder
        self._key = key
        self._run_bytes = run_bytes
        self._waiting: list[pl.DataFrame] = []
        self._waiting_bytes = 0
        self._written: list[Path] = []

    def add(self, frame: pl.DataFrame) -> None:
        """Take rows; all frames have the same columns, and at least one is added."""
        self._waiting.append(frame)
        self._waiting_bytes += int(frame.estimated_size())
        if self._waiting_bytes >= self._run_bytes:
            self._write()

    def runs(self) -> list[pa.Table]:
        """What was added, as sorted tables; those that were written are mapped."""
        if not self._written:
            return [self._sorted()]
        if self._waiting:
            self._write()
        return [map_table(path) for path in self._written]

    def _write(self) -> None:
        path = self._folder / f"{self._key}-{len(self._written):05d}.arrow"
        write_table(path, self._sorted())
        self._written.append(path)
        self._waiting, self._waiting_bytes = [], 0

    def _sorted(self) -> pa.Table:
        ordered = pl.concat(self._waiting).sort(self._key, maintain_order=True)
        return ordered.to_arrow(compat_level=pl.CompatLevel.oldest())


def in_step(
    key: str, *tables: SortedRuns, range_bytes: int = _RANGE_BYTES
) -> Iterator[tuple[pl.DataFrame, ...]]:
    """One range of keys after the other: the rows of each table in it, sorted by key.

    Rows of one key lie in one range, in the order in which they were added.

    Parameters
    ----------
    key
        The column that all tables are sorted by.
    tables
        What is cut; ranges are chosen by the size of the first.
    range_bytes
        About how large a range of the first table is.

    """
    opened = [table.runs() for table in tables]
    bounds = _bounds(key, opened[0], range_bytes)
    cuts = [[_cuts(_column(run, key), bounds) for run in runs] for runs in opened]
    for number in range(len(bounds) + 1):
        yield tuple(
            _cut_out(key, runs, of_table, number) for runs, of_table in zip(opened, cuts, strict=True)
        )


def _bounds(key: str, runs: list[pa.Table], range_bytes: int) -> pl.Series:
    """Keys at which one range ends and the next begins."""
    n_ranges = sum(run.nbytes for run in runs) // range_bytes + 1
    step = max(sum(run.num_rows for run in runs) // (n_ranges * _SAMPLES), 1)
    samples = pl.concat([_column(run, key).gather_every(step) for run in runs]).sort()
    return samples.gather_every(_SAMPLES)[1:] if n_ranges > 1 else samples.clear()


def _column(run: pa.Table, key: str) -> pl.Series:
    return pl.Series(key, run.column(key))


def _cuts(keys: pl.Series, bounds: pl.Series) -> list[int]:
    """Where the ranges of one run begin, and its end."""
    inner = keys.search_sorted(bounds, side="left").to_list() if len(bounds) else []
    return [0, *inner, len(keys)]


def _cut_out(key: str, runs: list[pa.Table], cuts: list[list[int]], number: int) -> pl.DataFrame:
    parts = [
        run.slice(cut[number], cut[number + 1] - cut[number]) for run, cut in zip(runs, cuts, strict=True)
    ]
    held = [part for part in parts if part.num_rows] or parts[:1]
    frames = [pl.DataFrame(part) for part in held]
    return frames[0] if len(frames) == 1 else pl.concat(frames).sort(key, maintain_order=True)
