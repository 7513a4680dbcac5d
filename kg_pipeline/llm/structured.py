"""Ask for JSON of a given shape in the way an endpoint understands, and read what comes back.

Endpoints differ: some enforce a JSON schema, some only promise JSON, some promise nothing; newer models take
`max_completion_tokens` and no temperature. A `Dialect` says how to talk to one of them. It starts optimistic and
steps down with each complaint (`Dialect.after_complaint`), and what worked is remembered with the answer cache.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

Mode = Literal["json_schema", "json_object", "text"]
Message = dict[str, str]
Model = TypeVar("Model", bound=BaseModel)
#: By the name of a text field, what may stand there.
Choices = Mapping[str, Sequence[str]]

_NEXT: dict[Mode, Mode] = {"json_schema": "json_object", "json_object": "text"}
_INSTRUCTION = (
    "Answer with one JSON value only: no explanation, no Markdown. It must match this JSON Schema:\n"
)


@dataclass(frozen=True, slots=True)
class Question:
    """Messages, and the sets that close text fields of their answer where the endpoint enforces a schema.

    What is read stays open: an endpoint that does not enforce it may name what is in no set.
    """

    messages: Sequence[Message]
    choices: Choices = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How an endpoint wants a request to be phrased."""

    mode: Mode = "json_schema"
    limit_parameter: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True

    def after_complaint(self, complaint: str, *, structured: bool) -> Dialect | None:
        """What to try after the endpoint called a request bad; None when there is nothing left to change."""
        words = complaint.casefold()
        if "context" in words and any(word in words for word in ("exceed", "length", "maximum")):
            return None  # the prompt is too long, however it is phrased
        if self.limit_parameter == "max_tokens" and "max_completion_tokens" in words:
            return replace(self, limit_parameter="max_completion_tokens")
        if self.temperature and "temperature" in words:
            return replace(self, temperature=False)
        return self.plainer() if structured else None

    def plainer(self) -> Dialect | None:
        """The same with the next weaker promise about JSON; None after plain text."""
        following = _NEXT.get(self.mode)
        return None if following is None else replace(self, mode=following)

    def dump(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def load(cls, stored: str | None) -> Dialect:
        """From JSON; the default where it is not readable."""
        try:
            dialect = cls(**json.loads(stored or "{}"))
        except (ValueError, TypeError):
            return cls()
        known = dialect.mode in ("json_schema", *_NEXT.values()) and dialect.limit_parameter.startswith(
            "max_"
        )
        return dialect if known else cls()

    def payload(
        self, model: str, question: Question, schema: type[BaseModel] | None, max_tokens: int
    ) -> dict[str, Any]:
        """Body of a chat completion request."""
        messages = question.messages
        body: dict[str, Any] = {"model": model, self.limit_parameter: max_tokens}
        if self.temperature:
            body["temperature"] = 0
        body["messages"] = list(messages)
        if schema is None:
            return body
        shape = strict_schema(schema)
        if self.mode == "json_schema":
            _close(shape, question.choices)
            named = {"name": schema.__name__, "strict": True, "schema": shape}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
            return body
        if self.mode == "json_object":
            body["response_format"] = {"type": "json_object"}
        body["messages"] = _with_instruction(messages, _INSTRUCTION + json.dumps(shape, ensure_ascii=False))
        return body


def _with_instruction(messages: Sequence[Message], instruction: str) -> list[Message]:
    """Add to the system message, which some chat templates require to be the only one."""
    if messages and messages[0]["role"] == "system":
        return [{**messages[0], "content": f"{messages[0]['content']}\n\n{instruction}"}, *messages[1:]]
    return [{"role": "system", "content": instruction}, *messages]


#: What strict endpoints do not take, or what costs tokens and says nothing.
_NOT_ASKED_FOR = ("default", "title", "description", "minLength", "maxLength")


def strict_schema(model: type[BaseModel]) -> dict[str, Any]:
    """JSON Schema of a model as strict endpoints want it: every property required, no others allowed."""
    schema = model.model_json_schema()
    _make_strict(schema)
    return schema


def _make_strict(node: Any) -> None:
    if isinstance(node, dict):
        for name in _NOT_ASKED_FOR:
            # Of the schema's own words only: a property may have such a name too, and is then an object.
            if not isinstance(node.get(name), dict):
                node.pop(name, None)
        if isinstance(node.get("properties"), dict):
            node["required"] = list(node["properties"])
            node["additionalProperties"] = False
        for value in node.values():
            _make_strict(value)
    elif isinstance(node, list):
        for value in node:
            _make_strict(value)


def _close(node: Any, choices: Choices) -> None:
    if isinstance(node, dict):
        for name, property_ in node.get("properties", {}).items():
            if name in choices and isinstance(property_, dict):
                property_["enum"] = list(choices[name])
        for value in node.values():
            _close(value, choices)
    elif isinstance(node, list):
        for value in node:
            _close(value, choices)


def parse_answer(text: str, schema: type[Model]) -> Model | None:
    """The last JSON value in an answer that fits the schema; None if there is none.

    Reasoning before the JSON, Markdown fences, trailing commas and Python literals are coped with; a bare list is
    taken for the only list that the schema has.
    """
    for value in _json_values(text):
        for candidate in _readings(_cleaned(value), schema):
            try:
                return schema.model_validate(candidate)
            except ValidationError:
                continue
    return None


_REASONING = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*[ \t]*\r?\n?(.*?)```", re.DOTALL)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_OPENERS = re.compile(r"[{\[]")
#: Defences: an answer of nothing but brackets would take quadratic time.
_MOST_STARTS, _MOST_SCANNED = 500, 2_000_000


def _json_values(text: str) -> Iterator[Any]:
    """JSON values in an answer, the most likely first: the whole of it, fenced blocks, then any, last first."""
    stripped = _REASONING.sub("", text).strip()
    # A template that opens the reasoning itself leaves only its end in the answer.
    stripped = re.sub(r"\A.*</think(?:ing)?>", "", stripped, flags=re.DOTALL | re.IGNORECASE).strip()
    blocks = [match.group(1) for match in _FENCE.finditer(stripped)]
    for whole in (stripped, *reversed(blocks)):
        value = _load(whole)
        if isinstance(value, dict | list):
            yield value
    yield from reversed(list(_embedded(stripped)))


def _embedded(text: str) -> Iterator[Any]:
    """JSON objects and lists inside prose, left to right, none inside another."""
    position = 0
    decoder = json.JSONDecoder(strict=False)
    scanned = 0
    for _ in range(_MOST_STARTS):
        opener = _OPENERS.search(text, position)
        if opener is None or scanned > _MOST_SCANNED:
            return
        try:
            value, position = decoder.raw_decode(text, opener.start())
        except ValueError:
            end = _closing(text, opener.start())
            scanned += (len(text) if end is None else end) - opener.start()
            value = None if end is None else _load(text[opener.start() : end])
            position = opener.start() + 1 if value is None or end is None else end
        except RecursionError:
            return
        if isinstance(value, dict | list):
            yield value


def _closing(text: str, start: int) -> int | None:
    """Offset after the bracket that closes the one at `start`, brackets in strings not counted."""
    depth, quoted, escaped = 0, False, False
    for offset in range(start, len(text)):
        character = text[offset]
        if quoted:
            quoted = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            quoted = True
        elif character in "{[":
            depth += 1
        elif character in "}]":
            depth -= 1
            if depth == 0:
                return offset + 1
    return None


def _load(text: str) -> Any:
    """A JSON value, read generously; None if it is none."""
    for candidate in (text, _TRAILING_COMMA.sub(r"\1", text)):
        try:
            return json.loads(candidate, strict=False)
        except (ValueError, RecursionError):
            continue
    if "\\" in text or text.strip()[:1] not in ("{", "["):
        return None
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def without_surrogates(text: str) -> str:
    """The text with lone surrogates, which no file and no request can hold, replaced by question marks."""
    return text.encode("utf-8", "replace").decode()


def _cleaned(value: Any) -> Any:
    """Escapes in JSON can smuggle lone surrogates in."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(item) for key, item in value.items()}
    return [_cleaned(item) for item in value] if isinstance(value, list) else value


def _readings(value: Any, schema: type[BaseModel]) -> Iterator[Any]:
    lists = [name for name, field in schema.model_fields.items() if "list" in str(field.annotation)]
    if isinstance(value, Mapping):
        yield value
    if isinstance(value, list) and len(lists) == 1:
        yield {lists[0]: value}
    if isinstance(value, Mapping) and len(lists) == 1 and lists[0] not in value:
        # One item where a list of them was asked for.
        yield {lists[0]: [value]}
