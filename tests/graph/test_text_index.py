"""The text index: the same texts give the same files, and every text is found."""

from __future__ import annotations

from kg_pipeline.graph.text_index import TextIndex, build_text_index


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
