"""Whether two names stand for one model: by the names, and by what their servers say they serve.

An alias of a router, another date of the same model, and a server that answers to any name would all let a model judge
its own answers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from kg_pipeline.settings import LlmSettings

_SECONDS = 5.0
#: What a name says of a release, a price or a file, not of the model.
_RELEASE = re.compile(
    r"[-_:@.](?:latest|preview|free|gguf|\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{4}"
    r"|fp8|fp16|bf16|f16|int[48]|awq|gptq|i?q\d(?:_[a-z0-9]+)*)$"
)
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0"})  # noqa: S104 - compared, not bound


def model_key(name: str) -> str:
    """What a model is called apart from who offers it, when it was released and how its file is packed.

    >>> model_key("llm:openai/GPT-4o-2024-08-06"), model_key("gpt-4o-latest")
    ('gpt-4o', 'gpt-4o')
    """
    key = re.split(r"[/\\]", name.removeprefix("llm:"))[-1].casefold().replace(":", "-")
    while (shorter := _RELEASE.sub("", key)) != key:
        key = shorter
    return key


@dataclass(frozen=True, slots=True)
class Served:
    """What an endpoint answers with when it is asked for a model: the model's key, or why that cannot be told."""

    key: str = ""
    unknown: str = ""


def served(llm: LlmSettings) -> Served:
    """The model behind a name, by the list of models that its server gives."""
    try:
        reply = httpx.get(
            f"{llm.base_url.rstrip('/')}/models",
            headers={"Authorization": f"Bearer {llm.api_key.get_secret_value()}"},
            timeout=_SECONDS,
        )
        listed = [row for row in reply.raise_for_status().json()["data"] if str(row["id"])]
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        return Served(unknown=f"{llm.base_url} does not list its models")
    if len(listed) == 1:
        return Served(_root(listed[0]))  # it answers with that one, whatever it is asked for
    named = [row for row in listed if str(row["id"]).casefold() == llm.model.casefold()]
    return Served(_root(named[0])) if named else Served(unknown=f"{llm.base_url} does not list {llm.model}")


def _root(row: dict[str, Any]) -> str:
    """The model that a listed one is another name of, where the server says so."""
    return model_key(str(row.get("root") or row["id"]))


def same_server(one: LlmSettings, other: LlmSettings) -> bool:
    """Whether two addresses are of one server, whatever it is called."""
    return _place(one.base_url) == _place(other.base_url)


def _place(address: str) -> tuple[str, int | None, str]:
    parts = urlsplit(address)
    host = parts.hostname or ""
    return "localhost" if host in _LOCAL else host, parts.port, parts.path.rstrip("/")
