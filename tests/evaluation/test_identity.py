"""Whether a judge is the answering model by another name, as names and servers over real HTTP tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from kg_pipeline.errors import SettingsError
from kg_pipeline.settings import Settings, load_settings
from retrieval.evaluation.identity import model_key, served
from retrieval.evaluation.judges import doubts, endpoint_of
from tests.llm.conftest import ScriptedServer, server

__all__ = ["server"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("llm:openai/GPT-4o-2024-08-06", "gpt-4o-latest", True),
        ("claude-3-5-sonnet-20241022", "anthropic/claude-3-5-sonnet-latest", True),
        ("/models/qwen2.5-0.5b-instruct-q4_k_m.gguf", "Qwen/Qwen2.5-0.5B-Instruct", True),
        ("qwen3:latest", "qwen3", True),
        ("gpt-4-0613", "gpt-4-turbo", False),
        ("gpt-4o", "gpt-4o-mini", False),
        ("deepseek-r1:8b", "deepseek-r1:14b", False),
        ("qwen3-4b", "qwen3-8b", False),
    ],
)
def test_a_release_or_a_file_is_no_other_model(one: str, other: str, same: bool) -> None:
    assert (model_key(one) == model_key(other)) is same


def settings_of(server: ScriptedServer, folder: Path, model: str = "answering") -> Settings:
    return load_settings({"KG_HOME": str(folder), "KG_LLM_BASE_URL": server.url, "KG_LLM_MODEL": model})


def test_a_server_of_one_model_gives_that_by_any_name(server: ScriptedServer, tmp_path: Path) -> None:
    settings = settings_of(server, tmp_path)
    server.models = [{"id": "/models/tiny-1b-q8_0.gguf"}]
    assert served(endpoint_of("whatever", settings)).key == "tiny-1b"
    with pytest.raises(SettingsError, match="is tiny-1b, which answered the questions too, by another name"):
        doubts("another", settings)


def test_an_alias_is_the_model_that_it_leads_to(server: ScriptedServer, tmp_path: Path) -> None:
    settings = settings_of(server, tmp_path)
    server.models = [
        {"id": "answering", "root": "org/big-70b"},
        {"id": "alias", "root": "org/Big-70B"},
        {"id": "other"},
    ]
    with pytest.raises(SettingsError, match="big-70b"):
        doubts("alias", settings)
    assert doubts("other", settings) == ""
    # One address may be written in many ways.
    elsewhere = server.url.replace("127.0.0.1", "localhost")
    with pytest.raises(SettingsError, match="cannot be told"):
        doubts(f"unlisted@{elsewhere}/", settings)


def test_what_cannot_be_told_of_two_servers_is_said(server: ScriptedServer, tmp_path: Path) -> None:
    settings = settings_of(server, tmp_path)
    server.models = [{"id": "answering"}, {"id": "x"}]
    told = doubts("judge@http://127.0.0.1:9/v1", settings)
    assert told.startswith("http://127.0.0.1:9/v1 does not list its models: that judge is another model")
    assert doubts("rules", settings) == doubts("", settings) == ""
    assert doubts("any", load_settings({"KG_HOME": str(tmp_path)})) == ""  # no model answers
