"""Rows sorted through files, and tables written part by part."""

from __future__ import annotations

import tempfile
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.graph import layout
from kg_pipeline.graph.assembly.sorted_runs import SortedRuns, in_step
from kg_pipeline.graph.assembly.table_parts import write_parts

_KEYS = st.lists(st.text("ab:", max_size=3), max_size=30)


def _runs(folder, keys, run_bytes, size=4):
    """Runs of (key, place), added some rows at a time."""
    runs = SortedRuns(folder, "key", run_bytes=run_bytes)
    frame = pl.DataFrame(
        {"key": keys, "place": range(len(keys))}, schema={"key": pl.String, "place": pl.Int32}
    )
    for start in range(0, max(len(keys), 1), size):
        runs.add(frame.slice(start, size))
    return runs


@settings(deadline=None, max_examples=60)
@given(
    first=_KEYS,
    second=_KEYS,
    run_bytes=st.sampled_from([1, 200, 10**6]),
    range_bytes=st.sampled_from([1, 150, 10**6]),
)
def test_ranges_laid_end_to_end_are_a_stable_sort_and_hold_all_rows_of_a_key(
    first, second, run_bytes, range_bytes
):
    with tempfile.TemporaryDirectory() as place:
        tables = [
            _runs(Path(place) / str(number), keys, run_bytes) for number, keys in enumerate((first, second))
        ]
        ranges = list(in_step("key", *tables, range_bytes=range_bytes))
    for number, keys in enumerate((first, second)):
        rows = [row for of_range in ranges for row in of_range[number].rows()]
        assert rows == sorted(zip(keys, range(len(keys)), strict=True), key=lambda row: row[0])
    held = [{key for frame in of_range for key in frame["key"]} for of_range in ranges]
    assert sum(map(len, held)) == len(set().union(*held))


def test_what_fits_into_one_run_is_never_written(tmp_path):
    list(in_step("key", _runs(tmp_path / "runs", ["b", "a"], run_bytes=10**6)))
    assert not (tmp_path / "runs").exists()


_ROWS = st.lists(
    st.tuples(st.one_of(st.none(), st.text(max_size=4)), st.one_of(st.none(), st.integers(-9, 9))),
    max_size=12,
)


@settings(deadline=None, max_examples=40)
@given(rows=_ROWS, size=st.integers(1, 5))
def test_a_table_written_in_parts_is_the_table_in_one_batch(rows, size):
    schema = {"text": pl.String, "number": pl.Int32}
    whole = pl.DataFrame(rows, schema=schema, orient="row").to_arrow(compat_level=pl.CompatLevel.oldest())
    with tempfile.TemporaryDirectory() as place:
        path = layout.table_path(Path(place), "chunks")
        write_parts(path, (whole.slice(start, size) for start in range(0, max(len(rows), 1), size)))
        opened = layout.open_table(Path(place), "chunks")
        assert opened.equals(whole)
        assert opened.column("text").num_chunks <= 1
        assert layout.content_digest(opened) == layout.content_digest(whole)
        assert [file.name for file in path.parent.iterdir()] == ["chunks.arrow"]


def test_a_list_cannot_be_written_in_parts(tmp_path):
    with pytest.raises(ValueError, match="cannot be written in parts"):
        write_parts(tmp_path / "x.arrow", [pa.table({"names": [["a"]]})])
