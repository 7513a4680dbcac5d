"""Vectors are computed once for each text, survive a kill, and depend on nothing but text and model."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from kg_pipeline.graph.assembly import embed
from kg_pipeline.graph.assembly.embed import build_embeddings
from kg_pipeline.graph.assembly.vector_store import STORED, CorpusVectors
from kg_pipeline.schema import EMBEDDING_DIMENSIONS

ONE = {"P1": [("TNF", "increases", "IL6")]}
TWO = {**ONE, "P2": [("IL6", "increases", "CRP")]}


def run(workplace, corpus="tiny"):
    return build_embeddings(
        workplace.datasets, workplace.spec(corpus), workplace.settings, embedder=workplace.embedder
    )


def test_a_new_article_costs_only_its_own_texts(workplace):
    workplace.write(ONE)
    assert sorted(workplace.embedder.asked) == [
        "IL6; IL6 protein; the IL6",
        "TNF increases IL6.",
        "TNF; TNF protein; the TNF",
    ]
    workplace.embedder.asked.clear()
    workplace.write(TWO)
    assert sorted(workplace.embedder.asked) == ["CRP; CRP protein; the CRP", "IL6 increases CRP."]
    assert run(workplace) == {"chunks": 2, "entities": 3, "computed": 0, "reused": 5}


def test_corpora_share_vectors_and_models_do_not(workplace):
    workplace.write(ONE)
    workplace.write(ONE, corpus="other")
    assert len(workplace.embedder.asked) == 3
    workplace.embedder.name = "second/model"
    assert run(workplace)["computed"] == 3


def test_a_killed_run_keeps_the_parts_it_had_finished(workplace, random_articles, monkeypatch):
    monkeypatch.setattr(embed, "_PART_TEXTS", 10)
    workplace.write(ONE)
    asked = workplace.embedder.asked
    asked.clear()
    embed_texts = workplace.embedder.embed

    def fail_after_three_parts(texts):
        if len(asked) >= 30:
            raise KeyboardInterrupt
        return embed_texts(texts)

    monkeypatch.setattr(workplace.embedder, "embed", fail_after_three_parts)
    with pytest.raises(KeyboardInterrupt):
        workplace.write(random_articles)
    monkeypatch.setattr(workplace.embedder, "embed", embed_texts)
    first = set(asked)
    asked.clear()
    run(workplace)
    assert len(first) == 30
    assert not first & set(asked)
    parts = list((workplace.settings.cache / "embeddings" / "hashing").glob("*.parquet"))
    assert len(parts) == 5, "the first corpus, three that survived the kill, and one merged from the rest"


def test_parts_are_put_together_as_far_as_memory_is_bounded(workplace, random_articles, monkeypatch):
    monkeypatch.setattr(embed, "_PART_TEXTS", 10)
    monkeypatch.setattr(embed, "_MERGED_PARTS", 3)
    counts = workplace.write(random_articles) or run(workplace)
    assert counts["reused"] >= 70
    stored = [
        pl.read_parquet(path).height for path in (workplace.settings.cache / "embeddings").rglob("*.parquet")
    ]
    assert max(stored) == 30
    assert run(workplace)["computed"] == 0


def test_vectors_of_a_corpus_are_kept_in_a_file(tmp_path):
    digests = pl.Series(["a", "b", "c"])
    vectors = CorpusVectors(tmp_path, digests)
    rows = np.arange(4 * EMBEDDING_DIMENSIONS, dtype=np.float32).reshape(4, EMBEDDING_DIMENSIONS)
    vectors.put(pl.DataFrame({"text_sha256": ["c", "x", "a"], "vector": rows[:3]}, schema=STORED))
    assert vectors.missing()["text_sha256"].to_list() == ["b"]
    vectors.put(pl.DataFrame({"text_sha256": ["b", "a"], "vector": rows[2:]}, schema=STORED))
    wanted = pl.Series(["c", "a", "a", "b"])
    np.testing.assert_array_equal(vectors.of(wanted).to_numpy(), rows[[0, 2, 2, 2]])
    assert not any(tmp_path.iterdir()), "the file has no name that a killed run would leave behind"


def test_a_damaged_cache_part_is_made_again(workplace):
    workplace.write(ONE)
    (part,) = (workplace.settings.cache / "embeddings").rglob("*.parquet")
    part.write_bytes(b"not parquet")
    workplace.datasets.path("embeddings", "tiny").unlink()
    assert run(workplace)["computed"] == 3
    assert run(workplace)["computed"] == 0


def test_the_table_is_sorted_and_each_vector_belongs_to_its_text(workplace, cytokines):
    workplace.write(cytokines)
    table = workplace.datasets.read("embeddings", "tiny")
    assert table.select("kind", "id").rows() == sorted(table.select("kind", "id").rows())
    chunks = dict(workplace.datasets.scan("chunks", "tiny").select("chunk_id", "text").collect().iter_rows())
    for kind, id_, vector in table.select("kind", "id", "vector").iter_rows():
        if kind == "chunk":
            np.testing.assert_array_equal(
                np.asarray(vector, np.float32), workplace.embedder.embed([chunks[id_]])[0]
            )


def test_an_entity_without_aliases_is_embedded_by_its_name(workplace):
    workplace.write(ONE)
    entities = workplace.datasets.read("entities", "tiny").with_columns(
        aliases=pl.lit([], dtype=pl.List(pl.String))
    )
    workplace.datasets.write("entities", "tiny", entities)
    workplace.embedder.asked.clear()
    run(workplace)
    assert sorted(workplace.embedder.asked) == ["IL6", "TNF"]
