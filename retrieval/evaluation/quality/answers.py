"""Faithfulness, context precision without reference, and context relevance of an answer (eGoT, section 3.2), by a judge.

The contexts of an answer are what was retrieved for it, best first; where only the answer is known, its quotes. The
claims are its sentences. Source attribution needs no judge: it is the share of the sentences that cite a quote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, create_model

from kg_pipeline.errors import LlmRefused
from retrieval.answer import Answer
from retrieval.evaluation.verification import data, read_prompt
from retrieval.reasoning.llm_reasoner import Chat

Reply = TypeVar("Reply", bound=BaseModel)
_BEST_RELEVANCE = 2
_TEMPLATES = ("relevance_one", "relevance_two")
_TOKENS_A_VERDICT = 12
_TOKENS = 120


class _Verdicts(BaseModel):
    model_config = ConfigDict(frozen=True)

    verdicts: list[bool]


@cache
def _so_many(count: int) -> type[_Verdicts]:
    """Verdicts of that number, which a server that keeps to a schema then gives."""
    exactly = Annotated[list[bool], Field(min_length=count, max_length=count)]
    return create_model("Verdicts", __base__=_Verdicts, verdicts=(exactly, ...))


class _Rating(BaseModel):
    model_config = ConfigDict(frozen=True)

    rating: Literal[0, 1, 2]


@dataclass(frozen=True, slots=True)
class Quality:
    """Scores of one answer in [0, 1]; None where it has no claims, no contexts, or the judge gave no usable reply."""

    faithfulness: float | None
    context_precision: float | None
    context_relevance: float | None
    attribution: float | None


async def assess(
    question: str, answer: Answer, chat: Chat, *, contexts: Sequence[str] | None = None
) -> Quality:
    """Judge one answer; one that was not given has no scores."""
    if contexts is None:
        contexts = [citation.quote for citation in answer.citations]
    claims = [sentence.text for sentence in answer.sentences]
    if not answer.answered or not claims:
        return Quality(None, None, None, None)
    return Quality(
        faithfulness=await faithfulness(claims, contexts, chat),
        context_precision=await context_precision(question, claims, contexts, chat),
        context_relevance=await context_relevance(question, contexts, chat),
        attribution=attribution(answer),
    )


def attribution(answer: Answer) -> float | None:
    """Share of the answer's sentences that can be traced: they cite a quote of an article."""
    known = {citation.number for citation in answer.citations if citation.quote}
    if not answer.sentences:
        return None
    return fmean(bool(known.intersection(sentence.citations)) for sentence in answer.sentences)


async def faithfulness(claims: Sequence[str], contexts: Sequence[str], chat: Chat) -> float | None:
    """Share of the claims that the contexts support; None without a usable verdict for each."""
    verdicts = await supported_claims(claims, contexts, chat)
    return None if verdicts is None else fmean(verdicts)


async def supported_claims(claims: Sequence[str], contexts: Sequence[str], chat: Chat) -> list[bool] | None:
    """For each claim whether the contexts support it; None where the judge did not give a verdict for each."""
    body = "\n".join([_listed("Context", contexts), _listed("Claim", claims)])
    return await _verdicts("faithfulness", body, len(claims), chat)


async def context_precision(
    question: str, claims: Sequence[str], contexts: Sequence[str], chat: Chat
) -> float | None:
    """Mean of precision@k over the ranks k of contexts that were useful for the answer; 0 where none was."""
    if not contexts:
        return 0.0
    verdicts = await useful_contexts(question, claims, contexts, chat)
    return None if verdicts is None else average_precision(verdicts)


async def useful_contexts(
    question: str, claims: Sequence[str], contexts: Sequence[str], chat: Chat
) -> list[bool] | None:
    """For each context whether it was useful for the answer; None where the judge did not give a verdict for each."""
    lines = [f"Question: {data(question)}", f"Answer: {data(' '.join(claims))}", _listed("Context", contexts)]
    return await _verdicts("context_precision", "\n".join(lines), len(contexts), chat)


def average_precision(useful: Sequence[bool]) -> float:
    """Mean of precision@k over the ranks k that are useful; 0 where none is."""
    found = [sum(useful[: k + 1]) / (k + 1) for k, is_useful in enumerate(useful) if is_useful]
    return fmean(found) if found else 0.0


async def context_relevance(question: str, contexts: Sequence[str], chat: Chat) -> float | None:
    """Relevance of the contexts to the question, rated 0, 1 or 2 under two templates, normalised and averaged."""
    if not contexts:
        return 0.0
    ratings = [rating for rating in await relevance_ratings(question, contexts, chat) if rating is not None]
    return fmean(ratings) / _BEST_RELEVANCE if ratings else None


async def relevance_ratings(question: str, contexts: Sequence[str], chat: Chat) -> list[int | None]:
    """The rating of each template; None where the judge gave none."""
    body = f"Question: {data(question)}\n{_listed('Context', contexts)}"
    replies = [await _ask(prompt, body, _Rating, _TOKENS, chat) for prompt in _TEMPLATES]
    return [None if reply is None else reply.rating for reply in replies]


async def _verdicts(prompt: str, body: str, count: int, chat: Chat) -> list[bool] | None:
    reply = await _ask(prompt, body, _so_many(count), _TOKENS + count * _TOKENS_A_VERDICT, chat)
    return None if reply is None else reply.verdicts


async def _ask(prompt: str, body: str, schema: type[Reply], max_tokens: int, chat: Chat) -> Reply | None:
    messages = [{"role": "system", "content": read_prompt(prompt)}, {"role": "user", "content": body}]
    try:
        reply = await chat.complete(messages, schema=schema, max_tokens=max_tokens, purpose=f"bench-{prompt}")
    except LlmRefused:
        return None
    return reply.parsed if isinstance(reply.parsed, schema) else None


def _listed(name: str, texts: Sequence[str]) -> str:
    return "\n".join(f"{name} {number}: {data(text)}" for number, text in enumerate(texts, 1))
