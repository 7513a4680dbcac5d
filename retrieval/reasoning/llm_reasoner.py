"""The reasoner that asks a language model; article text reaches it as numbered data, and every sentence must cite it.

Where an answer of the model cannot be used, the extractive reasoner takes that step and a note of the draft says so.
An unreachable endpoint or a spent budget is raised, not hidden.
"""

from __future__ import annotations

import html
import importlib.resources
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

from kg_pipeline.errors import LlmError, LlmRefused
from kg_pipeline.graph.reader import GraphReader
from kg_pipeline.llm.budget import metered
from retrieval.answer import AnswerUsage
from retrieval.evidence import EvidenceState, Retrieved
from retrieval.paths.facts import Fact
from retrieval.questions.question import Question
from retrieval.reasoning.abstain import unsupported
from retrieval.reasoning.cited import Reply, Synthesis, list_offers, read_cited
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.reasoning.journal import record
from retrieval.reasoning.offers import collect_offers
from retrieval.reasoning.reasoner import Draft, DraftSentence
from retrieval.trace import ModelCall
from retrieval.words.guard import addresses_reader

_CHARACTERS_A_TOKEN = 3  # of biomedical text, on the safe side
_RESERVED_TOKENS = 2048  # for the prompt and the answer
_PROMPT_VERSION = "v1"
_Parsed = TypeVar("_Parsed", bound=BaseModel)


class Thoughts(Reply):
    """Reply to the generation prompt."""

    thoughts: list[str]


class Scores(Reply):
    """Reply to the evaluation prompt."""

    scores: list[float]


class Chat(Protocol):
    """What is needed of `kg_pipeline.llm.chat.ChatModel`."""

    name: str

    @property
    def usage(self) -> Any:
        """Counters since it was made."""
        ...

    async def complete(
        self,
        messages: Sequence[dict[str, str]],
        *,
        schema: type[BaseModel] | None,
        max_tokens: int,
        purpose: str,
    ) -> Any:
        """Answer messages."""
        ...


