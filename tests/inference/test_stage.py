"""The stages on a small corpus: two articles, one of which is taken away again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets, table_from_rows
from kg_pipeline.inference import stage
from kg_pipeline.settings import Settings, load_settings

DISEASE, GENE, DRUG = "biolink:Disease", "biolink:Gene", "biolink:Drug"
CATEGORIES = {
    "drug": DRUG,
    "kinase": GENE,
    "nephritis": DISEASE,
    "lupus nephritis": DISEASE,
    "fatigue": DISEASE,
}
FIRST = [("drug", "inhibits", "kinase"), ("kinase", "increases", "nephritis")]
SECOND = [
    ("kinase", "increases", "nephritis"),
    ("nephritis", "causes", "fatigue"),
    ("drug", "treats", "lupus nephritis"),
]
KINDS = ("relations", "evidence", "transitive_relations", "lexical_relations", "community_relations")


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setattr(stage, "build_vocabulary", lambda settings: settings.cache)
    monkeypatch.setattr(stage, "open_vocabulary", lambda path: Nothing())
    return load_settings({"KG_HOME": str(tmp_path)})


class Nothing:
    """A vocabulary without concepts."""

    def concept(self, concept_id: str) -> None:
        return None

    def is_a(self, child: str, ancestor: str, max_depth: int = 12) -> bool:
        return False


def build(root: Path, settings: Settings, articles: dict[str, Any], **options: Any) -> Datasets:
    datasets = Datasets(root)
    spec = CorpusSpec.model_validate({"name": "c", "source": ".", **options})
    triples, mentions, links = [], {}, {}
    for article, stated in articles.items():
        for number, (head, predicate, tail) in enumerate(stated):
            for name in (head, tail):
                key = f"{article}:{name}"
                mentions[key] = {
                    "article_id": article, "mention_id": key, "start": 0, "end": 1, "text": name, "normal_form": name,
                    "category": CATEGORIES[name], "concept_id": None, "candidates": [], "source": "vocabulary",
                }  # fmt: skip
                links[key] = {"article_id": article, "mention_id": key, "entity_id": name}
            triples.append(
                {
                    "article_id": article, "triple_id": f"{article}-{number}", "chunk_id": f"{article}:c0",
                    "head_mention_id": f"{article}:{head}", "tail_mention_id": f"{article}:{tail}",
                    "predicate": predicate, "predicate_text": predicate, "negated": False, "speculative": False,
                    "quote": "A sentence.", "start": 0, "end": 11, "extractor": "offline", "confidence": 0.8,
                }
            )  # fmt: skip
    entities = [
        {
            "entity_id": name,
            "name": name,
            "category": CATEGORIES[name],
            "aliases": [],
            "n_mentions": 1,
            "n_articles": 1,
        }
        for name in sorted({link["entity_id"] for link in links.values()})
    ]
    for name, rows, shard in (
        ("triples", triples, "00"),
        ("mentions", list(mentions.values()), "00"),
        ("entity_mentions", list(links.values()), None),
        ("entities", entities, None),
    ):
        datasets.write(name, "c", table_from_rows(name, rows), shard)
    stage.build_relations(datasets, spec)
    stage.build_transitive(datasets, spec)
    stage.build_lexical(datasets, spec, settings)
    stage.build_community(datasets, spec, settings)
    return datasets


def triples_of(datasets: Datasets, name: str) -> set[tuple[str, str, str]]:
    return set(datasets.read(name, "c").select("head_id", "predicate", "tail_id").rows())


def test_stages_write_each_kind_of_relation(tmp_path: Path, settings: Settings) -> None:
    datasets = build(tmp_path / "d", settings, {"PMC1": FIRST, "PMC2": SECOND})
    assert triples_of(datasets, "relations") == {*FIRST, *SECOND}
    # Nothing but the kinase joins drug and nephritis, and "drug treats lupus nephritis" composes with nothing here.
    assert triples_of(datasets, "transitive_relations") == {("kinase", "predisposes", "fatigue")}
    assert triples_of(datasets, "lexical_relations") == {("lupus nephritis", "subclass_of", "nephritis")}
    supported = datasets.read("relations", "c").filter(pl.col("head_id") == "kinase")
    assert supported["n_articles"].to_list() == [2]


def test_an_article_taken_away_leaves_nothing_behind(tmp_path: Path, settings: Settings) -> None:
    alone = build(tmp_path / "alone", settings, {"PMC1": FIRST})
    build(tmp_path / "both", settings, {"PMC1": FIRST, "PMC2": SECOND})
    back = build(tmp_path / "both", settings, {"PMC1": FIRST})
    for name in KINDS:
        assert back.path(name, "c").read_bytes() == alone.path(name, "c").read_bytes(), name


def test_premises_of_every_inferred_relation_exist(tmp_path: Path, settings: Settings) -> None:
    datasets = build(tmp_path / "d", settings, {"PMC1": FIRST, "PMC2": SECOND})
    known = set(datasets.read("relations", "c")["relation_id"])
    for name in KINDS[2:]:
        for premises in datasets.read(name, "c")["premises"]:
            assert set(premises) <= known


def test_egot_mode_is_the_published_rules(tmp_path: Path, settings: Settings) -> None:
    datasets = build(
        tmp_path / "d", settings, {"PMC1": FIRST, "PMC2": SECOND}, inference="egot", max_inferred=50
    )
    assert ("drug", "related_to", "nephritis") in triples_of(datasets, "transitive_relations")
    assert triples_of(datasets, "lexical_relations") == {("lupus nephritis", "related_to", "nephritis")}
    assert triples_of(datasets, "community_relations") == set()  # published with a language model only


def test_an_empty_corpus_gives_empty_tables(tmp_path: Path, settings: Settings) -> None:
    datasets = build(tmp_path / "d", settings, {})
    for name in KINDS:
        assert datasets.read(name, "c").is_empty()
