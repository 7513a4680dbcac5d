"""Parquet files that other tools open: the same values, described, and without what may not be passed on."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

from kg_pipeline.graph import layout
from kg_pipeline.graph.exchange import parquet
from kg_pipeline.graph.exchange.export import export_version
from kg_pipeline.graph.exchange.source import ANY_LICENSE, ExportSource
from tests.graph.exchange.conftest import rows


def test_every_table_comes_back_value_by_value(exported, tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "_GROUP_BYTES", 200)  # several row groups of a small table
    paths = {path.stem: path for path in export_version(exported, "parquet", tmp_path)}
    for name in layout.TABLE_KEYS:
        assert pq.read_table(paths[name]).equals(layout.open_table(exported, name)), name
    assert pq.ParquetFile(paths["evidence"]).num_row_groups > 1


def test_joins_and_vectors_are_those_of_a_reader(versions, tmp_path):
    version = versions.store.current("cytokines")
    folder = versions.store.folder("cytokines", version)
    paths = {path.stem: path for path in export_version(folder, "parquet", tmp_path)}
    reader = versions.store.open("cytokines")
    joined = pl.read_parquet(paths["has_entity"])
    chunks = [row["chunk_id"] for row in rows(folder, "chunks")]
    assert {
        chunk: of_chunk["entity_id"].to_list() for (chunk,), of_chunk in joined.group_by("chunk_id")
    } == reader.entities_of(chunks)
    vectors = pl.read_parquet(paths["embeddings"]).filter(kind="entity")
    query = versions.embedder.embed(["CRP"])[0]
    scores = np.array(vectors["vector"].to_list(), np.float32) @ query
    assert reader.similarities("entity", vectors["id"].to_list(), query) == pytest.approx(
        scores.tolist(), abs=1e-6
    )
    reader.close()


def test_names_that_only_a_vocabulary_has_stay_at_home(versions, tmp_path):
    folder = versions.store.folder("cytokines", versions.store.current("cytokines"))
    assert "hybridoma growth factor" in layout.open_frame(folder, "names")["key"]
    paths = {path.stem: path for path in export_version(folder, "parquet", tmp_path)}
    names = pl.read_parquet(paths["names"])
    assert "hybridoma growth factor" not in names["key"]
    assert "il6" in names["key"]
    assert names["is_said"].all()


def test_each_file_says_what_it_is_and_what_its_columns_mean(exported, tmp_path):
    for path in export_version(exported, "parquet", tmp_path):
        file = pq.ParquetFile(path)
        told = {key.decode(): value.decode() for key, value in file.metadata.metadata.items()}
        assert (told["kg.corpus"], told["kg.version"], told["kg.table"]) == ("tiny", exported.name, path.stem)
        meanings = json.loads(told["kg.columns"])
        assert list(meanings) == file.schema_arrow.names
        assert all(meanings.values())
        assert file.metadata.row_group(0).column(0).compression == "ZSTD"


def test_text_that_may_not_be_passed_on_is_in_no_file(workplace, cytokines, tmp_path):
    workplace.write(cytokines)
    shard = workplace.datasets.shards("documents", "tiny")[0]
    documents = workplace.datasets.read("documents", "tiny", shard)
    closed = documents["article_id"].to_list()
    documents = documents.with_columns(license_class=pl.lit("unknown"))
    workplace.datasets.write("documents", "tiny", documents, shard)
    folder = workplace.folder(workplace.assemble(rights={"unknown": "text"}))
    held, whole = (
        {
            path.stem: pl.read_parquet(path)
            for path in export_version(folder, "parquet", tmp_path / name, **options)
        }
        for name, options in (("held", {}), ("whole", {"quotable": ANY_LICENSE}))
    )
    of_closed = pl.col("article_id").is_in(closed)
    for name, column in (("documents", "text"), ("chunks", "text"), ("evidence", "quote")):
        assert set(held[name].filter(of_closed)[column]) == {""}
        assert "" not in set(held[name].filter(~of_closed)[column])
        assert held[name].drop(column).equals(whole[name].drop(column))
        assert whole[name].equals(layout.open_frame(folder, name))
    hidden = set(whole["chunks"].filter(of_closed)["chunk_id"])
    assert hidden
    assert hidden.isdisjoint(held["embeddings"]["id"])
    assert hidden <= set(whole["embeddings"]["id"])
    assert ExportSource(folder).n_withheld == len(held["evidence"].filter(of_closed))
