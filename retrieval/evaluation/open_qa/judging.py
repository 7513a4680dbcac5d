"""LLM Judge of the INSES paper (section 4.3): whether a prediction means the accepted answer, as a model sees it."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from kg_pipeline.errors import LlmRefused
from retrieval.evaluation.verification import data, read_prompt
from retrieval.reasoning.llm_reasoner import Chat

_TOKENS = 60


class _Same(BaseModel):
    model_config = ConfigDict(frozen=True)

    correct: bool


class AnswerJudge:
    """A language model that is not the one that answered."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    @property
    def name(self) -> str:
        """`llm:` and the model."""
        return f"llm:{self._chat.name}"

    async def verdict(self, question: str, accepted: Sequence[str], prediction: str) -> bool | None:
        """Whether the prediction is a correct answer; an empty one is none. None where the judge says nothing usable."""
        if not prediction:
            return False
        body = "\n".join(
            [
                f"Question: {data(question)}",
                f"Accepted answers: {data('; '.join(accepted))}",
                f"Given answer: {data(prediction)}",
            ]
        )
        messages = [
            {"role": "system", "content": read_prompt("same_answer")},
            {"role": "user", "content": body},
        ]
        try:
            reply = await self._chat.complete(
                messages, schema=_Same, max_tokens=_TOKENS, purpose="bench-same_answer"
            )
        except LlmRefused:
            return None
        return reply.parsed.correct if isinstance(reply.parsed, _Same) else None
