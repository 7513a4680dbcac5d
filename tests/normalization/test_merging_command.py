"""`kg merges`, `kg merge`, `kg unmerge` and `kg decisions` on a small corpus, and what the next standardisation makes of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kg_pipeline.cli.app import app
from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets, table_from_rows
from kg_pipeline.errors import CorpusError, SettingsError
from kg_pipeline.normalization.decisions import decisions_file
from kg_pipeline.normalization.stage import build_entities
from kg_pipeline.settings import Settings, load_settings
from tests.normalization.test_stage import FIRST, SECOND


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("KG_HOME", str(tmp_path))
    (tmp_path / "corpora.toml").write_text('[c]\nsource = "x"\n')
    settings = load_settings()
    datasets = Datasets(settings.datasets)
    datasets.write("mentions", "c", table_from_rows("mentions", [*FIRST, *SECOND]), "00")
    build_entities(datasets, CorpusSpec(name="c", source="x"), settings)
    return settings


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


def entities(settings: Settings) -> dict[str, str]:
    """Entity of each mention text."""
    datasets = Datasets(settings.datasets)
    build_entities(datasets, CorpusSpec(name="c", source="x"), settings)
    mentions = datasets.read("mentions", "c", "00").select("mention_id", "text")
    assigned = datasets.read("entity_mentions", "c").join(mentions, on="mention_id")
    return dict(zip(assigned["text"], assigned["entity_id"], strict=True))


def test_merges_are_listed_with_rule_and_evidence_and_compared(settings: Settings) -> None:
    shown = run("merges", "c", "--name", "il")
    assert "spelling_variant" in shown
    assert "abbreviat" not in shown
    assert "guarded" in run("merges", "c", "--compare")
    result = CliRunner().invoke(app, ["merges", "c", "--rule", "spelling"])
    assert isinstance(result.exception, SettingsError)
    assert "there are abbreviation, same_concept, spelling_variant" in str(result.exception)


def test_names_are_whole_for_another_program_and_on_a_narrow_terminal(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = json.loads(CliRunner().invoke(app, ["merges", "c", "--json"]).output)
    merges = Datasets.of(settings).read("merges", "c")
    assert {(row["name_a"], row["name_b"]) for row in rows} == set(merges.select("name_a", "name_b").rows())
    monkeypatch.delenv("COLUMNS", raising=False)
    piped = CliRunner().invoke(app, ["merges", "c"]).output
    monkeypatch.setenv("COLUMNS", "40")
    narrow = CliRunner().invoke(app, ["merges", "c"]).output
    for row in rows:
        assert any(row["name_a"] in line and row["name_b"] in line for line in piped.splitlines())
    assert max(map(len, narrow.splitlines())) <= 40
    assert "…" not in narrow


def test_a_person_parts_and_joins_names_and_every_later_build_respects_it(settings: Settings) -> None:
    before = entities(settings)
    assert before["IL-99"] == before["IL99"] != before["IL-9"]
    assert "merges.toml" in run("unmerge", "c", "IL-99", "IL99")
    assert "as decided before" in run("unmerge", "c", "IL99", "IL-99")
    run("merge", "c", "IL-9", "IL-99")
    after = entities(settings)
    assert after["IL-9"] == after["IL-99"] != after["IL99"]
    rules = Datasets(settings.datasets).read("merges", "c")["rule"].to_list()
    assert "user_decision" in rules


def test_a_person_parts_a_short_form_from_what_its_article_defines(settings: Settings) -> None:
    before = entities(settings)
    assert before["SLE"] == before["systemic lupus erythematosus"]
    run("unmerge", "c", "SLE", "systemic lupus erythematosus")
    after = entities(settings)
    assert after["SLE"] != after["systemic lupus erythematosus"] == before["SLE"]


def refused(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert isinstance(result.exception, CorpusError)
    return str(result.exception)


def test_a_misspelt_name_is_refused_with_names_like_it_and_nothing_is_decided(settings: Settings) -> None:
    said = refused("unmerge", "c", "SLE", "systemic lupus erythematosis")
    assert "did you mean 'systemic lupus erythematosus'" in said.lower()
    assert "'SLE'" not in said
    assert "did you mean" not in refused("merge", "c", "IL-9", "quokka")
    assert not decisions_file(settings.home).exists()


def test_a_decision_about_a_name_that_is_yet_to_come_waits_for_it(settings: Settings) -> None:
    assert "waits for it" in run("merge", "c", "IL-9", "IL-1234", "--ahead")
    assert "waits for IL-1234" in run("decisions", "c")


def test_decisions_are_listed_and_taken_back(settings: Settings) -> None:
    before = entities(settings)
    run("unmerge", "c", "IL-99", "IL99")
    run("merge", "c", "IL-9", "IL-99")
    listed = run("decisions", "c")
    assert "not one entity" in listed
    assert "IL99" in listed
    assert entities(settings) != before
    assert "no decision about" in refused("decisions", "c", "--forget", "IL-9", "IL99")
    run("decisions", "c", "--forget", "IL99", "IL-99")
    run("decisions", "c", "--forget", "IL-9", "IL-99")
    assert entities(settings) == before
    assert "Nothing is decided" in run("decisions", "c")


def test_names_of_a_corpus_that_is_not_built_are_told_to_be_built_first(settings: Settings) -> None:
    settings.corpora_file.write_text('[c]\nsource = "x"\n[d]\nsource = "y"\n')
    assert "kg build d" in refused("merge", "d", "one", "another")
