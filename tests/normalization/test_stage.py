"""The entities stage on small corpora of mention tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets, table_from_rows
from kg_pipeline.normalization.decisions import MERGE, decide, pair_of
from kg_pipeline.normalization.remembered import remembered_of
from kg_pipeline.normalization.stage import EntityReport, build_entities
from kg_pipeline.settings import Settings, load_settings

SLE = "C0024141"


def mention(
    article: str,
    start: int,
    text: str,
    concept: str | None,
    normal: str | None = None,
    category: str = "biolink:Disease",
) -> dict[str, Any]:
    candidates = (
        [{"concept_id": concept, "name": text, "category": category, "score": 0.9}] if concept else []
    )
    return {
        "article_id": article, "mention_id": f"{article}:{start}-{start + len(text)}", "start": start, "end": start + len(text),
        "text": text, "normal_form": normal or text, "category": category, "concept_id": concept, "candidates": candidates,
        "source": "abbreviation" if normal else "vocabulary",
    }  # fmt: skip


FIRST = [
    mention("PMC1", 0, "systemic lupus erythematosus", SLE),
    mention("PMC1", 40, "SLE", SLE, "systemic lupus erythematosus"),
    mention("PMC1", 60, "IL-99", None, category="biolink:Gene"),
    mention("PMC1", 80, "IL99", None, category="biolink:Gene"),
]
SECOND = [
    mention("PMC2", 5, "Systemic Lupus Erythematosus", SLE),
    mention("PMC2", 50, "IL-9", None, category="biolink:Gene"),
]


@pytest.fixture
def spec() -> CorpusSpec:
    return CorpusSpec(name="c", source="x")


@pytest.fixture
def machine(tmp_path: Path) -> Settings:
    return load_settings({"KG_HOME": str(tmp_path)})


def build(
    datasets: Datasets, spec: CorpusSpec, machine: Settings, shards: dict[str, list[dict[str, Any]]]
) -> EntityReport:
    for shard, rows in shards.items():
        datasets.write("mentions", spec.name, table_from_rows("mentions", rows), shard)
    return build_entities(datasets, spec, machine)


def test_build_entities_writes_entities_assignments_and_merges(
    tmp_path: Path, spec: CorpusSpec, machine: Settings
) -> None:
    datasets = Datasets(tmp_path)
    report = build(datasets, spec, machine, {"00": FIRST, "01": SECOND})
    entities = datasets.read("entities", "c")
    lupus = entities.filter(pl.col("entity_id") == SLE).row(0, named=True)
    assert lupus["name"] == "systemic lupus erythematosus"
    assert lupus["aliases"] == ["SLE", "Systemic Lupus Erythematosus", "systemic lupus erythematosus"]
    assert (lupus["n_mentions"], lupus["n_articles"]) == (3, 2)
    assert entities.height == 3
    assert datasets.read("entity_mentions", "c").height == 6 == report.mentions
    merges = datasets.read("merges", "c").select("name_b", "rule", "evidence").rows()
    assert ("SLE", "abbreviation", "PMC1:40-43") in merges
    assert ("Systemic Lupus Erythematosus", "same_concept", SLE) in merges
    assert [rule for name, rule, _ in merges if name in ("IL99", "IL-99")] == ["spelling_variant"]


def test_triple_mentions_count_once_a_position(tmp_path: Path, spec: CorpusSpec, machine: Settings) -> None:
    datasets = Datasets(tmp_path)
    extra = [FIRST[0], mention("PMC1", 99, "lupus flare", None)]
    datasets.write("triple_mentions", "c", table_from_rows("mentions", extra), "00")
    assert build(datasets, spec, machine, {"00": FIRST}).mentions == 5


def test_removing_an_article_gives_the_graph_without_it(
    tmp_path: Path, spec: CorpusSpec, machine: Settings
) -> None:
    alone, changed = Datasets(tmp_path / "alone"), Datasets(tmp_path / "changed")
    build(alone, spec, machine, {"00": FIRST, "01": []})
    build(changed, spec, machine, {"00": FIRST, "01": SECOND})
    build(changed, spec, machine, {"00": FIRST, "01": []})
    for name in ("entities", "entity_mentions", "merges"):
        assert alone.path(name, "c").read_bytes() == changed.path(name, "c").read_bytes()


@pytest.mark.parametrize("is_damaged", [False, True])
def test_a_refresh_writes_what_a_build_from_nothing_writes(
    tmp_path: Path, spec: CorpusSpec, is_damaged: bool
) -> None:
    third = [
        mention("PMC3", 5, "IL-99", None, category="biolink:Gene"),
        mention("PMC3", 90, "SLE", SLE, "lupus"),
    ]
    kept, new = (load_settings({"KG_HOME": str(tmp_path / home)}) for home in ("kept", "new"))
    build(Datasets(tmp_path / "kept" / "datasets"), spec, kept, {"00": FIRST, "01": SECOND})
    for path in remembered_of(kept, "c").folder.iterdir() if is_damaged else ():
        path.write_bytes(b"PAR1 and nothing else")
    written = []
    for machine in (kept, new):
        datasets = Datasets(machine.home / "datasets")
        decide(machine.home, "c", MERGE, pair_of("IL-99", "systemic lupus erythematosus"))
        build(datasets, spec, machine, {"00": FIRST, "01": third})
        names = ("entities", "entity_mentions", "merges")
        written.append([datasets.path(name, "c").read_bytes() for name in names])
    assert written[0] == written[1]


def test_every_mention_gets_exactly_one_entity(tmp_path: Path, spec: CorpusSpec, machine: Settings) -> None:
    datasets = Datasets(tmp_path)
    rows = [
        mention("PMC3", 10 * i, name, concept)
        for i, (name, concept) in enumerate([("MS", None), ("MS", "C1"), ("ms", None), ("MS", "C2")])
    ]
    build(datasets, spec, machine, {"00": rows})
    assigned = datasets.read("entity_mentions", "c")
    assert assigned["mention_id"].n_unique() == assigned.height == 4


def test_egot_is_chosen_by_the_corpus(tmp_path: Path, machine: Settings) -> None:
    datasets = Datasets(tmp_path)
    spec = CorpusSpec(name="c", source="x", standardization="egot")
    rows = [mention("PMC1", 0, "hypertension", "C1"), mention("PMC1", 20, "hyperthyroidism", "C2")]
    build(datasets, spec, machine, {"00": rows})
    assert datasets.read("entities", "c").height == 1
    assert datasets.read("merges", "c")["rule"].to_list() == ["egot_stem"]


def test_egot_scores_its_own_merges_beside_those_of_abbreviations(tmp_path: Path, machine: Settings) -> None:
    datasets = Datasets(tmp_path)
    spec = CorpusSpec(name="c", source="x", standardization="egot")
    build(datasets, spec, machine, {"00": [*FIRST, mention("PMC9", 0, "systemics", "C8")]})
    merges = datasets.read("merges", "c")
    assert {"egot_stem", "abbreviation"} <= set(merges["rule"])
    assert merges["score"].null_count() == 0


@pytest.mark.parametrize("name", ["SLE", "systemic lupus erythematosus"])
def test_a_decision_may_name_an_abbreviation(
    tmp_path: Path, spec: CorpusSpec, machine: Settings, name: str
) -> None:
    datasets = Datasets(tmp_path)
    decide(machine.home, "c", MERGE, pair_of(name, "IL-99"))
    build(datasets, spec, machine, {"00": FIRST})
    (entity,) = datasets.read("entities", "c").filter(pl.col("aliases").list.contains("IL-99")).to_dicts()
    assert {"SLE", "systemic lupus erythematosus"} <= set(entity["aliases"])
    assert "user_decision" in datasets.read("merges", "c")["rule"].to_list()


def test_a_decision_about_names_that_no_mention_has_changes_nothing(
    tmp_path: Path, spec: CorpusSpec, machine: Settings
) -> None:
    decide(machine.home, "c", MERGE, pair_of("XYZ", "IL-99"))
    assert build(Datasets(tmp_path), spec, machine, {}) == EntityReport(0, 0, 0, 0)
    report = build(Datasets(tmp_path), spec, machine, {"00": FIRST})
    assert report.entities == 2


def test_an_empty_corpus_has_no_entities(tmp_path: Path, spec: CorpusSpec, machine: Settings) -> None:
    assert build(Datasets(tmp_path), spec, machine, {}) == EntityReport(0, 0, 0, 0)