class LlmReasoner:
    """Thoughts, scores, summaries and answers of a language model."""

    def __init__(self, chat: Chat, extractive: ExtractiveReasoner, *, context_tokens: int = 8192) -> None:
        self._chat = chat
        self._extractive = extractive
        self._characters = _CHARACTERS_A_TOKEN * max(context_tokens - _RESERVED_TOKENS, 512)

    def over(self, reader: GraphReader) -> LlmReasoner:
        """The same model, whose fall-back looks things up in another reader."""
        other = LlmReasoner(self._chat, self._extractive.over(reader))
        other._characters = self._characters
        return other

    @property
    def name(self) -> str:
        """`llm:` and the model."""
        return f"llm:{self._chat.name}"

    @property
    def characters(self) -> int:
        """How much evidence fits into one request."""
        return self._characters

    def usage(self) -> AnswerUsage:
        """What the chat model has used; questions asked at the same time see each other's use."""
        used = self._chat.usage
        return AnswerUsage(
            used.calls, used.cached_calls, used.prompt_tokens, used.completion_tokens, used.cost
        )

    async def generate(self, question: Question, evidence: EvidenceState, count: int) -> list[str]:
        """Thoughts of the model; the question itself is always the first of a search."""
        found = "\n".join(f"{step.thought}: {step.summary}" for step in evidence.steps if step.summary)
        known = _tagged(found[: self._characters]) if found else "Nothing was searched yet."
        reply = await self.ask(
            Thoughts, "generate", f"Question: {question.text}\n\nFound so far:\n{known}", 400
        )
        thoughts = [" ".join(thought.split()) for thought in reply.thoughts]
        first = [] if evidence.steps else [question.text]
        return list(dict.fromkeys([*first, *(thought for thought in thoughts if thought)]))[:count]

    async def evaluate(self, question: Question, thoughts: Sequence[str]) -> list[float]:
        """Scores of the model, in a call of their own."""
        listed = "\n".join(f"{number}. {thought}" for number, thought in enumerate(thoughts, 1))
        reply = await self.ask(
            Scores, "evaluate", f"Main question: {question.text}\n\nSearch questions:\n{listed}", 200
        )
        if len(reply.scores) != len(thoughts):
            raise LlmRefused(f"{self.name} gave {len(reply.scores)} scores for {len(thoughts)} thoughts.")
        return [min(max(score, 0.0), 1.0) for score in reply.scores]

    async def summarise(self, question: Question, thought: str, retrieved: Retrieved) -> str:
        """A summary of the model; it steers the search and is never shown as an answer."""
        body = f"Search question: {thought}\n\n{_tagged(retrieved.text[: self._characters])}"
        completion = await self._complete("summarise", body, schema=None, max_tokens=300)
        return " ".join(str(completion.text).split())

    async def synthesise(self, question: Question, evidence: EvidenceState) -> Draft:
        """The model's answer, each sentence with the quotes it cites; sentences that cite nothing offered are dropped."""
        plan = await self._extractive.synthesise(question, evidence)
        offers = collect_offers(question, plan, evidence, self._extractive, self._characters)
        if not offers:
            return Draft(reason="no sentence that was found can be cited", reasoner=self.name)
        listed = list_offers(offers)
        try:
            reply = await self.ask(Synthesis, "synthesise", f"Question: {question.text}\n\n{listed}", 1200)
        except LlmRefused as error:
            return replace(plan, notes=(*plan.notes, f"synthesis failed, quotes instead: {error}"))
        cited = read_cited(reply.sentences, offers)
        if not reply.answerable or not cited.sentences:
            reason = "the language model found no answer in the evidence"
            return Draft(reason=reason, reasoner=self.name, dropped=cited.dropped)
        facts = _used_facts([*plan.facts, *(offer.fact for offer in offers if offer.fact)], cited.sentences)
        draft = Draft(
            sentences=cited.sentences,
            dropped=cited.dropped,
            verdict=None if question.kind != "yes_no" or reply.verdict == "none" else reply.verdict,
            support=plan.support,
            facts=facts,
            conflicts=plan.conflicts,
            reasoner=self.name,
        )
        # A model words things its own way, so only the entities are demanded of its quotes.
        reason = unsupported(
            question, draft, (), replace(self._extractive.abstention, terms=0.0, terms_without_entities=0.0)
        )
        return Draft(reason=reason, reasoner=self.name) if reason else draft

    async def ask(self, schema: type[_Parsed], prompt: str, body: str, max_tokens: int) -> _Parsed:
        """The reply of the model to a prompt, in the shape of the schema."""
        completion = await self._complete(prompt, body, schema=schema, max_tokens=max_tokens)
        if not isinstance(completion.parsed, schema):
            raise LlmRefused(
                f"{self.name} gave no usable reply to {prompt} (finish reason {completion.finish_reason})."
            )
        return completion.parsed

    async def _complete(
        self, prompt: str, body: str, *, schema: type[BaseModel] | None, max_tokens: int
    ) -> Any:
        """The completion of a prompt, with its tokens and seconds in the journal of the question."""
        started = time.perf_counter()
        error = ""
        with metered() as meter:
            try:
                return await self._chat.complete(
                    _messages(prompt, body), schema=schema, max_tokens=max_tokens, purpose=prompt
                )
            except LlmError as problem:
                error = str(problem)
                raise
            finally:
                used = meter.usage
                record(
                    ModelCall(
                        purpose=prompt,
                        model=self._chat.name,
                        cached=used.cached_calls > 0,
                        prompt_tokens=used.prompt_tokens,
                        completion_tokens=used.completion_tokens,
                        cost=used.cost,
                        error=error,
                        seconds=time.perf_counter() - started,
                    )
                )


@cache
def load_prompt(name: str) -> str:
    """Text of a prompt in its current version."""
    return (
        importlib.resources.files("retrieval.reasoning") / "prompts" / f"{name}.{_PROMPT_VERSION}.md"
    ).read_text(encoding="utf-8")


def _messages(prompt: str, body: str) -> list[dict[str, str]]:
    return [{"role": "system", "content": load_prompt(prompt)}, {"role": "user", "content": body}]


def _tagged(text: str) -> str:
    kept = "\n".join(
        html.escape(line, quote=False) for line in text.splitlines() if not addresses_reader(line)
    )
    return f"<evidence>\n{kept}\n</evidence>"


def _used_facts(facts: Iterable[Fact], sentences: Sequence[DraftSentence]) -> tuple[Fact, ...]:
    cited = {quote.key for sentence in sentences for quote in sentence.quotes}
    used = {
        fact.relation.relation_id: fact
        for fact in facts
        if any(quote.key in cited for part in fact.asserted() for quote in part.quotes)
    }
    return tuple(used.values())
