from __future__ import annotations

import os
import subprocess
import sys
import time
import weakref
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest

from kg_pipeline.datasets import ROW_GROUP, Datasets, table_from_rows
from kg_pipeline.errors import DatasetError
from kg_pipeline.files import TEMPORARY_PREFIX, replacing
from tests.core.rows import ROW


def test_a_table_comes_back_as_it_was_written(tmp_path: Path) -> None:
    datasets = Datasets(tmp_path)
    datasets.write("rejects", "demo", table_from_rows("rejects", [ROW]), "07")
    assert datasets.read("rejects", "demo", "07").to_dicts() == [ROW]
    assert datasets.shards("rejects", "demo") == ["07"]


def test_equal_rows_give_equal_bytes(tmp_path: Path) -> None:
    datasets = Datasets(tmp_path)
    frame = pl.DataFrame([ROW])
    datasets.write("rejects", "a", frame)
    datasets.write("rejects", "b", table_from_rows("rejects", [ROW]))
    assert datasets.path("rejects", "a").read_bytes() == datasets.path("rejects", "b").read_bytes()


def test_a_corpus_is_scanned_over_its_shards_in_order(tmp_path: Path) -> None:
    datasets = Datasets(tmp_path)
    for shard in ("02", "00", "01"):
        datasets.write("rejects", "demo", pl.DataFrame([{**ROW, "article_id": shard}]), shard)
    assert datasets.scan("rejects", "demo").collect()["article_id"].to_list() == ["00", "01", "02"]
    assert datasets.scan("rejects", "other").collect().is_empty()


@pytest.mark.parametrize(
    ("row", "hint"),
    [
        ({k: v for k, v in ROW.items() if k != "reason"}, "lacks the columns reason"),
        ({**ROW, "reason": None}, "reason"),
    ],
)
def test_a_table_that_breaks_the_contract_is_refused(
    tmp_path: Path, row: dict[str, object], hint: str
) -> None:
    with pytest.raises(DatasetError, match=hint):
        Datasets(tmp_path).write(
            "rejects", "demo", pl.DataFrame([row], schema_overrides={"reason": pl.String})
        )


@pytest.mark.parametrize("keys", [["7.1", "7.2"], ["7", "7.parquet"], ["a b", "a%20b"], ["x", "X"]])
def test_names_that_look_alike_are_two_tables(tmp_path: Path, keys: list[str]) -> None:
    datasets = Datasets(tmp_path)
    for key in keys:
        datasets.write("rejects", key, pl.DataFrame([{**ROW, "detail": key}]), key)
    for key in keys:
        assert datasets.shards("rejects", key) == [key]
        assert datasets.read("rejects", key, key)["detail"].to_list() == [key]


def test_an_unknown_dataset_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="no dataset named 'trples'"):
        Datasets(tmp_path).scan("trples", "demo")


def test_a_missing_table_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="kg build demo"):
        Datasets(tmp_path).read("rejects", "demo")


def test_a_damaged_table_says_which(tmp_path: Path) -> None:
    datasets = Datasets(tmp_path)
    datasets.write("rejects", "demo", pl.DataFrame([ROW]))
    datasets.path("rejects", "demo").write_bytes(b"PAR1 nonsense")
    with pytest.raises(DatasetError, match=r"all\.parquet is damaged"):
        datasets.read("rejects", "demo")


def test_a_table_that_is_damaged_anywhere_is_not_usable_or_has_its_footer(tmp_path: Path) -> None:
    datasets = Datasets(tmp_path)
    datasets.write("rejects", "demo", pl.DataFrame([ROW]))
    path = datasets.path("rejects", "demo")
    whole = path.read_bytes()
    told = []
    for at in range(len(whole) - 8 - int.from_bytes(whole[-8:-4], "little"), len(whole)):
        for value in (0x00, 0xFF):
            path.write_bytes(whole[:at] + bytes([value]) + whole[at + 1 :])
            told.append(datasets.is_usable("rejects", "demo"))
            with suppress(DatasetError):
                list(datasets.parts("rejects", "demo", ["detail"], 1))
    assert set(told) == {True, False}


def test_a_failed_replacement_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def interrupted() -> None:
        with replacing(path) as aside:
            aside.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "old"
    assert not list(tmp_path.glob(f"{TEMPORARY_PREFIX}*"))


def test_a_killed_write_is_not_taken_for_a_shard(tmp_path: Path) -> None:
    datasets = Datasets(tmp_path)
    datasets.write("rejects", "demo", pl.DataFrame([ROW]), "00")
    (tmp_path / "demo" / "rejects" / f"{TEMPORARY_PREFIX}1-ab-01.parquet").write_bytes(b"half")
    assert datasets.shards("rejects", "demo") == ["00"]


def test_batches_make_the_table_that_they_make_together_and_are_held_one_at_a_time(tmp_path: Path) -> None:
    datasets = Datasets(tmp_path)
    made: list[weakref.ref[pl.DataFrame]] = []
    held = []

    def batches() -> Iterator[pl.DataFrame]:
        for number in range(4):
            frame = pl.DataFrame({**ROW, "detail": [str(number)] * ROW_GROUP})
            made.append(weakref.ref(frame))
            held.append(sum(reference() is not None for reference in made))
            yield frame

    datasets.write_batches("rejects", "streamed", batches())
    assert max(held) <= 2
    datasets.write("rejects", "whole", pl.concat(batches()))
    paths = [datasets.path("rejects", corpus) for corpus in ("streamed", "whole")]
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_batches_that_fail_leave_the_table_as_it_was(tmp_path: Path) -> None:
    datasets = Datasets(tmp_path)
    datasets.write("rejects", "demo", pl.DataFrame([ROW]))

    def batches() -> Iterator[pl.DataFrame]:
        yield pl.DataFrame([{**ROW, "detail": "new"}])
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        datasets.write_batches("rejects", "demo", batches())
    assert datasets.read("rejects", "demo").to_dicts() == [ROW]


def test_what_killed_writers_left_goes_and_what_living_ones_write_stays(tmp_path: Path) -> None:
    datasets = Datasets(tmp_path)
    datasets.write("rejects", "demo", pl.DataFrame([ROW]), "07")
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        child.wait()
    folder = datasets.path("rejects", "demo", "07").parent
    dead, recent = (folder / f"{TEMPORARY_PREFIX}{child.pid}-{name}-07.parquet" for name in ("a", "b"))
    note = folder.parent / f"{TEMPORARY_PREFIX}{child.pid}-c-note"
    with replacing(datasets.path("rejects", "demo", "08")) as living:
        for path in (dead, recent, note, living):
            path.write_bytes(b"half")
        hours_ago = time.time() - 2 * 3600
        for path in (dead, note, living):
            os.utime(path, (hours_ago, hours_ago))
        datasets.sweep("demo")
        left = {path.name for path in tmp_path.rglob(f"{TEMPORARY_PREFIX}*")}
        assert left == {recent.name, living.name}
    assert datasets.shards("rejects", "demo") == ["07", "08"]
    datasets.sweep("not there")
