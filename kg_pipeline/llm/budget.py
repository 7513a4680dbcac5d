"""What a model has cost so far, and a limit that is checked before anything is sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from kg_pipeline.errors import BudgetExhausted

_MILLION = 1_000_000
_BYTES_PER_TOKEN = 3  # English has about 4, Chinese 3: an estimate on the safe side
_TOKENS_PER_MESSAGE = 8  # what chat templates put around a message


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls and tokens; `cost` in the currency of the prices that were set, 0 without prices.

    `calls` were answered by the endpoint, `cached_calls` by the cache; `retries` are attempts beyond the first.
    """

    calls: int = 0
    cached_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    retries: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.cached_calls + other.cached_calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cost + other.cost,
            self.retries + other.retries,
        )

    def __sub__(self, other: Usage) -> Usage:
        return self + Usage(
            -other.calls,
            -other.cached_calls,
            -other.prompt_tokens,
            -other.completion_tokens,
            -other.cost,
            -other.retries,
        )

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.prompt_tokens + self.completion_tokens


def estimate_tokens(messages: Sequence[Mapping[str, str]], response_format: object = None) -> int:
    """Upper estimate of the tokens of a prompt, whatever the model's tokenizer; servers count the format too."""
    size = sum(len(message["content"].encode()) for message in messages)
    size += len(json.dumps(response_format)) if response_format else 0
    return size // _BYTES_PER_TOKEN + _TOKENS_PER_MESSAGE * (len(messages) + 1)


@dataclass
class Ledger:
    """Running totals by purpose, and the hard budget (0: none). Safe for threads."""

    price_per_million_input: float = 0.0
    price_per_million_output: float = 0.0
    budget_tokens: int = 0
    budget_cost: float = 0.0
    _spent: dict[str, Usage] = field(default_factory=dict, repr=False)
    _reserved: Usage = field(default=Usage(), repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def total(self) -> Usage:
        """Everything so far."""
        with self._lock:
            return self._total()

    @property
    def by_purpose(self) -> dict[str, Usage]:
        """Everything so far, by purpose, sorted."""
        with self._lock:
            return dict(sorted(self._spent.items()))

    def price(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Cost of that many tokens."""
        paid = (
            prompt_tokens * self.price_per_million_input + completion_tokens * self.price_per_million_output
        )
        return paid / _MILLION

    def book(self, purpose: str, usage: Usage) -> None:
        """Add to what was used; its cost is computed here."""
        priced = usage + Usage(cost=self.price(usage.prompt_tokens, usage.completion_tokens))
        with self._lock:
            self._spent[purpose] = self._spent.get(purpose, Usage()) + priced

    @contextmanager
    def reservation(self, prompt_tokens: int, completion_tokens: int) -> Iterator[None]:
        """Set aside the most that one request can use, while it is under way.

        Requests under way count too, so that many at once cannot overrun the budget together.

        Raises
        ------
        BudgetExhausted
            If it does not fit into what is left.

        """
        wanted = Usage(
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            cost=self.price(prompt_tokens, completion_tokens),
        )
        with self._lock:
            after = self._total() + self._reserved + wanted
            if self.budget_tokens and after.tokens > self.budget_tokens:
                raise BudgetExhausted(self._explain(f"{self.budget_tokens} tokens", "KG_LLM_BUDGET_TOKENS"))
            if self.budget_cost and after.cost > self.budget_cost:
                raise BudgetExhausted(self._explain(f"{self.budget_cost:g}", "KG_LLM_BUDGET_COST"))
            self._reserved += wanted
        try:
            yield
        finally:
            with self._lock:
                self._reserved -= wanted

    def _total(self) -> Usage:
        return sum(self._spent.values(), Usage())

    def _explain(self, limit: str, variable: str) -> str:
        spent = self._total()
        return (
            f"The language model budget of {limit} is spent: {spent.tokens} tokens used in {spent.calls} calls, "
            f"at a cost of {spent.cost:.4f}, and the next request might not fit. "
            f"Raise {variable} and run again; answers so far are kept and cost nothing."
        )
