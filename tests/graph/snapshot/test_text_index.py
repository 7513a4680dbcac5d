"""The text index: the same texts give the same files, and every text is found."""

from __future__ import annotations

from kg_pipeline.graph.snapshot.text_index import TextIndex, build_text_index


def test_the_same_texts_give_the_same_files(tmp_path):
    texts = [f"gene{number % 7} increases protein{number}" for number in range(200)]
    for name in ("a", "b"):
        build_text_index(tmp_path / name, texts, "en_stem")
    first, second = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("a", "b")
    )
    assert first == second
    found = TextIndex(tmp_path / "a").search("protein42", 5)
    assert [ordinal for ordinal, _ in found] == [42]
    build_text_index(tmp_path / "c", [*texts, "another"], "en_stem")
    assert {path.name for path in (tmp_path / "c").iterdir()} != set(first)


def test_an_index_without_texts_finds_nothing(tmp_path):
    build_text_index(tmp_path, [], "default")
    assert TextIndex(tmp_path).search("anything", 5) == []


def test_reading_writes_nothing_beside_the_index(tmp_path):
    """A version may lie on a disk that is mounted read-only, whose superuser may not write either."""
    build_text_index(tmp_path, ["TNF increases IL6"], "en_stem")
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path, *tmp_path.iterdir())}
    index = TextIndex(tmp_path)
    assert [ordinal for ordinal, _ in index.search("increase", 5)] == [0]
    assert {path.name: path.stat().st_mtime_ns for path in (tmp_path, *tmp_path.iterdir())} == before
