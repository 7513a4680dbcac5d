"""What is remembered between builds is either what was kept, or nothing."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from kg_pipeline.normalization.remembered import Remembered

NAMES = pl.DataFrame({"name": [f"interleukin {n}" for n in range(400)], "count": list(range(400))})


def test_a_table_with_a_changed_byte_is_the_same_or_none(tmp_path: Path) -> None:
    remembered = Remembered(tmp_path)
    remembered.keep("forms", "digest", NAMES)
    path = tmp_path / "forms.parquet"
    whole = path.read_bytes()
    for at in range(0, len(whole), len(whole) // 60):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        found = remembered.kept("forms", "digest")
        assert found is None or found.equals(NAMES)
    path.write_bytes(whole)
    assert remembered.kept("forms", "digest").equals(NAMES)
    assert remembered.kept("forms", "another") is None
