"""Models that are not there are told before anything is built with the others."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

import pytest
import spacy
from typer.testing import CliRunner

from kg_pipeline.cli import app, diagnosis
from kg_pipeline.errors import ModelError, SettingsError
from kg_pipeline.extraction.mentions.ner.choice import recogniser_digest
from kg_pipeline.models import require_models
from kg_pipeline.settings import load_settings

VARIABLES = ["KG_SPACY_MODEL", "KG_SENTENCE_MODEL", "KG_ENTITY_MODEL", "KG_EMBEDDING_MODEL"]


def write_meta(folder: Path, **meta: str) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "meta.json").write_text(json.dumps(meta))
    return str(folder)


@pytest.fixture
def unloadable(monkeypatch: pytest.MonkeyPatch) -> None:
    """A spaCy that loads no pipeline."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a pipeline was loaded")

    monkeypatch.setattr(spacy, "load", refuse)


@pytest.mark.usefixtures("unloadable")
def test_models_that_are_there_are_not_loaded(tmp_path: Path) -> None:
    require_models(load_settings({}))
    require_models(load_settings({"KG_ENTITY_MODEL": "none"}))
    require_models(load_settings({"KG_ENTITY_MODEL": write_meta(tmp_path / "own", name="n")}))


@pytest.mark.parametrize("variable", VARIABLES)
@pytest.mark.parametrize("command", ["build", "estimate"])
def test_one_that_is_not_is_told_before_anything_is_made(
    command: str, variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv(variable, "nobody-made-this")
    result = CliRunner().invoke(app.app, [command, "demo"])
    assert isinstance(result.exception, ModelError)
    assert "nobody-made-this" in str(result.exception)
    assert variable in str(result.exception)
    assert not (tmp_path / "home").exists()


def test_an_endpoint_of_vectors_without_an_endpoint_is_told() -> None:
    with pytest.raises(SettingsError, match="KG_LLM_BASE_URL"):
        require_models(load_settings({"KG_EMBEDDING_MODEL": "endpoint:some"}))


def test_a_parser_that_the_patterns_were_not_checked_against_is_told(tmp_path: Path) -> None:
    spacy.blank("en").to_disk(tmp_path / "other")
    with pytest.raises(ModelError, match="KG_SPACY_MODEL"):
        require_models(load_settings({"KG_SPACY_MODEL": str(tmp_path / "other")}))


@pytest.mark.usefixtures("unloadable")
def test_what_a_pipeline_finds_is_told_by_its_version_without_loading_it(tmp_path: Path) -> None:
    digests = [
        recogniser_digest(write_meta(tmp_path / "own", name="n", version=version)) for version in ("1", "2")
    ]
    assert digests[0] != digests[1]
    for absent in ("nobody_made_this", "nobody/made/this", str(tmp_path)):
        with pytest.raises(ModelError, match="KG_ENTITY_MODEL"):
            recogniser_digest(absent)


@pytest.mark.parametrize(("model", "is_well"), [("own", True), ("none", True), ("nobody-made-this", False)])
def test_doctor_tells_which_model_finds_names(model: str, is_well: bool) -> None:
    finding = diagnosis._explained(diagnosis._entities, load_settings({"KG_ENTITY_MODEL": model}))
    assert finding.is_well == is_well
    assert model in finding.state


def test_the_version_of_the_package_is_shown() -> None:
    result = CliRunner().invoke(app.app, ["--version"])
    assert result.exit_code == 0
    assert result.output == f"kg-pipeline {metadata.version('kg-pipeline')}\n"
