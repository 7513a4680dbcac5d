from __future__ import annotations

import polars as pl
import pyarrow as pa
import pytest

from kg_pipeline.errors import CorruptGraphError, NoGraphError
from kg_pipeline.graph import layout


def table(rows):
    return pl.DataFrame(rows).to_arrow(compat_level=pl.CompatLevel.oldest())


ROWS = {
    "id": ["a", "b", None, "ç"],
    "n": [1, None, 3, 4],
    "flag": [True, False, None, True],
    "names": [["x", "y"], [], None, ["z"]],
}


def test_a_digest_depends_on_values_only():
    whole = table(ROWS)
    parts = pa.concat_tables([whole.slice(0, 1), whole.slice(1)])
    reordered = table({name: values[::-1] for name, values in ROWS.items()}).take(pa.array([3, 2, 1, 0]))
    assert layout.content_digest(whole) == layout.content_digest(parts) == layout.content_digest(reordered)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("id", ["a", "b", "", "ç"]),
        ("id", ["ab", "", None, "ç"]),
        ("n", [1, 0, 3, 4]),
        ("flag", [True, False, False, True]),
        ("names", [["x"], ["y"], None, ["z"]]),
        ("names", [["x", "y"], [], [], ["z"]]),
        ("names", [["xy"], [], None, ["z"]]),
    ],
)
def test_a_digest_tells_apart_values_that_share_bytes(column, values):
    assert layout.content_digest(table(ROWS)) != layout.content_digest(table({**ROWS, column: values}))


def test_an_empty_table_and_array_can_be_written_and_mapped(tmp_path):
    layout.write_table(layout.table_path(tmp_path, "merges"), table(ROWS).slice(0, 0))
    assert layout.open_table(tmp_path, "merges").num_rows == 0


def test_files_that_are_not_what_they_should_be_are_named(tmp_path):
    path = layout.table_path(tmp_path, "merges")
    path.parent.mkdir()
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(CorruptGraphError, match=r"merges\.arrow"):
        layout.open_table(tmp_path, "merges")
    for content in (None, b"", b"\x93NUMPY\x01\x00v"):
        if content is not None:
            layout.array_path(tmp_path, "x").parent.mkdir(exist_ok=True)
            layout.array_path(tmp_path, "x").write_bytes(content)
        with pytest.raises(CorruptGraphError, match=r"x\.npy"):
            layout.open_array(layout.array_path(tmp_path, "x"))
    with pytest.raises(NoGraphError, match="no graph version"):
        layout.read_manifest(tmp_path)
