from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from filelock import FileLock

from kg_pipeline.errors import ModelError
from kg_pipeline.files import temporary_sibling
from kg_pipeline.schema import CONCEPTS
from kg_pipeline.settings import load_settings
from kg_pipeline.vocabulary.index.build import OPEN_VOCABULARY, build_vocabulary, vocabulary_digest
from kg_pipeline.vocabulary.index.lookup import Vocabulary, open_vocabulary


def concept(
    concept_id: str,
    name: str,
    *synonyms: str,
    category: str = "biolink:Gene",
    parents: tuple[str, ...] = (),
    source: str = "HGNC",
) -> dict[str, Any]:
    return {
        "concept_id": concept_id, "name": name, "category": category, "names": [name, *synonyms], "parents": list(parents), "source": source,
    }  # fmt: skip


def opened(tmp_path: Path, *concepts: dict[str, Any]) -> Vocabulary:
    source = tmp_path / "concepts.parquet"
    pq.write_table(pa.Table.from_pylist(list(concepts), schema=CONCEPTS), source)
    return open_vocabulary(build_vocabulary(load_settings({"KG_HOME": str(tmp_path)}), source))


def test_build_is_idempotent_and_whole(tmp_path: Path) -> None:
    settings = load_settings({"KG_HOME": str(tmp_path)})
    source = tmp_path / "concepts.parquet"
    pq.write_table(pa.Table.from_pylist([concept("HGNC:1", "TP53", "p53")], schema=CONCEPTS), source)
    first = build_vocabulary(settings, source)
    before = {path: path.stat().st_mtime_ns for path in first.iterdir()}
    assert build_vocabulary(settings, source) == first
    assert {path: path.stat().st_mtime_ns for path in first.iterdir()} == before
    assert [path.name for path in first.parent.iterdir() if path.is_dir()] == [first.name]


def test_what_killed_builds_left_is_removed_by_the_next_one(tmp_path: Path) -> None:
    settings = load_settings({"KG_HOME": str(tmp_path)})
    source = tmp_path / "concepts.parquet"
    pq.write_table(pa.Table.from_pylist([concept("HGNC:1", "TP53")], schema=CONCEPTS), source)
    root = settings.cache / "vocabulary"
    left = temporary_sibling(root / "0123456789abcdef")
    left.mkdir(parents=True)
    (left / "names.marisa").write_bytes(b"half")
    stacking = temporary_sibling(root / "stack-0123456789abcdef.parquet")
    stacking.touch()  # a stack is written without the lock, perhaps by a process that lives
    folder = build_vocabulary(settings, source)
    assert {path.name for path in root.iterdir()} - {".lock"} == {folder.name, stacking.name}


def test_a_wait_for_another_build_has_an_end_and_says_who_holds_it_up(tmp_path: Path) -> None:
    settings = load_settings({"KG_HOME": str(tmp_path)})
    source = tmp_path / "concepts.parquet"
    pq.write_table(pa.Table.from_pylist([concept("HGNC:1", "TP53")], schema=CONCEPTS), source)
    (settings.cache / "vocabulary").mkdir(parents=True)
    with (
        FileLock(settings.cache / "vocabulary" / ".lock"),
        pytest.raises(ModelError, match=r"Another process has been indexing .*\.lock"),
    ):
        build_vocabulary(settings, source, patience=0.05)
    assert build_vocabulary(settings, source, patience=0.05).is_dir()


def test_another_content_is_another_digest(tmp_path: Path) -> None:
    source = tmp_path / "concepts.parquet"
    pq.write_table(pa.Table.from_pylist([concept("HGNC:1", "TP53")], schema=CONCEPTS), source)
    first = vocabulary_digest(source)
    pq.write_table(pa.Table.from_pylist([concept("HGNC:1", "TP53", "p53")], schema=CONCEPTS), source)
    assert vocabulary_digest(source) != first


