"""Verifier of answers (section D.3 and table 13): answer, evidence support, reasoning completeness and an error type.

A language model judges, and never the one that answered. Where none is configured, `RuleJudge` stands in: it sees what
rules can see (names, citations, gold relations) and its figures are not comparable with those of a model.
"""

from __future__ import annotations

import asyncio
import importlib.resources
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from statistics import fmean
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from kg_pipeline.errors import LlmRefused, SettingsError
from kg_pipeline.graph.reader import Manifest
from retrieval.evaluation.biomedhop.items import Item
from retrieval.evaluation.identity import model_key
from retrieval.evaluation.intervals import bootstrap
from retrieval.evaluation.multihop_qa.outcomes import Outcome
from retrieval.reasoning.llm_reasoner import Chat
from retrieval.words.terms import find_name, name_keys, tokenise

ErrorType = Literal[
    "none",
    "entity_grounding",
    "missing_evidence",
    "wrong_hop",
    "distractor_confusion",
    "counting",
    "unsupported_answer",
    "format_error",
]
#: Evidence support from which an answer counts as supported.
SUPPORTED = 0.5
_UNSTABLE = "judge_instability"
_TOKENS = 300
_QUOTES = 12
_CONCURRENT = 8


class Judgement(BaseModel):
    """What a judge says about one answer."""

    model_config = ConfigDict(frozen=True)

    answer_correct: bool
    evidence_support: float = Field(ge=0, le=1)
    reasoning_completeness: float = Field(ge=0, le=1)
    error_type: ErrorType
    reason: str = ""

    @property
    def is_supported(self) -> bool:
        """The binary label of evidence support."""
        return self.evidence_support >= SUPPORTED


class Judge(Protocol):
    """Judges answers to items."""

    @property
    def name(self) -> str:
        """`rules`, or `llm:` and the model."""
        ...

    async def judge(self, item: Item, outcome: Outcome) -> Judgement:
        """Judge one answer; raises `LlmRefused` where the model gives no usable verdict."""
        ...


def require_independent(judge: str, answering: str, graph: Manifest | None = None) -> None:
    """Refuse a judge that is the answering model, or the one that extracted the graph (eGoT, section 3.1).

    Raises
    ------
    SettingsError
        If the names are of one model, whoever serves it and whichever release: `qwen/Qwen3-4B` is `qwen3-4b`.

    """
    if model_key(judge) == model_key(answering):
        raise SettingsError(
            f"{judge} answered the questions and must not judge its own answers. Name another model with --judge."
        )
    extracting = graph.models.get("llm") if graph is not None else None
    if extracting and model_key(judge) == model_key(extracting):
        raise SettingsError(
            f"{judge} extracted the graph and must not judge what comes of it. Name another model with --judge."
        )


@dataclass(frozen=True, slots=True)
class RuleJudge:
    """The stand-in without a model.

    An answer is correct if its score says so. Support is the share of what the answer claims (its prediction and the
    names in the question) that the cited sentences name. Completeness is the overlap with the gold graph.
    """

    name: str = "rules"

    async def judge(self, item: Item, outcome: Outcome) -> Judgement:
        """Judge one answer."""
        correct = outcome.score == 1.0
        support = _support(item, outcome)
        return Judgement(
            answer_correct=correct,
            evidence_support=support,
            reasoning_completeness=outcome.overlap,
            error_type=_error_type(item, outcome, support),
        )


def _support(item: Item, outcome: Outcome) -> float:
    if not outcome.quotes:
        return 0.0
    wanted = [entity.accepted or (entity.name,) for entity in item.exposed]
    if outcome.prediction and outcome.format != "count":
        wanted.append(_names_of(item, outcome.prediction))
    tokens = tokenise(" . ".join(outcome.quotes))
    return fmean(find_name(tokens, name_keys(names)) is not None for names in wanted)


def _names_of(item: Item, prediction: str) -> tuple[str, ...]:
    """The accepted names of the answer that a prediction means, or the prediction itself."""
    key = name_keys([prediction])
    names = next((a.accepted for a in item.answers if set(key) & set(name_keys(a.accepted))), ())
    return (prediction, *names)


def _error_type(item: Item, outcome: Outcome, support: float) -> ErrorType:
    if outcome.score == 1.0:
        return "none" if support >= SUPPORTED else "missing_evidence"
    if not outcome.answered:
        return "missing_evidence"
    if not outcome.prediction:
        return "format_error"
    if item.family == "count":
        return "counting"
    if support < SUPPORTED:
        return "unsupported_answer"
    if outcome.format == "mcq":
        return "distractor_confusion"
    return "wrong_hop" if outcome.overlap > 0 else "entity_grounding"


