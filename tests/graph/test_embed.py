"""Vectors are computed once for each text, survive a kill, and depend on nothing but text and model."""

from __future__ import annotations

import numpy as np
import pytest

from kg_pipeline.graph import embed
from kg_pipeline.graph.embed import build_embeddings

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
    import polars as pl

    workplace.write(ONE)
    entities = workplace.datasets.read("entities", "tiny").with_columns(
        aliases=pl.lit([], dtype=pl.List(pl.String))
    )
    workplace.datasets.write("entities", "tiny", entities)
    workplace.embedder.asked.clear()
    run(workplace)
    assert sorted(workplace.embedder.asked) == ["IL6", "TNF"]
