"""Judges from names: `rules`, or a model behind the endpoint of the settings or another one."""

from __future__ import annotations

from kg_pipeline.errors import SettingsError
from kg_pipeline.llm.chat import open_chat
from kg_pipeline.settings import LlmSettings, Settings
from retrieval.evaluation.identity import same_server, served
from retrieval.evaluation.verification import Judge, LlmJudge, RuleJudge
from retrieval.reasoning.llm_reasoner import Chat

RULES = "rules"
NO_MODELS = frozenset({RULES, "words"})  # stand-ins for a judge


def open_judge(name: str, settings: Settings) -> Judge:
    """`rules`, `MODEL` of the endpoint that is configured, or `MODEL@URL`; see `open_model` for what is raised."""
    return RuleJudge() if name == RULES else LlmJudge(open_model(name, settings))


def open_model(name: str, settings: Settings) -> Chat:
    """A model by `MODEL` or `MODEL@URL`, with the key and the limits of the settings; raises as `endpoint_of` does."""
    return open_chat(endpoint_of(name, settings), settings.cache)


def endpoint_of(name: str, settings: Settings) -> LlmSettings:
    """Where a model of a name is asked.

    Raises
    ------
    SettingsError
        If no endpoint is configured and none is named.

    """
    model, _, url = name.partition("@")
    if settings.llm is not None:
        changed = {"model": model} | ({"base_url": url} if url else {})
        return settings.llm.model_copy(update=changed)
    if not url:
        raise SettingsError(
            f"The judge {model} needs an endpoint: set KG_LLM_BASE_URL and KG_LLM_MODEL, or write {model}@URL."
        )
    return LlmSettings.model_validate({"base_url": url, "model": model, "api_key": "not-needed"})


def doubts(name: str, settings: Settings) -> str:
    """What cannot be told of a judge's independence from the answering model; empty where the servers tell it.

    Names are compared by `verification.require_independent`; here the servers are asked what stands behind them.

    Raises
    ------
    SettingsError
        If the servers say that both names are of one model, or one server that does not say answers to both.

    """
    if settings.llm is None or name in NO_MODELS or not name:
        return ""
    judge, answering = endpoint_of(name, settings), settings.llm
    one, other = served(judge), served(answering)
    if one.key and one.key == other.key:
        raise SettingsError(
            f"{judge.model} at {judge.base_url} is {one.key}, which answered the questions too, by another name. "
            "Name another model with --judge."
        )
    if one.key and other.key:
        return ""
    unknown = one.unknown or other.unknown
    if same_server(judge, answering):
        raise SettingsError(
            f"{unknown}, so that it cannot be told whether {judge.model} is another model than {answering.model}. "
            "Name a judge at another address with --judge MODEL@URL."
        )
    return (
        f"{unknown}: that {judge.model} is another model than {answering.model} is known by their names only"
    )
