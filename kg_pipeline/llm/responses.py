"""Read what an endpoint sent back, whatever it left out, added or wrapped it in.

Nothing in a response is trusted: usage may be missing or nonsense, the answer may come as the arguments of a tool that
was never offered, as a list of parts, or streamed though nobody asked for a stream.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from kg_pipeline.errors import LlmRefused
from kg_pipeline.llm.budget import BYTES_PER_TOKEN
from kg_pipeline.llm.cache import StoredAnswer
from kg_pipeline.llm.structured import without_surrogates

_EVENT = "data:"
_LAST_EVENT = "[DONE]"
#: Lines of a stream end so, and not where Python ends lines too: U+2028 may stand inside an answer.
_LINE_END = re.compile(r"\r\n|\r|\n")
#: Characters; no answer of the lengths that are asked for comes near, and reading a larger one would take minutes.
_LONGEST_ANSWER = 1_000_000
#: Tokens that no request has.
_MOST_TOKENS = 100_000_000


def decode(text: str) -> Mapping[str, Any] | None:
    """The JSON object of a response; None where it is none, or a stream that broke off."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        body = _from_stream(text) if text.lstrip().startswith(_EVENT) else None
    return body if isinstance(body, dict) else None


def read_answer(body: Mapping[str, Any], model: str, redact: Callable[[str], str]) -> StoredAnswer:
    """The answer of a chat completion.

    Raises
    ------
    LlmRefused
        If the model declined, said nothing, or said more than an answer can hold.

    """
    choice = _choice(body)
    finish_reason = str(choice.get("finish_reason") or "stop")
    refusal = _mapping(choice.get("message")).get("refusal")
    if refusal or finish_reason == "content_filter":
        said = redact(str(refusal or "its content filter"))[:200]
        raise LlmRefused(f"The model {model!r} declined to answer: {said}")
    text = _content(choice)
    if not text.strip() and finish_reason != "length":
        raise LlmRefused(f"The model {model!r} gave an empty answer. Try another model (KG_LLM_MODEL).")
    if len(text) > _LONGEST_ANSWER:
        raise LlmRefused(
            f"The model {model!r} answered with {len(text)} characters, far more than were asked for. "
            "Try another model (KG_LLM_MODEL)."
        )
    prompt, completion = tokens_used(body, prompt_estimate=0)
    return StoredAnswer(text, finish_reason, prompt, completion)


def tokens_used(body: Mapping[str, Any], *, prompt_estimate: int) -> tuple[int, int]:
    """Tokens in and out as reported; where they are not, the estimate and one from the length of the answer."""
    usage = _mapping(body.get("usage"))
    prompt, completion = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    if completion is None:
        completion = -(-len(_content(_choice(body)).encode()) // BYTES_PER_TOKEN)
    return prompt_estimate if prompt is None else prompt, completion


def _choice(body: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = body.get("choices")
    return _mapping(choices[0]) if isinstance(choices, list) and choices else {}


def _content(choice: Mapping[str, Any]) -> str:
    """What the model said: its content, or the arguments of the tools that it called instead."""
    message = _mapping(choice.get("message"))
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    if not content:
        content = "\n".join(_arguments(message))
    return without_surrogates(content if isinstance(content, str) else json.dumps(content, default=str))


def _arguments(message: Mapping[str, Any]) -> list[str]:
    calls = message.get("tool_calls")
    called = [_mapping(call).get("function") for call in calls] if isinstance(calls, list) else []
    said = [_mapping(each).get("arguments") for each in (*called, message.get("function_call"))]
    return [each if isinstance(each, str) else json.dumps(each, default=str) for each in said if each]


def _from_stream(text: str) -> Any:
    """The chat completion that the events of a stream add up to; None if it broke off."""
    pieces: list[str] = []
    whole: dict[str, Any] = {}
    finish_reason = None
    is_ended = False
    for line in _LINE_END.split(text):
        said = line.removeprefix(_EVENT).strip() if line.startswith(_EVENT) else ""
        if said == _LAST_EVENT:
            is_ended = True
        if not said or said == _LAST_EVENT:
            continue
        try:
            event = _mapping(json.loads(said))
        except (ValueError, RecursionError):
            return None
        if "error" in event:
            return event
        choice = _choice(event)
        pieces.append(str(_mapping(choice.get("delta")).get("content") or ""))
        finish_reason = choice.get("finish_reason") or finish_reason
        whole |= {"usage": event["usage"]} if event.get("usage") else {}
    if not is_ended and finish_reason is None:
        return None
    message = {"role": "assistant", "content": "".join(pieces)}
    return {**whole, "choices": [{"finish_reason": finish_reason, "message": message}]}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    """A number of tokens; None for what cannot be one."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 <= value <= _MOST_TOKENS else None