class LlmJudge:
    """A language model as the judge."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat

    @property
    def name(self) -> str:
        """`llm:` and the model."""
        return f"llm:{self.chat.name}"

    async def judge(self, item: Item, outcome: Outcome) -> Judgement:
        """Judge one answer; raises `LlmRefused` where the model gives no usable verdict."""
        return await verify(self.chat, _material(item, outcome))


async def verify(chat: Chat, shown: str) -> Judgement:
    """A model's verdict on material; raises `LlmRefused` where it gives no usable one."""
    messages = [
        {"role": "system", "content": read_prompt("verifier")},
        {"role": "user", "content": shown},
    ]
    reply = await chat.complete(messages, schema=Judgement, max_tokens=_TOKENS, purpose="bench-verifier")
    if not isinstance(reply.parsed, Judgement):
        raise LlmRefused(f"{chat.name} gave no usable verdict.")
    return reply.parsed


@cache
def read_prompt(name: str) -> str:
    """A prompt of the package, by name."""
    folder = importlib.resources.files("retrieval.evaluation") / "prompts"
    return (folder / f"{name}.md").read_text(encoding="utf-8")


def _material(item: Item, outcome: Outcome) -> str:
    by_id = {e.entity_id: e.name for e in (*item.exposed, *item.hidden, *item.answers)}
    return material(
        question=item.multiple_choice if outcome.format == "mcq" else item.stem,
        right=[str(item.count)] if item.family == "count" else item.answers[0].accepted,
        counted=[answer.name for answer in item.answers] if item.count > 1 else [],
        hops=[f"{by_id[edge.source_id]} {edge.phrase} {by_id[edge.target_id]}" for edge in item.gold],
        understood=outcome.prediction,
        given=outcome.text,
        evidence=outcome.quotes,
    )


def material(
    *,
    question: str,
    right: Sequence[str],
    hops: Sequence[str],
    understood: str,
    given: str,
    evidence: Sequence[str],
    counted: Sequence[str] = (),
) -> str:
    """What the verifier is shown of an answer."""
    lines = [
        f"Question: {data(question)}",
        f"Right answer: {data('; '.join(right))}",
        *(["Counted: " + data(", ".join(counted))] if counted else []),
        *(f"Hop: {data(hop)}" for hop in hops),
        f"Answer understood: {data(understood or 'none')}",
        f"Answer given: {data(given)}",
        "Evidence cited:",
        *([f"- {data(quote)}" for quote in evidence[:_QUOTES]] or ["none"]),
    ]
    return "\n".join(lines)


def data(text: str) -> str:
    """Text as marked material, which cannot end its own mark."""
    return f"<data>{' '.join(text.replace('<', '‹').replace('>', '›').split())}</data>"


async def judge_all(
    judge: Judge, items: Mapping[str, Item], outcomes: Sequence[Outcome]
) -> list[Judgement | None]:
    """Judgements in the order of the outcomes; None where the model gave no usable one."""
    room = asyncio.Semaphore(_CONCURRENT)

    async def one(outcome: Outcome) -> Judgement | None:
        async with room:
            try:
                return await judge.judge(items[outcome.item_id], outcome)
            except LlmRefused:
                return None

    return list(await asyncio.gather(*map(one, outcomes)))


def verifier_table(outcomes: Sequence[Outcome], judgements: Sequence[Judgement | None]) -> dict[str, Any]:
    """Means by family (table 5) and the shares of the error types among wrong answers (figure 9), in shares of 1.

    A wrong answer without an error type is one that the judge contradicts itself about: `judge_instability`.
    """
    judged = [(o, j) for o, j in zip(outcomes, judgements, strict=True) if j is not None]
    found: dict[str, Any] = {"judged": len(judged), "refused": len(outcomes) - len(judged), "families": {}}
    for family in dict.fromkeys(outcome.family for outcome, _ in judged):
        rows = [judgement for outcome, judgement in judged if outcome.family == family]
        values = {
            "answer": [float(row.answer_correct) for row in rows],
            "evidence": [row.evidence_support for row in rows],
            "supported": [float(row.is_supported) for row in rows],
            "reasoning": [row.reasoning_completeness for row in rows],
        }
        found["families"][family] = {name: asdict(bootstrap(scores)) for name, scores in values.items()}
    wrong = [judgement.error_type for _, judgement in judged if not judgement.answer_correct]
    errors = [_UNSTABLE if error == "none" else error for error in wrong]
    found["errors"] = {name: errors.count(name) / len(errors) for name in sorted(set(errors))}
    return found
