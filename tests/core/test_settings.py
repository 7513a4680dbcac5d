from __future__ import annotations

from pathlib import Path

import pytest

from kg_pipeline.errors import SettingsError
from kg_pipeline.settings import known_variables, load_settings, usable_settings

LLM = {"KG_LLM_BASE_URL": "http://127.0.0.1:1/v1", "KG_LLM_MODEL": "m", "KG_LLM_API_KEY": "sk-very-secret"}


def test_defaults_need_no_environment() -> None:
    settings = load_settings({})
    assert settings.home == Path.cwd() / ".kg"
    assert settings.corpora_file == settings.home / "corpora.toml"
    assert settings.llm is None
    assert settings.neo4j is None


def test_sections_are_read_and_typed() -> None:
    settings = load_settings(
        {**LLM, "KG_LLM_CONCURRENCY": "3", "KG_NEO4J_URI": "bolt://h:1", "KG_HOME": "/x", "KG_SHARDS": "8"}
    )
    assert settings.llm is not None
    assert settings.llm.concurrency == 3
    assert settings.neo4j is not None
    assert (settings.home, settings.shards) == (Path("/x"), 8)


def test_secrets_do_not_show() -> None:
    settings = load_settings({**LLM, "KG_NEO4J_URI": "bolt://h:1", "KG_NEO4J_PASSWORD": "hunter-two"})
    shown = f"{settings!r} {settings} {settings.model_dump_json()}"
    assert "sk-very-secret" not in shown
    assert "hunter-two" not in shown


@pytest.mark.parametrize(
    ("environment", "hint"),
    [
        ({"KG_LLM_MODEL": "m"}, "KG_LLM_BASE_URL"),
        ({"KG_SHARDS": "many"}, "KG_SHARDS"),
        ({"KG_SHARDS": "0"}, "KG_SHARDS"),
        ({"KG_HOEM": "/x"}, "KG_HOEM: is not a setting"),
        ({**LLM, "KG_LLM_TEMPRATURE": "1"}, "KG_LLM_TEMPRATURE"),
        ({"KG_NEO4J_USER": "neo4j"}, "KG_NEO4J_URI: is missing; set it, or unset the other KG_NEO4J_"),
        ({"KG_SHARD": "8"}, "the nearest are KG_SHARDS"),
        ({"KG_STORE": "bucket"}, "KG_STORE: cannot be used as it is written; it is: .*s3://bucket/prefix"),
    ],
)
def test_a_mistake_names_its_variable(environment: dict[str, str], hint: str) -> None:
    with pytest.raises(SettingsError, match=hint):
        load_settings(environment)


def test_empty_variables_count_as_unset() -> None:
    assert load_settings({"KG_LLM_BASE_URL": "", "KG_NEO4J_URI": ""}).llm is None


def test_variables_that_cannot_be_used_are_named_and_the_others_hold() -> None:
    settings, wrong = usable_settings(
        {"KG_SHARDS": "many", "KG_WORKERS": "2", "KG_LLM_MODEL": "m", "KG_FOO": "1", "KG_PMC_THREADS": "3"}
    )
    assert wrong.keys() == {"KG_SHARDS", "KG_LLM_BASE_URL", "KG_FOO"}
    assert (settings.workers, settings.pmc.threads, settings.llm) == (2, 3, None)
    assert settings.shards == load_settings({}).shards


def test_a_wrong_secret_is_not_repeated() -> None:
    _, wrong = usable_settings({"KG_STORE": "s3://key:very-secret@bucket"})
    assert "very-secret" not in str(wrong)


def test_every_setting_says_what_it_means() -> None:
    assert [name for name, field in known_variables() if not field.description] == []
