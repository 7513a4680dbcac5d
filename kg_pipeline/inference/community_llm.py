"""Hypotheses across groups of the graph by a language model (eGoT, section 2.1, equation 4).

The model sees the best connected entities of two groups and their surest relations, each with the sentence that states
it, and may only point at them: a hypothesis counts if its ends lie in different groups, its predicate is of the closed
set, and it names at least one sentence of each group in support. The relations of these sentences are its premises, and
its rule names the sentences. Whatever else the model says is dropped and counted by reason. Relations of which no
sentence may be shown are not shown either.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import combinations
from textwrap import shorten
from typing import TYPE_CHECKING, Literal

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
_LONGEST_QUOTE = 300  # characters
_SMALLEST_GROUP = 3
#: A hypothesis is this share as sure as its least sure premise.
_FACTOR = 0.3

_PLACE = re.compile(r"\{\{(\w+)\}\}")


class Hypothesis(BaseModel):
    """One relation that the model proposes; `support` holds numbers of the sentences shown."""

    head: str
    predicate: str
    tail: str
    support: list[str] = Field(default_factory=list)


class Hypotheses(BaseModel):
    """The answer of the model."""

    hypotheses: list[Hypothesis] = Field(default_factory=list)


Dropped = Literal[
    "unknown_entity",
    "ambiguous_name",
    "unknown_predicate",
    "same_group",
    "no_quote_of_both",
    "known",
    "over_cap",
]
_Row = tuple[str, str, str, float, list[str], str]


@dataclass(frozen=True, slots=True)
class Proposed:
    """The hypotheses kept, as a relations table, and what became of the rest, by reason."""

    relations: pl.DataFrame
    dropped: Counter[Dropped]
    failed_calls: int


@dataclass(frozen=True, slots=True)
class _Quoted:
    """A relation as it is shown, with the sentence that states it."""

    relation_id: str
    confidence: float
    evidence_id: str
    words: str


@dataclass(frozen=True, slots=True)
class _Side:
    group: str
    entities: dict[str, str]  # name as shown to id
    relations: dict[str, _Quoted]  # by number as shown


async def propose(
    chat: ChatModel,
    relations: pl.DataFrame,
    grouping: Grouping,
    names: dict[str, str],
    evidence: pl.LazyFrame,
    *,
    max_per_node: int,
    max_total: int,
) -> Proposed:
    """Ask about the `MOST_PAIRS` pairs of the largest groups and keep what is supported on both sides.

    `evidence` holds what may be shown. A call that fails gives nothing and is counted; an exhausted budget makes the
    remaining calls fail.
    """
    quoted = premises(relations).join(_surest_quotes(evidence), on="relation_id", maintain_order="left")
    pairs = _pairs(grouping, quoted, names, evidence)
    answers = await asyncio.gather(*(_ask(chat, *pair) for pair in pairs))
    rows: list[_Row] = []
    dropped: Counter[Dropped] = Counter()
    for (a, b), answer in zip(pairs, answers, strict=True):
        for hypothesis in answer.hypotheses if answer else []:
            row = _row(hypothesis, a, b, chat.name)
            if isinstance(row, str):
                dropped[row] += 1
            else:
                rows.append(row)
    key = ["head_id", "predicate", "tail_id"]
    distinct = candidates_frame(rows).unique(key, keep="first", maintain_order=True)
    fresh = distinct.join(relations.select(key), on=key, how="anti")
    kept = cap(fresh, per_node=max_per_node, total=max_total)
    dropped["known"] += len(rows) - fresh.height
    dropped["over_cap"] += fresh.height - kept.height
    return Proposed(
        inferred_table(KIND, kept, speculative=True), +dropped, sum(answer is None for answer in answers)
    )


def _surest_quotes(evidence: pl.LazyFrame) -> pl.DataFrame:
    """The surest evidence of each relation, of equals the first."""
    surest = (
        evidence.select("relation_id", "evidence_id", "confidence")
        .sort("relation_id", "confidence", "evidence_id", descending=[False, True, False])
        .unique("relation_id", keep="first", maintain_order=True)
    )
    return surest.select("relation_id", "evidence_id").collect()


async def _ask(chat: ChatModel, a: _Side, b: _Side) -> Hypotheses | None:
    values = {"predicates": ", ".join(PREDICATES)}
    for letter, side in (("a", a), ("b", b)):
        values[f"entities_{letter}"] = "; ".join(side.entities)
        values[f"relations_{letter}"] = "\n".join(
            f"{number}: {relation.words}" for number, relation in side.relations.items()
        )
    try:
        completion = await chat.complete(
            _messages(values), schema=Hypotheses, max_tokens=MAX_TOKENS, purpose=PURPOSE
        )
    except LlmError:
        return None
    return completion.parsed if isinstance(completion.parsed, Hypotheses) else None


def _row(hypothesis: Hypothesis, a: _Side, b: _Side, model: str) -> _Row | Dropped:
    known = {**a.entities, **b.entities}
    head, tail = known.get(hypothesis.head), known.get(hypothesis.tail)
    predicate = PREDICATES.get(hypothesis.predicate)
    if head is None or tail is None:
        return "unknown_entity"
    if not {hypothesis.head, hypothesis.tail}.isdisjoint(a.entities.keys() & b.entities.keys()):
        return "ambiguous_name"  # an entity of each group has it
    if predicate is None:
        return "unknown_predicate"
    if head == tail or (hypothesis.head in a.entities) == (hypothesis.tail in a.entities):
        return "same_group"
    named = [dict.fromkeys(n for n in hypothesis.support if n in side.relations) for side in (a, b)]
    if not all(named):
        return "no_quote_of_both"
    if predicate.symmetric and head > tail:
        head, tail = tail, head
    support = [
        side.relations[number] for side, numbers in zip((a, b), named, strict=True) for number in numbers
    ]
    confidence = round(_FACTOR * min(each.confidence for each in support), DECIMALS)
    sentences = " ".join(each.evidence_id for each in support)
    rule = f"llm:{model} between the groups of {a.group} and {b.group}, from the evidence {sentences}"
    return head, predicate.name, tail, confidence, [each.relation_id for each in support], rule


def _pairs(
    grouping: Grouping, quoted: pl.DataFrame, names: dict[str, str], evidence: pl.LazyFrame
) -> list[tuple[_Side, _Side]]:
    """Sides of the pairs to ask about, those of the largest groups first."""
    sizes = grouping.sizes()
    titles = grouping.names()
    order = [g for g in np.argsort(-sizes, kind="stable").tolist() if sizes[g] >= _SMALLEST_GROUP]
    # Pairs in order of their smaller group, so that the largest groups meet first.
    chosen = sorted(combinations(range(len(order)), 2), key=lambda pair: (pair[1], pair[0]))[:MOST_PAIRS]
    members = {i: _members(grouping, order[i]) for i in sorted({i for pair in chosen for i in pair})}
    shown = {i: _shown(each, quoted) for i, each in members.items()}
    quotes = _quotes(evidence, shown.values())

    def side(letter: str, i: int) -> _Side:
        return _side(letter, titles[order[i]], members[i], shown[i], names, quotes)

    return [(side("A", i), side("B", j)) for i, j in chosen]


def _members(grouping: Grouping, group: int) -> list[str]:
    """Entities of a group, best connected first."""
    inside = np.flatnonzero(grouping.group == group)
    order = inside[np.argsort(-grouping.degree[inside], kind="stable")]
    return [grouping.entity_ids[i] for i in order.tolist()]


def _shown(members: Sequence[str], quoted: pl.DataFrame) -> pl.DataFrame:
    """The surest relations inside a group."""
    inside = quoted.filter(pl.col("head_id").is_in(members) & pl.col("tail_id").is_in(members))
    return inside.sort("confidence", "relation_id", descending=[True, False]).head(_MOST_RELATIONS)


def _quotes(evidence: pl.LazyFrame, shown: Iterable[pl.DataFrame]) -> dict[str, str]:
    """The sentences of the evidence that is shown, on one line each and no longer than `_LONGEST_QUOTE`."""
    ids = sorted({each for relations in shown for each in relations["evidence_id"]})
    found = evidence.filter(pl.col("evidence_id").is_in(ids)).select("evidence_id", "quote").collect()
    return {each: shorten(quote, _LONGEST_QUOTE, placeholder=" …") for each, quote in found.iter_rows()}


def _side(
    letter: str,
    group: str,
    members: Sequence[str],
    shown: pl.DataFrame,
    names: dict[str, str],
    quotes: dict[str, str],
) -> _Side:
    relations = {}
    for i, row in enumerate(shown.iter_rows(named=True), start=1):
        head, tail = (names.get(row[end], row[end]) for end in ("head_id", "tail_id"))
        words = f'{head} {PREDICATES[row["predicate"]].label} {tail}: "{quotes[row["evidence_id"]]}"'
        relations[f"{letter}{i}"] = _Quoted(
            row["relation_id"], float(row["confidence"]), row["evidence_id"], words
        )
    # What a sentence shown speaks of comes first: of those the model can say something.
    borne = {*shown["head_id"], *shown["tail_id"]}
    best = sorted(members, key=lambda member: member not in borne)[:_MOST_ENTITIES]
    entities = {names.get(member, member): member for member in reversed(best)}
    return _Side(group, dict(reversed(entities.items())), relations)


def _messages(values: dict[str, str]) -> list[dict[str, str]]:
    text = (files("kg_pipeline.inference") / "prompts" / "communities.md").read_text(encoding="utf-8")
    _, system, user = re.split(r"^--- (?:system|user) ---\n", text, flags=re.MULTILINE)
    return [
        {"role": "system", "content": system.strip()},
        # What is filled in is not looked at again, so a name that looks like a place stays a name.
        {"role": "user", "content": _PLACE.sub(lambda place: values[place[1]], user).strip()},
    ]
