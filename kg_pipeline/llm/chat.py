"""Chat with a language model behind an OpenAI-compatible endpoint; every answer is kept, none is paid for twice.

    chat = open_chat(settings.llm, settings.cache)
    completion = await chat.complete(messages, schema=Verdict, max_tokens=200, purpose="verify")

A `ChatModel` may be made in one event loop and used in others, one after the other or at the same time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from kg_pipeline.errors import LlmRefused
from kg_pipeline.fingerprint import digest
from kg_pipeline.llm.account import open_account
from kg_pipeline.llm.budget import Ledger, Usage, estimate_tokens
from kg_pipeline.llm.cache import AnswerCache, StoredAnswer
from kg_pipeline.llm.responses import read_answer, tokens_used
from kg_pipeline.llm.structured import (
    Choices,
    Dialect,
    Message,
    Question,
    parse_answer,
    without_surrogates,
)
from kg_pipeline.llm.transport import NotAccepted, Transport

if TYPE_CHECKING:
    from kg_pipeline.settings import LlmSettings

_FORMAT = 1  # of a cached answer; raising it forgets all of them
_REPAIR = "That is not the JSON that was asked for. Answer again with the JSON value only."


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer.

    `finish_reason` is `length` where it was cut off at `max_tokens`; then `parsed` is None if what there is cannot be
    read. `cached` answers cost nothing.
    """

    text: str
    parsed: BaseModel | None
    finish_reason: str
    cached: bool


@dataclass(frozen=True, slots=True)
class _Request:
    """A question with what its answer may be, and the heading under which it is booked."""

    question: Question
    schema: type[BaseModel] | None
    max_tokens: int
    purpose: str

    def followed_by(self, *messages: Message) -> _Request:
        """The same after more messages."""
        asked = [*self.question.messages, *messages]
        return replace(self, question=replace(self.question, messages=asked))