def test_a_missing_or_foreign_table_says_what_to_do(tmp_path: Path) -> None:
    settings = load_settings({"KG_HOME": str(tmp_path)})
    with pytest.raises(ModelError, match="Install the package again"):
        build_vocabulary(settings, tmp_path / "absent.parquet")
    foreign = tmp_path / "foreign.parquet"
    pq.write_table(pa.table({"a": [1]}), foreign)
    with pytest.raises(ModelError, match="columns"):
        build_vocabulary(settings, foreign)
    foreign.write_bytes(foreign.read_bytes()[:-9])
    with pytest.raises(ModelError, match="cannot be read"):
        build_vocabulary(settings, foreign)
    concepts = [concept("A:1", "alpha thing"), concept("A:2", "beta", "be\0ta")]
    pq.write_table(pa.Table.from_pylist(concepts, schema=CONCEPTS), foreign)
    with pytest.raises(ModelError, match=r"A name of A:2 .* NUL"):
        build_vocabulary(settings, foreign)
    with pytest.raises(ModelError, match="Delete the folder"):
        open_vocabulary(tmp_path / "nowhere")


def test_concept_and_is_a_with_a_cycle_in_the_parents(tmp_path: Path) -> None:
    vocabulary = opened(
        tmp_path,
        concept("A:1", "alpha thing", parents=("A:2",)),
        concept("A:2", "beta thing", parents=("A:3", "A:1")),
        concept("A:3", "gamma thing", parents=("A:9",)),
    )
    assert vocabulary.is_a("A:1", "A:3")
    assert not vocabulary.is_a("A:1", "A:3", max_depth=1)
    assert not vocabulary.is_a("A:3", "A:1")
    assert vocabulary.is_a("A:1", "A:9")
    found = vocabulary.concept("A:2")
    assert found is not None
    assert (found.name, found.parents) == ("beta thing", ("A:3", "A:1"))
    assert vocabulary.concept("A:4") is None


def test_family_comes_before_genes_that_have_its_name_as_an_alias(tmp_path: Path) -> None:
    vocabulary = opened(
        tmp_path,
        concept("FPLX:ERK", "ERK", "Erk", category="biolink:GeneFamily", source="FPLX"),
        concept("HGNC:3393", "EPHB2", "EPH receptor B2", "ERK"),
    )
    assert [candidate.concept_id for candidate in vocabulary.lookup("ERK")] == ["FPLX:ERK", "HGNC:3393"]
    assert [candidate.concept_id for candidate in vocabulary.lookup("Erk")] == ["FPLX:ERK"]


def test_nothing_near_is_offered_for_an_unknown_name(tmp_path: Path) -> None:
    vocabulary = opened(tmp_path, concept("K9", "Tarlatan", category="biolink:Procedure", source="KG"))
    assert vocabulary.lookup("tarlatamab") == []
    assert vocabulary.lookup("") == []


def test_packaged_vocabulary_is_small_and_opens_at_once(
    vocabulary: Vocabulary, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert OPEN_VOCABULARY.stat().st_size < 12_000_000
    folder = tmp_path_factory.getbasetemp() / "shared-vocabulary" / "cache" / "vocabulary" / vocabulary.digest
    started, own = time.perf_counter(), pa.total_allocated_bytes()
    opened = open_vocabulary(folder)
    assert len(opened) > 250_000
    assert time.perf_counter() - started < 0.3
    assert pa.total_allocated_bytes() - own < 1_000_000  # mapped, not copied


@pytest.mark.parametrize("file", ["gram_sizes.npy", "gram_numbers.bin", "keys.marisa", "concepts.arrow"])
def test_an_index_of_which_a_file_was_emptied_says_how_to_make_it_again(tmp_path: Path, file: str) -> None:
    source = tmp_path / "concepts.parquet"
    pq.write_table(pa.Table.from_pylist([concept("HGNC:1", "interleukin 6")], schema=CONCEPTS), source)
    folder = build_vocabulary(load_settings({"KG_HOME": str(tmp_path)}), source)
    (folder / file).write_bytes(b"")
    with pytest.raises(ModelError, match="Delete the folder"):
        open_vocabulary(folder)
