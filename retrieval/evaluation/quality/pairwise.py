"""Win rates of two methods by a judge, on four criteria, each pair shown in both orders (eGoT, section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Literal

from pydantic import BaseModel, ConfigDict

from kg_pipeline.errors import LlmRefused
from retrieval.evaluation.intervals import Interval, bootstrap
from retrieval.evaluation.verification import data, read_prompt
from retrieval.reasoning.llm_reasoner import Chat

CRITERIA = ("comprehensiveness", "empowerment", "diversity", "overall")
Side = Literal["first", "second"]
_TOKENS = 200


class _Preference(BaseModel):
    model_config = ConfigDict(frozen=True)

    comprehensiveness: Side
    empowerment: Side
    diversity: Side
    overall: Side


async def wins(question: str, one: str, other: str, chat: Chat) -> dict[str, float] | None:
    """How often `one` is preferred on each criterion: 1, 0, or 0.5 where the order decides; None without a usable reply."""
    found = []
    for texts, side in (((one, other), "first"), ((other, one), "second")):
        told = await preferred(question, *texts, chat)
        if told is None:
            return None
        found.append({name: float(told[name] == side) for name in CRITERIA})
    return {name: fmean(row[name] for row in found) for name in CRITERIA}


async def preferred(question: str, first: str, second: str, chat: Chat) -> dict[str, Side] | None:
    """The side that is preferred on each criterion; None without a usable reply."""
    body = f"Question: {data(question)}\nFirst answer: {data(first)}\nSecond answer: {data(second)}"
    messages = [{"role": "system", "content": read_prompt("pairwise")}, {"role": "user", "content": body}]
    try:
        reply = await chat.complete(
            messages, schema=_Preference, max_tokens=_TOKENS, purpose="bench-pairwise"
        )
    except LlmRefused:
        return None
    return reply.parsed.model_dump() if isinstance(reply.parsed, _Preference) else None


async def win_rates(
    questions: Sequence[str], one: Sequence[str], other: Sequence[str], chat: Chat
) -> dict[str, Interval]:
    """Win rate of the first method's answers on each criterion, over the questions that were judged; empty if none was."""
    rows = [await wins(*texts, chat) for texts in zip(questions, one, other, strict=True)]
    judged = [row for row in rows if row is not None]
    return {name: bootstrap([row[name] for row in judged]) for name in CRITERIA} if judged else {}
