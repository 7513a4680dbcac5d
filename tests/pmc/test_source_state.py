"""Whether a watched folder changed, and whether its files are still being copied."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.pmc.source_state import SETTLING_SECONDS, changed_sources, source_state

LONG_AGO = 1_000_000.0


def put(folder: Path, name: str, content: str = "<article/>", when: float = LONG_AGO) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    os.utime(path, (when, when))
    return path


def test_added_changed_and_removed_files_are_changes_and_nothing_else_is(tmp_path: Path) -> None:
    put(tmp_path, "a.xml")
    before = source_state(tmp_path).digest
    assert source_state(tmp_path).digest == before
    added = put(tmp_path, "deep/b.xml")
    states = [before, source_state(tmp_path).digest]
    put(tmp_path, "a.xml", "<article>longer</article>")
    states.append(source_state(tmp_path).digest)
    put(tmp_path, "a.xml", "<article>LONGER</article>", when=LONG_AGO + 1)
    states.append(source_state(tmp_path).digest)
    assert len(set(states)) == len(states)
    added.unlink()
    put(tmp_path, "a.xml")
    assert source_state(tmp_path).digest == before


def test_hidden_files_do_not_count(tmp_path: Path) -> None:
    put(tmp_path, "a.xml")
    before = source_state(tmp_path)
    put(tmp_path, ".a.xml.part")
    put(tmp_path, ".incoming/b.xml")
    assert source_state(tmp_path) == before


def test_an_archive_is_one_file_and_a_missing_source_has_none(tmp_path: Path) -> None:
    assert source_state(put(tmp_path, "articles.tar")).files == 1
    assert source_state(tmp_path / "gone").files == 0


@given(age=st.floats(0, 1e6))
def test_a_source_settles_after_its_youngest_file(tmp_path_factory, age: float) -> None:
    folder = tmp_path_factory.mktemp("source")
    put(folder, "old.xml", when=LONG_AGO - 1e5)
    put(folder, "young.xml")
    now = LONG_AGO + age
    changed, growing = changed_sources({"ours": folder}, {}, now)
    # A double holds these times to about a tenth of a microsecond.
    if abs(age - SETTLING_SECONDS) > 1e-6:
        assert bool(changed) == (age > SETTLING_SECONDS)
        assert growing == ([] if changed else ["ours"])


def test_a_source_is_changed_once(tmp_path: Path) -> None:
    put(tmp_path, "a.xml")
    changed, _ = changed_sources({"ours": tmp_path}, {}, LONG_AGO * 2)
    assert changed_sources({"ours": tmp_path}, changed, LONG_AGO * 2) == ({}, [])
