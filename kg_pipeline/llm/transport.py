"""Send requests to an OpenAI-compatible endpoint: paced, retried, within the budget, from any event loop."""

from __future__ import annotations

import asyncio
import base64
import logging
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote, urlsplit, urlunsplit

from kg_pipeline.errors import LlmRefused, LlmUnavailable, SettingsError
from kg_pipeline.fingerprint import digest
from kg_pipeline.llm.account import Account
from kg_pipeline.llm.budget import Ledger, Usage
from kg_pipeline.llm.failures import Failure, explain, redactor
from kg_pipeline.llm.limits import Backoff, CircuitBreaker, RateLimiter
from kg_pipeline.llm.responses import decode, tokens_used

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from kg_pipeline.settings import LlmSettings

logger = logging.getLogger(__name__)

Operation = Literal["chat", "embeddings"]
_STRAIN_OF_NONSENSE = 2.5  # attempts
_LONGEST_WAIT = 600.0  # seconds; a server that asks for more is treated as unavailable
#: Of `timeout_seconds`, which the HTTP library holds each read to: a server that sends a byte now and then keeps that.
_WHOLE_ANSWER = 2.0


class NotAccepted(LlmRefused):
    """The endpoint called the request itself bad (HTTP 400 or 422); another phrasing may be accepted."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The decoded JSON object of a response."""

    body: Mapping[str, Any]


@dataclass
class _Loop:
    """What belongs to one event loop. The client lives as long as calls are under way, so none is left open."""

    slots: asyncio.Semaphore
    locks: weakref.WeakValueDictionary[str, asyncio.Lock] = field(default_factory=weakref.WeakValueDictionary)
    client: AsyncOpenAI | None = None
    users: int = 0


