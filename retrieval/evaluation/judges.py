"""Judges from names: `rules`, or a model behind the endpoint of the settings or another one."""

from __future__ import annotations

from kg_pipeline.errors import SettingsError
from kg_pipeline.llm.chat import open_chat
from kg_pipeline.settings import LlmSettings, Settings
from retrieval.evaluation.verification import Judge, LlmJudge, RuleJudge
from retrieval.reasoning.llm_reasoner import Chat

RULES = "rules"


def open_judge(name: str, settings: Settings) -> Judge:
    """`rules`, `MODEL` of the endpoint that is configured, or `MODEL@URL`; see `open_model` for what is raised."""
    return RuleJudge() if name == RULES else LlmJudge(open_model(name, settings))


def open_model(name: str, settings: Settings) -> Chat:
    """A model by `MODEL` or `MODEL@URL`, with the key and the limits of the settings.

    Raises
    ------
    SettingsError
        If no endpoint is configured and none is named.

    """
    model, _, url = name.partition("@")
    if settings.llm is not None:
        changed = {"model": model} | ({"base_url": url} if url else {})
        return open_chat(settings.llm.model_copy(update=changed), settings.cache)
    if not url:
        raise SettingsError(
            f"The judge {model} needs an endpoint: set KG_LLM_BASE_URL and KG_LLM_MODEL, or write {model}@URL."
        )
    return open_chat(
        LlmSettings.model_validate({"base_url": url, "model": model, "api_key": "not-needed"}), settings.cache
    )
