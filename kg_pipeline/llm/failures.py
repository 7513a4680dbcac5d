"""What went wrong with a request, sorted by what to do about it, in words that never hold the key."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from kg_pipeline.llm.limits import retry_after

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAIError

    from kg_pipeline.settings import LlmSettings

Kind = Literal[
    "again",  # may work in a moment
    "unavailable",  # will not work until someone changes something
    "complaint",  # this request was not understood or not accepted; another phrasing may be
]
_LONGEST_DETAIL = 300
_STRAIN_OF_A_HINT = 0.25
_SHORTEST_SECRET = 4  # a shorter key, such as "x", would blot out ordinary words
_PASSING = frozenset({408, 409, 425, 429})
#: Causes below the client library's own exception, by class name: it has changed its HTTP library before.
_NO_CONNECTION = frozenset(
    {
        "ConnectError",
        "UnsupportedProtocol",
        "LocalProtocolError",
        "InvalidURL",
        "ProxyError",
        "TooManyRedirects",
    }
)


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed attempt.

    `wait` is what the server asked for, in seconds. `strain` is how much of the patience for one request it takes,
    in attempts: little where the server says when to come back, much where it does not look like the right server.
    """

    kind: Kind
    message: str
    wait: float | None = None
    strain: float = 1.0


def redactor(settings: LlmSettings) -> Callable[[str], str]:
    """A function that blots out the key, and the password of a URL, wherever they appear in a text."""
    secrets = {settings.api_key.get_secret_value(), urlsplit(settings.base_url).password or ""}
    found = sorted((secret for secret in secrets if len(secret) >= _SHORTEST_SECRET), key=len, reverse=True)

    def redact(text: str) -> str:
        for secret in found:
            text = text.replace(secret, "***")
        return text

    return redact


def explain(error: OpenAIError, settings: LlmSettings) -> Failure:
    """Sort an exception of the client library."""
    from openai import APIConnectionError, APIStatusError, APITimeoutError

    redact = redactor(settings)
    where = redact(settings.base_url)
    if isinstance(error, APIStatusError):
        return _explain_status(error, settings, where, redact)
    if isinstance(error, APITimeoutError):
        return Failure(
            "again",
            f"{where} gave no answer within {settings.timeout_seconds:g} s. "
            "Raise KG_LLM_TIMEOUT_SECONDS or lower KG_LLM_CONCURRENCY.",
        )
    if isinstance(error, APIConnectionError):
        cause = error.__cause__
        detail = redact(_shorten(f"{type(cause).__name__}: {cause}" if cause else str(error)))
        if cause is not None and type(cause).__name__ in _NO_CONNECTION:
            return Failure(
                "unavailable",
                f"The language model endpoint {where} cannot be reached ({detail}). "
                "Check KG_LLM_BASE_URL, and that the server runs.",
            )
        return Failure("again", f"The connection to {where} broke off ({detail}).")
    return Failure("again", redact(_shorten(f"{where}: {type(error).__name__}: {error}")))


def _explain_status(
    error: APIStatusError, settings: LlmSettings, where: str, redact: Callable[[str], str]
) -> Failure:
    status = error.status_code
    said = redact(_shorten(error.message))
    if status in (401, 403):
        return Failure(
            "unavailable", f"{where} refuses the key (HTTP {status}). Check KG_LLM_API_KEY. It says: {said}"
        )
    if status == 404:
        return Failure(
            "unavailable",
            f"{where} does not know this address or the model {settings.model!r} (HTTP 404). "
            f"Check KG_LLM_BASE_URL, which usually ends in /v1, and KG_LLM_MODEL. It says: {said}",
        )
    if status == 429 and "insufficient_quota" in error.message:
        return Failure(
            "unavailable", f"The account at {where} has no quota left. Add credit there. It says: {said}"
        )
    if status in _PASSING or status >= 500:
        wait = retry_after(error.response.headers, time.time())
        strain = 1.0 if wait is None else _STRAIN_OF_A_HINT
        return Failure("again", f"{where} answered HTTP {status}: {said}", wait, strain)
    return Failure("complaint", f"{where} did not accept the request (HTTP {status}): {said}")


def _shorten(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST_DETAIL else f"{flat[:_LONGEST_DETAIL]}…"
