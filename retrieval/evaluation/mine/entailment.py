"""Whether a retrieved context says a fact: a language model tells, or else the words of the fact that the context has.

The stand-in averages two shares of the fact's content words: those in the whole context, and the most in one statement.
Its threshold was chosen on the published verdicts of every other essay (numbers 0, 2, …). On those of the others it agrees with the
model on 78 of 100 facts (kappa 0.55), and ranks the three systems as the model does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from kg_pipeline.errors import LlmRefused
from retrieval.evaluation.verification import data, read_prompt
from retrieval.reasoning.llm_reasoner import Chat
from retrieval.words.terms import content_stems, coverage

THRESHOLD = 0.52
_TOKENS = 60
_CONCURRENT = 8


class Entailment(Protocol):
    """Tells which facts their contexts state."""

    @property
    def name(self) -> str:
        """`words`, or `llm:` and the model."""
        ...

    @property
    def unusable(self) -> int:
        """Verdicts so far that were none."""
        ...

    def judge(self, pairs: Sequence[tuple[str, Sequence[str]]]) -> list[bool]:
        """For each fact and its context, a list of statements, whether it is stated."""
        ...


class WordEntailment:
    """The stand-in."""

    name = "words"
    unusable = 0

    def judge(self, pairs: Sequence[tuple[str, Sequence[str]]]) -> list[bool]:
        """For each fact and its context, whether enough of its words are there."""
        return [word_share(fact, context) >= THRESHOLD for fact, context in pairs]


def word_share(fact: str, context: Sequence[str]) -> float:
    """Mean of the fact's words that the context has and of those that its best statement has; 0 for no context."""
    wanted = set(content_stems(fact))
    statements = [set(content_stems(statement)) for statement in context]
    if not statements:
        return 0.0
    whole = coverage(wanted, set().union(*statements))
    return (whole + max(coverage(wanted, statement) for statement in statements)) / 2


class _Found(BaseModel):
    model_config = ConfigDict(frozen=True)

    stated: bool


class LlmEntailment:
    """A language model, asked as the benchmark asks it; no usable verdict counts as not stated, and in `unusable`."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self.unusable = 0

    @property
    def name(self) -> str:
        """`llm:` and the model."""
        return f"llm:{self._chat.name}"

    def judge(self, pairs: Sequence[tuple[str, Sequence[str]]]) -> list[bool]:
        """For each fact and its context, whether the model finds it stated."""
        verdicts = asyncio.run(self._all(pairs))
        self.unusable += verdicts.count(None)
        return [bool(verdict) for verdict in verdicts]

    async def _all(self, pairs: Sequence[tuple[str, Sequence[str]]]) -> list[bool | None]:
        room = asyncio.Semaphore(_CONCURRENT)

        async def one(fact: str, context: Sequence[str]) -> bool | None:
            async with room:
                return await is_stated(fact, context, self._chat)

        return list(await asyncio.gather(*(one(fact, context) for fact, context in pairs)))


async def is_stated(fact: str, context: Sequence[str], chat: Chat) -> bool | None:
    """Whether a model finds a fact stated in a context; None where it says nothing usable."""
    body = f"Context: {data('. '.join(context))}\nFact: {data(fact)}"
    messages = [
        {"role": "system", "content": read_prompt("entailment")},
        {"role": "user", "content": body},
    ]
    try:
        reply = await chat.complete(messages, schema=_Found, max_tokens=_TOKENS, purpose="bench-entailment")
    except LlmRefused:
        return None
    return reply.parsed.stated if isinstance(reply.parsed, _Found) else None
