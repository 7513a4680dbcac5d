"""What a full disk looks like to the libraries that write."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kg_pipeline.files import is_disk_full

_FULL = Path("/dev/full")


@pytest.mark.skipif(not _FULL.exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    "write",
    [
        lambda: np.zeros(1_000_000).tofile(_FULL),
        lambda: pl.DataFrame({"a": range(1_000)}).write_parquet(_FULL),
        lambda: _FULL.write_text("a"),
    ],
    ids=["numpy", "polars", "python"],
)
def test_a_full_disk_is_known_by_what_each_library_says_of_it(write, tmp_path: Path) -> None:
    with pytest.raises(Exception) as caught:
        write()
    assert is_disk_full(caught.value, tmp_path)


def test_other_errors_of_writing_are_not_taken_for_a_full_disk(tmp_path: Path) -> None:
    assert not is_disk_full(PermissionError(13, "Permission denied"), tmp_path)
    assert not is_disk_full(OSError("500 requested and granted"), tmp_path)
