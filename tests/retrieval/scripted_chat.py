"""A language model whose replies are written by the test, by purpose; evidence is cited by words that it holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from pydantic import BaseModel

from kg_pipeline.errors import LlmRefused
from kg_pipeline.llm.budget import Ledger, Usage
from retrieval.graph import Graph
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.reasoning.llm_reasoner import LlmReasoner
from tests.retrieval.memory_graph import MemoryGraph

Reply = Mapping[str, Any] | Callable[[str], Mapping[str, Any]]


@dataclass
class ScriptedChat:
    """`replies` by purpose: a reply, a function of the request's text, or a list of them to be used up in turn."""

    replies: dict[str, Reply | list[Reply]]
    name: str = "scripted"
    asked: list[tuple[str, Sequence[dict[str, str]]]] = field(default_factory=list)
    ledger: Ledger = field(default_factory=Ledger)

    @property
    def usage(self) -> Usage:
        return self.ledger.total

    @property
    def purposes(self) -> list[str]:
        return [purpose for purpose, _ in self.asked]

    def body(self, purpose: str) -> str:
        return next(messages[1]["content"] for known, messages in self.asked if known == purpose)

    async def complete(
        self,
        messages: Sequence[dict[str, str]],
        *,
        schema: type[BaseModel] | None,
        max_tokens: int,
        purpose: str,
    ) -> SimpleNamespace:
        self.asked.append((purpose, messages))
        self.ledger.book(purpose, Usage(calls=1, prompt_tokens=10))
        reply = self.replies.get(purpose)
        if isinstance(reply, list):
            reply = reply.pop(0) if len(reply) > 1 else reply[0]
        if callable(reply):
            reply = reply(messages[1]["content"])
        if reply is None or schema is None:
            raise LlmRefused(f"no reply to {purpose}")
        return SimpleNamespace(text="", parsed=schema.model_validate(reply), finish_reason="stop")


def citing(*sentences: tuple[str, str], **more: Any) -> Callable[[str], dict[str, Any]]:
    """A reply with sentences, each citing the evidence that holds the words given with it."""

    def reply(body: str) -> dict[str, Any]:
        offered = {t: int(n) for n, t in re.findall(r'<evidence id="(\d+)"[^>]*>(.*?)</evidence>', body)}
        cited = [
            {"text": text, "citations": [n for t, n in offered.items() if words in t][:1]}
            for text, words in sentences
        ]
        return {"answerable": True, "sentences": cited, **more}

    return reply


def numbered(body: str, *words: str) -> list[int]:
    """Numbers of the listed lines ("3. …") that hold any of the words."""
    lines = re.findall(r"^(\d+)\. (.*)$", body, re.MULTILINE)
    return [int(number) for number, text in lines if any(word in text for word in words)]


def with_chat(open_graph: Callable[..., Graph], reader: MemoryGraph, chat: ScriptedChat) -> Graph:
    def make(extractive: ExtractiveReasoner) -> LlmReasoner:
        return LlmReasoner(chat, extractive)

    return open_graph(reader, make)
