"""Structured questions to a language model, for methods that ask it more than a reasoner does."""

from __future__ import annotations

from typing import Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel

from retrieval.reasoning.reasoner import Reasoner

Reply = TypeVar("Reply", bound=BaseModel)


@runtime_checkable
class Asker(Protocol):
    """A language model that fills a schema; `LlmReasoner` is one, the extractive reasoner is none."""

    @property
    def name(self) -> str:
        """`llm:` and the model."""
        ...

    @property
    def characters(self) -> int:
        """How much evidence fits into one request."""
        ...

    async def ask(self, schema: type[Reply], prompt: str, body: str, max_tokens: int) -> Reply:
        """Answer `body` under the prompt of that name; raises `LlmRefused` if the reply does not fit the schema."""
        ...


def asker_of(reasoner: Reasoner) -> Asker | None:
    """The language model behind a reasoner, or None where there is none."""
    return reasoner if isinstance(reasoner, Asker) else None
