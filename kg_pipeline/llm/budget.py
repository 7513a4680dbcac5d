"""What a model has cost so far, and a limit that is checked before anything is sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from kg_pipeline.errors import BudgetExhausted
from kg_pipeline.llm.account import Account, Spent

_MILLION = 1_000_000
BYTES_PER_TOKEN = 3  # English has about 4, Chinese 3: an estimate on the safe side
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
    return size // BYTES_PER_TOKEN + _TOKENS_PER_MESSAGE * (len(messages) + 1)


#: Meters that are running for the current task; a task started by it books on the same ones.
_METERS: ContextVar[tuple[Meter, ...]] = ContextVar("meters", default=())


@dataclass
class Meter:
    """What one piece of work has used, however many others use the same model at the time."""

    usage: Usage = Usage()


@contextmanager
def metered() -> Iterator[Meter]:
    """Count what is booked, on any ledger, by what runs in the block and by the tasks that it starts."""
    meter = Meter()
    token = _METERS.set((*_METERS.get(), meter))
    try:
        yield meter
    finally:
        _METERS.reset(token)


@dataclass
class Ledger:
    """Running totals by purpose, and the hard budget (0: none). Safe for threads.

    With an `account` the budget is that of a run, shared with its other processes; the totals stay those of this one.
    """

    price_per_million_input: float = 0.0
    price_per_million_output: float = 0.0
    budget_tokens: int = 0
    budget_cost: float = 0.0
    account: Account | None = None
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

    def book(self, purpose: str, usage: Usage, *, share: float = 1.0) -> None:
        """Add to what was used; its cost is computed here, at that share of the price."""
        priced = usage + Usage(cost=share * self.price(usage.prompt_tokens, usage.completion_tokens))
        with self._lock:
            self._spent[purpose] = self._spent.get(purpose, Usage()) + priced
            for meter in _METERS.get():
                meter.usage += priced
        if self.account is not None and self._has_budget and priced.tokens:
            self.account.book(Spent(priced.tokens, priced.cost))

    @contextmanager
    def reservation(
        self, prompt_tokens: int, completion_tokens: int, *, share: float = 1.0
    ) -> Iterator[None]:
        """Set aside the most that one request can use, at that share of the price, while it is under way.

        Requests under way count too, so that many at once cannot overrun the budget together.

        Raises
        ------
        BudgetExhausted
            If it does not fit into what is left.

        """
        wanted = Usage(
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            cost=share * self.price(prompt_tokens, completion_tokens),
        )
        with self._lock:
            after = self._total() + self._reserved + wanted
            if self.budget_tokens and after.tokens > self.budget_tokens:
                raise BudgetExhausted(self._explain(f"{self.budget_tokens} tokens", "KG_LLM_BUDGET_TOKENS"))
            if self.budget_cost and after.cost > self.budget_cost:
                raise BudgetExhausted(self._explain(f"{self.budget_cost:g}", "KG_LLM_BUDGET_COST"))
            self._reserved += wanted
        try:
            with self._shared_reservation(wanted):
                yield
        finally:
            with self._lock:
                self._reserved -= wanted

    @contextmanager
    def _shared_reservation(self, wanted: Usage) -> Iterator[None]:
        if self.account is None or not self._has_budget:
            yield
            return
        entry = self.account.reserve(
            Spent(wanted.tokens, wanted.cost), most_tokens=self.budget_tokens, most_cost=self.budget_cost
        )
        if entry is None:
            spent = self.account.spent
            raise BudgetExhausted(
                f"The language model budget of this run ({self._limits()}) is spent: all its processes together have "
                f"used or set aside {spent.tokens} tokens at a cost of {spent.cost:.4f}, and the next request might "
                "not fit. Raise KG_LLM_BUDGET_TOKENS or KG_LLM_BUDGET_COST and run again; answers so far are kept "
                "and cost nothing."
            )
        try:
            yield
        finally:
            self.account.release(entry)

    @property
    def _has_budget(self) -> bool:
        return bool(self.budget_tokens or self.budget_cost)

    def _limits(self) -> str:
        limits = [f"{self.budget_tokens} tokens"] if self.budget_tokens else []
        return " and ".join([*limits, *([f"a cost of {self.budget_cost:g}"] if self.budget_cost else [])])

    def _total(self) -> Usage:
        return sum(self._spent.values(), Usage())

    def _explain(self, limit: str, variable: str) -> str:
        spent = self._total()
        return (
            f"The language model budget of {limit} is spent: {spent.tokens} tokens used in {spent.calls} calls, "
            f"at a cost of {spent.cost:.4f}, and the next request might not fit. "
            f"Raise {variable} and run again; answers so far are kept and cost nothing."
        )
