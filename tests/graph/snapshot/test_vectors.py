from __future__ import annotations

import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.graph import layout
from kg_pipeline.graph.assembly.assemble import assemble_version
from kg_pipeline.graph.snapshot.vectors import Vectors
from kg_pipeline.graph.versions.verify import verify_version


def unit(matrix):
    return (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)


def test_equal_scores_are_ordered_by_row_even_at_the_cut():
    matrix = unit(np.array([[0, 1], [1, 0], [1, 0], [1, 0], [1, 1]], float))
    vectors = Vectors(matrix, np.array([2, 4, 5, 8, 9], np.int32))
    assert vectors.nearest(np.array([1, 0], np.float32), 2, -1.0) == [(4, 1.0), (5, 1.0)]
    assert [row for row, _ in vectors.nearest(np.array([1, 0], np.float32), 9, 0.5)] == [4, 5, 8, 9]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(1, 12))
def test_the_scan_finds_what_sorting_finds(seed, rows, k):
    source = np.random.default_rng(seed)
    matrix = unit(source.integers(-2, 3, (rows, 3)) + 0.01)
    query = unit(source.standard_normal((1, 3)))[0]
    exact = (matrix.astype(float) @ query.astype(float)).astype(np.float32)
    expected = sorted(range(rows), key=lambda row: (-exact[row], row))[:k]
    vectors = Vectors(matrix, np.arange(rows, dtype=np.int32))
    found = vectors.nearest(query, k, -1.0)
    assert [row for row, _ in found] == expected
    assert vectors.nearest_many([-query, query], k, -1.0) == [vectors.nearest(-query, k, -1.0), found]


def test_a_node_without_a_vector_scores_zero():
    vectors = Vectors(unit(np.eye(2)), np.array([1, 3], np.int32))
    query = np.array([1, 0], np.float32)
    assert vectors.similarities(np.array([-1, 0, 1, 3, 7]), query) == [0, 0, 1, 0, 0]
    empty = Vectors(np.empty((0, 2), np.float32), np.empty(0, np.int32))
    assert empty.similarities(np.array([0]), query) == [0]
    assert empty.nearest(query, 3, -1.0) == []


def test_many_vectors_get_an_index_whose_recall_is_stated(workplace, random_articles):
    pytest.importorskip("usearch")
    exact = workplace.build(random_articles)
    alone = workplace.store.open("tiny", exact.name)
    vectors = workplace.embedder.embed(["gene03 binds gene11", "gene30 increases gene02"])
    expected = [alone.nearest("chunk", vector, 5) for vector in vectors]
    shutil.rmtree(exact)
    low = workplace.settings.model_copy(update={"ann_above": 100})
    manifest = assemble_version(workplace.datasets, workplace.spec(), low)
    folder = workplace.folder(manifest)
    assert manifest.version == exact.name, "how vectors are searched is no content"
    assert manifest.recall.keys() == {"chunk"}, "there are not so many entities"
    assert manifest.recall["chunk"] > 0.95
    assert layout.vector_index_path(folder, "chunk").is_file()
    assert verify_version(folder) == []
    reader = workplace.store.open("tiny", folder.name)
    assert [reader.nearest("chunk", vector, 5) for vector in vectors] == expected
    assert reader.nearest("chunk", vectors[0], 5, threshold=0.9999) == [
        hit for hit in expected[0] if hit.score >= 0.9999
    ]