class ChatModel:
    """One model of one endpoint, with its cache, its limits and its budget."""

    def __init__(self, settings: LlmSettings, cache: AnswerCache, transport: Transport) -> None:
        self.name = settings.model
        self._settings = settings
        self._cache = cache
        self._transport = transport
        self._endpoint = digest(settings.base_url, settings.model)
        self._dialect: Dialect | None = None

    def __repr__(self) -> str:
        return f"ChatModel({self.name!r} at {self._transport.redact(self._settings.base_url)!r})"

    @property
    def usage(self) -> Usage:
        """What was used since this object was made."""
        return self._transport.ledger.total

    @property
    def usage_by_purpose(self) -> dict[str, Usage]:
        """The same by purpose, sorted."""
        return self._transport.ledger.by_purpose

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: type[BaseModel] | None,
        max_tokens: int,
        purpose: str,
        choices: Choices | None = None,
    ) -> Completion:
        """Answer `messages`, from the cache if the very same was asked before.

        Parameters
        ----------
        messages
            `{"role": …, "content": …}` each.
        schema
            The shape of the answer; `parsed` is then an instance of it. None for plain text.
        max_tokens
            Upper bound of the answer's length.
        purpose
            A heading for the accounts, such as `triples`.
        choices
            Closes text fields of the answer to sets, where the endpoint enforces a schema.

        Raises
        ------
        BudgetExhausted
            Before anything is sent, if the answer might not fit into the budget.
        LlmUnavailable
            If the endpoint cannot be reached, refuses the key or keeps failing.
        LlmRefused
            If it declines to answer, or does not give the JSON that was asked for.

        """
        question = _clean(Question(messages, choices or {}))
        key = self.request_key(question, schema=schema, max_tokens=max_tokens)
        completion = self._recall(key, schema, purpose)
        if completion is not None:
            return completion
        async with self._transport.turn(key):
            # Somebody else may have asked the same in the meantime.
            completion = self._recall(key, schema, purpose)
            if completion is not None:
                return completion
            answer, parsed = await self._ask(_Request(question, schema, max_tokens, purpose))
            self._cache.put(key, answer)
            return Completion(answer.text, parsed, answer.finish_reason, cached=False)

    def request_key(self, question: Question, *, schema: type[BaseModel] | None, max_tokens: int) -> str:
        """The name under which the answer to that request is kept."""
        asked = _clean(question)
        shape = None if schema is None else schema.model_json_schema()
        closed = (
            [{name: list(asked.choices[name]) for name in sorted(asked.choices)}] if asked.choices else []
        )
        limits = {"max_tokens": max_tokens, "temperature": 0}
        # The address is not part of it: the same model elsewhere gives the same answer.
        return digest(_FORMAT, self.name, asked.messages, shape, limits, *closed)

    def has_answer(self, key: str) -> bool:
        """Whether the answer to the request of that key is kept, so that asking costs nothing."""
        return self._cache.get(key) is not None

    def payload(
        self, question: Question, *, schema: type[BaseModel] | None, max_tokens: int
    ) -> dict[str, Any]:
        """The body of that request, in the dialect that the endpoint is known to understand."""
        dialect = self._dialect or Dialect.load(self._cache.dialect(self._endpoint))
        return dialect.payload(self.name, _clean(question), schema, max_tokens)

    def keep(
        self, key: str, body: Mapping[str, Any], *, schema: type[BaseModel] | None, purpose: str, share: float
    ) -> bool:
        """Book a response that came by another way, at that share of the price, and keep it if it can be read."""
        self._transport.ledger.book(purpose, Usage(1, 0, *tokens_used(body, prompt_estimate=0)), share=share)
        try:
            answer = read_answer(body, self.name, self._transport.redact)
        except LlmRefused:
            return False
        is_readable = schema is None or parse_answer(answer.text, schema) is not None
        if is_readable or answer.finish_reason == "length":
            self._cache.put(key, answer)
            return True
        return False

    @property
    def ledger(self) -> Ledger:
        """Where all that it uses is booked."""
        return self._transport.ledger

    def _recall(self, key: str, schema: type[BaseModel] | None, purpose: str) -> Completion | None:
        stored = self._cache.get(key)
        if stored is None:
            return None
        parsed = None if schema is None else parse_answer(stored.text, schema)
        if schema is not None and parsed is None and stored.finish_reason != "length":
            self._cache.evict(key)
            return None
        self._transport.ledger.book(purpose, Usage(cached_calls=1))
        return Completion(stored.text, parsed, stored.finish_reason, cached=True)

    async def _ask(self, request: _Request) -> tuple[StoredAnswer, BaseModel | None]:
        """Ask in the dialect of the endpoint. The first caller finds it out, the others wait for that."""
        if self._dialect is None:
            async with self._transport.turn(self._endpoint):
                if self._dialect is None:
                    start = Dialect.load(self._cache.dialect(self._endpoint))
                    return await self._ask_from(start, request)
        return await self._ask_from(self._dialect, request)

    async def _ask_from(self, dialect: Dialect, request: _Request) -> tuple[StoredAnswer, BaseModel | None]:
        """Ask in a dialect, and in plainer ones while the answer cannot be read."""
        repaired = False
        while True:
            dialect, answer = await self._ask_in(dialect, request)
            parsed = None if request.schema is None else parse_answer(answer.text, request.schema)
            if request.schema is None or parsed is not None:
                self._learn(dialect)
                return answer, parsed
            if answer.finish_reason == "length":
                return answer, None
            plainer = dialect.plainer()
            if plainer is not None:
                dialect = plainer
            elif not repaired:
                repaired = True
                said = {"role": "assistant", "content": answer.text or "(nothing)"}
                request = request.followed_by(said, {"role": "user", "content": _REPAIR})
            else:
                raise LlmRefused(
                    f"The model {self.name!r} does not answer with the JSON that was asked for, but with "
                    f"{self._transport.redact(answer.text)[:120]!r}. Try another model (KG_LLM_MODEL)."
                )

    def _learn(self, dialect: Dialect) -> None:
        if dialect != self._dialect:
            self._dialect = dialect
            self._cache.learn(self._endpoint, dialect.dump())

    async def _ask_in(self, dialect: Dialect, request: _Request) -> tuple[Dialect, StoredAnswer]:
        """Ask, changing the dialect for as long as the endpoint complains about it."""
        while True:
            payload = dialect.payload(self.name, request.question, request.schema, request.max_tokens)
            try:
                reply = await self._transport.send(
                    "chat",
                    payload,
                    prompt_tokens=estimate_tokens(payload["messages"], payload.get("response_format")),
                    max_tokens=request.max_tokens,
                    purpose=request.purpose,
                )
            except NotAccepted as complaint:
                following = dialect.after_complaint(str(complaint), structured=request.schema is not None)
                if following is None:
                    raise LlmRefused(str(complaint)) from None
                dialect = following
            else:
                return dialect, read_answer(reply.body, self.name, self._transport.redact)


def _clean(question: Question) -> Question:
    messages = [
        {name: without_surrogates(value) for name, value in message.items()} for message in question.messages
    ]
    choices = {
        name: [without_surrogates(each) for each in question.choices[name]] for name in question.choices
    }
    return Question(messages, choices)


def open_chat(settings: LlmSettings, cache: Path) -> ChatModel:
    """The chat model of the settings; its answers are kept under `cache`. Nothing is sent yet.

    All models opened in one run (`LlmSettings.run`; without one, in one process) keep to one budget together.
    """
    account = open_account(cache, settings.run)
    return ChatModel(settings, AnswerCache(cache / "llm"), Transport(settings, account=account))
