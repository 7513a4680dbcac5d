"""A language model that is asked for a short answer and nothing else."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from kg_pipeline.errors import LlmRefused
from retrieval.evaluation.verification import read_prompt
from retrieval.reasoning.llm_reasoner import Chat

_TOKENS = 60


class _Short(BaseModel):
    model_config = ConfigDict(frozen=True)

    answer: str


class ShortAnswers:
    """Short answers of one model."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    @property
    def name(self) -> str:
        """`llm:` and the model."""
        return f"llm:{self._chat.name}"

    async def ask(self, prompt: str, body: str) -> str:
        """The answer under the prompt of that name; empty where the model gives none that can be used."""
        messages = [{"role": "system", "content": read_prompt(prompt)}, {"role": "user", "content": body}]
        try:
            reply = await self._chat.complete(
                messages, schema=_Short, max_tokens=_TOKENS, purpose=f"bench-{prompt}"
            )
        except LlmRefused:
            return ""
        return reply.parsed.answer.strip() if isinstance(reply.parsed, _Short) else ""
