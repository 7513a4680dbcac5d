"""Hypotheses across groups of the graph by a language model (eGoT, section 2.1, equation 4).

The model sees the best connected entities and surest relations of two groups and may only point at them: a
hypothesis counts if its ends lie in different groups, its predicate is of the closed set, and it names at least one
relation of each group in support. Whatever else it says is dropped and counted.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from pydantic import BaseModel, Field

from kg_pipeline.errors import LlmError
from kg_pipeline.inference.community import KIND
from kg_pipeline.inference.groups import Grouping
from kg_pipeline.inference.relation_rows import DECIMALS, candidates_frame, cap, inferred_table, premises
from kg_pipeline.vocabulary.predicates import PREDICATES

if TYPE_CHECKING:
    from kg_pipeline.llm.chat import ChatModel

PURPOSE = "communities"
#: The budget of the stage: pairs of groups asked about, and tokens of each answer.
MOST_PAIRS = 10
MAX_TOKENS = 800
#: What the model sees of a group.
_MOST_ENTITIES = 15
_MOST_RELATIONS = 15
_SMALLEST_GROUP = 3
#: A hypothesis is this share as sure as its least sure premise.
_FACTOR = 0.3

_PLACE = re.compile(r"\{\{(\w+)\}\}")


class Hypothesis(BaseModel):
    """One relation that the model proposes; `support` holds numbers of the relations shown."""

    head: str
    predicate: str
    tail: str
    support: list[str] = Field(default_factory=list)


class Hypotheses(BaseModel):
    """The answer of the model."""

    hypotheses: list[Hypothesis] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Proposed:
    """The hypotheses kept, as a relations table, and what became of the rest."""

    relations: pl.DataFrame
    dropped: int
    failed_calls: int


@dataclass(frozen=True, slots=True)
class _Side:
    group: str
    entities: dict[str, str]  # name as shown to id
    relations: dict[str, tuple[str, float, str]]  # number as shown to id, confidence, words


async def propose(
    chat: ChatModel,
    relations: pl.DataFrame,
    grouping: Grouping,
    names: dict[str, str],
    *,
    max_per_node: int,
    max_total: int,
) -> Proposed:
    """Ask about the `MOST_PAIRS` pairs of the largest groups and keep what is supported on both sides.

    A call that fails gives nothing and is counted; an exhausted budget makes the remaining calls fail.
    """
    stated = premises(relations)
    pairs = _pairs(grouping, stated, names)
    answers = await asyncio.gather(*(_ask(chat, *pair) for pair in pairs))
    rows, dropped = [], 0
    for (a, b), answer in zip(pairs, answers, strict=True):
        for hypothesis in answer.hypotheses if answer else []:
            row = _row(hypothesis, a, b, chat.name)
            if row is None:
                dropped += 1
            else:
                rows.append(row)
    key = ["head_id", "predicate", "tail_id"]
    fresh = candidates_frame(rows).unique(key, keep="first", maintain_order=True)
    fresh = fresh.join(relations.select(key), on=key, how="anti")
    kept = cap(fresh, per_node=max_per_node, total=max_total)
    return Proposed(
        inferred_table(KIND, kept, speculative=True),
        dropped + len(rows) - kept.height,
        sum(answer is None for answer in answers),
    )


async def _ask(chat: ChatModel, a: _Side, b: _Side) -> Hypotheses | None:
    values = {"predicates": ", ".join(PREDICATES)}
    for letter, side in (("a", a), ("b", b)):
        values[f"entities_{letter}"] = "; ".join(side.entities)
        values[f"relations_{letter}"] = "\n".join(
            f"{number}: {words}" for number, (_, _, words) in side.relations.items()
        )
    try:
        completion = await chat.complete(
            _messages(values), schema=Hypotheses, max_tokens=MAX_TOKENS, purpose=PURPOSE
        )
    except LlmError:
        return None
    return completion.parsed if isinstance(completion.parsed, Hypotheses) else None


def _row(
    hypothesis: Hypothesis, a: _Side, b: _Side, model: str
) -> tuple[str, str, str, float, list[str], str] | None:
    known = {**a.entities, **b.entities}
    head, tail = known.get(hypothesis.head), known.get(hypothesis.tail)
    predicate = PREDICATES.get(hypothesis.predicate)
    crosses = (hypothesis.head in a.entities) == (hypothesis.tail in b.entities)
    supports = [[s.relations[n] for n in hypothesis.support if n in s.relations] for s in (a, b)]
    if head is None or tail is None or head == tail or predicate is None or not crosses or not all(supports):
        return None
    if predicate.symmetric and head > tail:
        head, tail = tail, head
    support = [relation for side in supports for relation in side]
    confidence = round(_FACTOR * min(each for _, each, _ in support), DECIMALS)
    rule = f"llm:{model} between the groups of {a.group} and {b.group}"
    return head, predicate.name, tail, confidence, list(dict.fromkeys(i for i, _, _ in support)), rule


def _pairs(grouping: Grouping, stated: pl.DataFrame, names: dict[str, str]) -> list[tuple[_Side, _Side]]:
    """Sides of the pairs to ask about, those of the largest groups first."""
    sizes = grouping.sizes()
    titles = grouping.names()
    order = [g for g in np.argsort(-sizes, kind="stable").tolist() if sizes[g] >= _SMALLEST_GROUP]
    # Pairs in order of their smaller group, so that the largest groups meet first.
    chosen = sorted(combinations(range(len(order)), 2), key=lambda pair: (pair[1], pair[0]))[:MOST_PAIRS]
    return [
        (
            _side("A", titles[order[i]], _members(grouping, order[i]), stated, names),
            _side("B", titles[order[j]], _members(grouping, order[j]), stated, names),
        )
        for i, j in chosen
    ]


def _members(grouping: Grouping, group: int) -> list[str]:
    """Entities of a group, best connected first."""
    inside = np.flatnonzero(grouping.group == group)
    order = inside[np.argsort(-grouping.degree[inside], kind="stable")]
    return [grouping.entity_ids[i] for i in order.tolist()]


def _side(
    letter: str, group: str, members: Sequence[str], stated: pl.DataFrame, names: dict[str, str]
) -> _Side:
    inside = stated.filter(pl.col("head_id").is_in(members) & pl.col("tail_id").is_in(members))
    best = inside.sort("confidence", "relation_id", descending=[True, False]).head(_MOST_RELATIONS)
    relations = {
        f"{letter}{i}": (
            row["relation_id"],
            float(row["confidence"]),
            f"{names.get(row['head_id'], row['head_id'])} {PREDICATES[row['predicate']].label} "
            f"{names.get(row['tail_id'], row['tail_id'])}",
        )
        for i, row in enumerate(best.iter_rows(named=True), start=1)
    }
    entities = {names.get(member, member): member for member in reversed(members[:_MOST_ENTITIES])}
    return _Side(group, dict(reversed(entities.items())), relations)


def _messages(values: dict[str, str]) -> list[dict[str, str]]:
    text = (files("kg_pipeline.inference") / "prompts" / "communities.md").read_text(encoding="utf-8")
    _, system, user = re.split(r"^--- (?:system|user) ---\n", text, flags=re.MULTILINE)
    return [
        {"role": "system", "content": system.strip()},
        # What is filled in is not looked at again, so a name that looks like a place stays a name.
        {"role": "user", "content": _PLACE.sub(lambda place: values[place[1]], user).strip()},
    ]