class Transport:
    """One endpoint. Safe for threads and for event loops that come and go; limits and totals are shared by all.

    Raises
    ------
    SettingsError
        If the base URL is not an address.

    """

    def __init__(
        self,
        settings: LlmSettings,
        *,
        limiter: RateLimiter | None = None,
        breaker: CircuitBreaker | None = None,
        backoff: Backoff | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        account: Account | None = None,
    ) -> None:
        _check_address(settings.base_url)
        self.ledger = Ledger(
            settings.price_per_million_input,
            settings.price_per_million_output,
            settings.budget_tokens,
            settings.budget_cost,
            account,
        )
        self.redact = redactor(settings)
        self._settings = settings
        self._limiter = limiter or RateLimiter(settings.requests_per_minute, settings.tokens_per_minute)
        self._breaker = breaker or CircuitBreaker()
        self._backoff = backoff or Backoff()
        self._sleep = sleep
        self._loops: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Loop] = weakref.WeakKeyDictionary()

    def __repr__(self) -> str:
        return f"Transport({self.redact(self._settings.base_url)!r}, model={self._settings.model!r})"

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[None]:
        """Let one caller at a time through for a key, so that the others find its answer in the cache."""
        lock = self._state().locks.setdefault(key, asyncio.Lock())
        async with lock:
            yield

    async def send(
        self,
        operation: Operation,
        payload: Mapping[str, Any],
        *,
        prompt_tokens: int,
        max_tokens: int,
        purpose: str,
    ) -> Reply:
        """Send one request and book its tokens.

        Parameters
        ----------
        operation
            Which part of the protocol.
        payload
            The request body.
        prompt_tokens, max_tokens
            The most it can use, held against the budget and the rate limit while it is under way.
        purpose
            Under which heading the tokens are booked.

        Raises
        ------
        BudgetExhausted
            Before anything is sent, if it might not fit.
        LlmUnavailable
            If the endpoint cannot be reached, refuses the key or keeps failing.
        NotAccepted
            If it calls the request bad.

        """
        seed = digest(payload)
        waited = strain = 0.0
        attempt = 0
        while True:
            self._breaker.check()
            with self.ledger.reservation(prompt_tokens, max_tokens):
                result = await self._attempt(operation, payload, prompt_tokens + max_tokens)
                if isinstance(result, Reply):
                    self._breaker.succeeded()
                    self.ledger.book(purpose, self._usage(result.body, attempt, prompt_tokens))
                    return result
            if result.kind == "complaint":
                self._breaker.succeeded()
                raise NotAccepted(result.message)
            wait = self._backoff.wait(attempt, seed) if result.wait is None else result.wait
            attempt += 1
            strain += result.strain
            out_of_patience = strain >= self._backoff.attempts or waited + wait > _LONGEST_WAIT
            if result.kind == "unavailable" or out_of_patience:
                self._breaker.failed(result.message)
                self.ledger.book(purpose, Usage(retries=attempt - 1))
                tried = f" Gave up after {attempt} attempts." if attempt > 1 else ""
                raise LlmUnavailable(result.message + tried)
            logger.info("%s: attempt %d failed, next in %.1f s: %s", purpose, attempt, wait, result.message)
            if result.wait is not None:
                self._limiter.hold(wait)
            waited += wait
            await self._sleep(wait)

    async def _attempt(
        self, operation: Operation, payload: Mapping[str, Any], tokens: int
    ) -> Reply | Failure:
        from openai import OpenAIError

        async with self._client() as client:
            await self._limiter.acquire(tokens)
            deadline = _WHOLE_ANSWER * self._settings.timeout_seconds
            try:
                async with asyncio.timeout(deadline):
                    text = await self._exchange(client, operation, payload)
            except TimeoutError:
                where = self.redact(self._settings.base_url)
                return Failure("again", f"{where} did not finish its answer within {deadline:g} s.")
            except OpenAIError as error:
                return explain(error, self._settings)
            except UnicodeError:
                return Failure(
                    "unavailable", "KG_LLM_API_KEY or KG_LLM_BASE_URL has characters that cannot be sent."
                )
        return self._decode(text)

    @staticmethod
    async def _exchange(client: AsyncOpenAI, operation: Operation, payload: Mapping[str, Any]) -> str:
        if operation == "chat":
            response = await client.chat.completions.with_raw_response.create(**payload)
        else:
            response = await client.embeddings.with_raw_response.create(**payload)
        return str(response.text)

    def _decode(self, text: str) -> Reply | Failure:
        body = decode(text)
        if body is not None and isinstance(body.get("error"), dict | str):
            # Some gateways report errors of the server behind them with status 200.
            return Failure(
                "again", f"{self.redact(self._settings.base_url)} reports: {self._excerpt(body['error'])}"
            )
        if body is not None:
            return Reply(body)
        return Failure(
            "again",
            f"{self.redact(self._settings.base_url)} does not answer in JSON but with {self._excerpt(text)}. "
            "Check KG_LLM_BASE_URL, which usually ends in /v1.",
            strain=_STRAIN_OF_NONSENSE,
        )

    def _excerpt(self, value: object) -> str:
        return repr(self.redact(" ".join(str(value).split())[:120]))

    @staticmethod
    def _usage(body: Mapping[str, Any], retries: int, prompt_estimate: int) -> Usage:
        prompt, completion = tokens_used(body, prompt_estimate=prompt_estimate)
        return Usage(calls=1, prompt_tokens=prompt, completion_tokens=completion, retries=retries)

    def _state(self) -> _Loop:
        loop = asyncio.get_running_loop()
        state = self._loops.get(loop)
        if state is None:
            state = self._loops[loop] = _Loop(asyncio.Semaphore(self._settings.concurrency))
        return state

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[AsyncOpenAI]:
        """The loop's client, at most `concurrency` callers at a time; the last to leave closes it."""
        from openai import AsyncOpenAI

        state = self._state()
        state.users += 1
        try:
            async with state.slots:
                if state.client is None:
                    address, headers = without_password(self._settings.base_url)
                    state.client = AsyncOpenAI(
                        base_url=address,
                        default_headers=headers,
                        api_key=self._settings.api_key.get_secret_value(),
                        timeout=self._settings.timeout_seconds,
                        max_retries=0,
                    )
                yield state.client
        finally:
            state.users -= 1
            if state.users == 0 and state.client is not None:
                client, state.client = state.client, None
                await client.close()


def _check_address(url: str) -> None:
    """Raise a SettingsError where no request could be sent."""
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable:
        shown = url.rpartition("@")[2]
        raise SettingsError(
            f"KG_LLM_BASE_URL={shown} is not an address; one looks like http://127.0.0.1:8000/v1 or https://host/v1."
        )


def without_password(url: str) -> tuple[str, dict[str, str]]:
    """The address without `user:password@`, and the header that says it instead: HTTP libraries log addresses."""
    parts = urlsplit(url)
    login, at, host = parts.netloc.rpartition("@")
    if not at:
        return url, {}
    basic = base64.b64encode(unquote(login).encode()).decode()
    return urlunsplit(parts._replace(netloc=host)), {"Authorization": f"Basic {basic}"}
