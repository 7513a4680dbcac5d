"""Each rule of a graph is checked: a version in which it is broken does not verify."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from kg_pipeline.errors import NoGraphError
from kg_pipeline.fingerprint import file_sha256
from kg_pipeline.graph import layout
from kg_pipeline.graph.versions.verify import has_all_files, is_intact, verify_version


@pytest.fixture
def folder(workplace, cytokines, inferred):
    return workplace.build(cytokines, inferred=inferred)


def forge(folder, name, **columns):
    """Change a table and make the manifest agree, so that only the rule itself can notice."""
    frame = pl.from_arrow(layout.open_table(folder, name)).with_columns(**columns)
    path = layout.table_path(folder, name)
    path.unlink()
    layout.write_table(path, frame.to_arrow(compat_level=pl.CompatLevel.oldest()))
    seal(folder, path)


def seal(folder, path):
    manifest = json.loads((folder / layout.MANIFEST).read_text())
    manifest["files"][path.relative_to(folder).as_posix()] = file_sha256(path)
    (folder / layout.MANIFEST).write_text(json.dumps(manifest))


def first(condition, column, value):
    return pl.when(condition).then(value).otherwise(pl.col(column))


def rules(folder):
    return {problem.rule for problem in verify_version(folder)}


def test_an_untouched_version_verifies(folder):
    assert verify_version(folder) == []


@pytest.mark.parametrize(
    ("table", "column", "expression", "rule"),
    [
        ("evidence", "quote", pl.lit("TNF decreases IL6."), "evidence"),
        ("evidence", "end", pl.col("end") + 500, "evidence"),
        ("evidence", "chunk_id", pl.lit("PMC35:c0"), "evidence"),
        ("evidence", "relation_id", pl.lit("none"), "foreign keys"),
        ("evidence", "article_id", pl.lit("PMC99"), "foreign keys"),
        ("chunks", "text", pl.lit("rewritten"), "offsets"),
        ("chunks", "chunk_id", pl.col("chunk_id").first(), "unique ids"),
        ("mentions", "start", pl.col("start") + 1, "offsets"),
        ("mentions", "entity_id", pl.lit("E:none"), "foreign keys"),
        ("relations", "tail_id", pl.lit("E:none"), "foreign keys"),
        ("relations", "predicate", pl.lit("is attributed to"), "predicates"),
        ("relations", "kind", pl.lit("guessed"), "kinds"),
        ("relations", "confidence", pl.lit(1.5, pl.Float32), "confidence"),
        ("relations", "n_evidence", pl.lit(7, pl.Int32), "evidence"),
        ("relations", "kind", pl.lit("asserted"), "evidence"),
        ("relations", "kind", pl.lit("lexical"), "evidence"),
        ("relations", "premises", pl.lit(["gone"]), "premises"),
        ("relations", "head_id", pl.lit("E:TNF"), "adjacency"),
        ("relations", "relation_id", pl.col("relation_id").reverse(), "sorted ids"),
    ],
)
def test_a_broken_rule_is_reported(folder, table, column, expression, rule):
    forge(folder, table, **{column: expression})
    assert rule in rules(folder)


def test_an_inference_surer_than_its_premise_is_reported(folder):
    sure = pl.when(pl.col("kind") == "transitive").then(0.9).otherwise(pl.col("confidence")).cast(pl.Float32)
    forge(folder, "relations", confidence=sure)
    assert "premises" in rules(folder)


def test_a_changed_missing_or_foreign_file_is_reported_by_name(folder):
    table = layout.table_path(folder, "merges")
    table.write_bytes(table.read_bytes()[:-1] + b"?")
    (folder / "stray.txt").write_text("x")
    layout.vector_path(folder, "chunk").unlink()
    told = {problem.where: problem.detail for problem in verify_version(folder)}
    assert told == {
        "tables/merges.arrow": "was changed after it was written",
        "stray.txt": "is not in the manifest",
        "vectors/chunk.npy": "is missing",
    }
    assert not has_all_files(folder)


def test_adjacency_and_vectors_that_do_not_follow_from_the_tables_are_reported(folder):
    path = layout.array_path(folder, "adjacency_other")
    layout.write_array(path, np.roll(layout.open_array(path).copy(), 1))
    vectors = layout.vector_path(folder, "entity")
    layout.write_array(vectors, layout.open_array(vectors).copy() * 2)
    seal(folder, path)
    seal(folder, vectors)
    assert rules(folder) == {"adjacency", "vectors"}


def test_a_version_whose_manifest_names_no_table_is_not_intact(folder):
    assert is_intact(folder)
    table = layout.table_path(folder, "merges")
    table.unlink()
    manifest = json.loads((folder / layout.MANIFEST).read_text())
    del manifest["files"][table.relative_to(folder).as_posix()]
    (folder / layout.MANIFEST).write_text(json.dumps(manifest))
    assert not is_intact(folder)
    assert not has_all_files(folder)


def test_a_directory_without_a_manifest_is_no_version(tmp_path):
    assert not is_intact(tmp_path)
    assert not has_all_files(tmp_path)
    with pytest.raises(NoGraphError):
        verify_version(tmp_path)


def test_a_problem_reads_as_a_sentence(folder):
    forge(folder, "relations", predicate=pl.lit("likes"))
    (problem,) = [p for p in verify_version(folder) if p.rule == "predicates"]
    assert str(problem).startswith("relations: 9 rows have an unknown predicate: ")
