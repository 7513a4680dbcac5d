"""Entities and relations of a chunk by a language model, in one call (eGoT's L_extract), held to the text.

The model is offered the mentions that earlier stages found and may name others; `kg_pipeline.extraction.grounding.triples`
keeps what the chunk bears out. A chunk whose answer is cut off is halved, at most twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from kg_pipeline.errors import BudgetExhausted, LlmRefused, LlmUnavailable
from kg_pipeline.extraction.grounding.triples import (
    CandidateTriple,
    GroundedTriple,
    MentionSpan,
    Rejected,
    Span,
    ground,
)
from kg_pipeline.extraction.lexicon.predicate_words import denies, map_predicate
from kg_pipeline.extraction.llm.answer import TripleAnswer, TripleItem
from kg_pipeline.extraction.llm.prompts import load_prompt
from kg_pipeline.fingerprint import short_digest
from kg_pipeline.llm.structured import Question
from kg_pipeline.vocabulary.predicates import PREDICATES

if TYPE_CHECKING:
    from kg_pipeline.llm.chat import ChatModel
    from kg_pipeline.text.abbreviations import Definition

PURPOSE = "triples"
MAX_TOKENS = 2048  # of an answer: some 20 triples
_MOST_HALVINGS = 2
_MOST_MENTIONS = 60  # offered with a chunk


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk with what is known of it; all offsets are code points into `document_text`."""

    article_id: str
    title: str
    document_text: str
    start: int
    end: int
    sentences: tuple[Span, ...]
    mentions: tuple[MentionSpan, ...]
    definitions: tuple[Definition, ...]

    @property
    def text(self) -> str:
        """The chunk's text."""
        return self.document_text[self.start : self.end]

    def halves(self) -> tuple[Passage, Passage] | None:
        """The passage cut at the sentence border nearest to its middle; None if it is one sentence."""
        inside = sorted(s for s in self.sentences if s[0] >= self.start and s[1] <= self.end)
        middle = (self.start + self.end) / 2
        borders = [(abs(after[0] - middle), before[1], after[0]) for before, after in pairwise(inside)]
        if not borders:
            return None
        _, end, start = min(borders)
        return self._part(self.start, end), self._part(start, self.end)

    def _part(self, start: int, end: int) -> Passage:
        return replace(
            self,
            start=start,
            end=end,
            sentences=tuple(s for s in self.sentences if s[0] >= start and s[1] <= end),
            mentions=tuple(m for m in self.mentions if m.start >= start and m.end <= end),
        )


@dataclass(frozen=True, slots=True)
class ChunkExtraction:
    """What a chunk gave.

    `failed` chunks are to be tried again; `reason` begins with one word that says why: `truncated`, `refused`,
    `unavailable` or `budget`. What could be read of a failed chunk is there all the same.
    """

    triples: tuple[GroundedTriple, ...]
    rejected: tuple[Rejected, ...]
    status: Literal["ok", "failed"] = "ok"
    reason: str = ""


def prompt_digest() -> str:
    """Changes with every letter of the prompt; part of the fingerprint of a stage that extracts."""
    return load_prompt("triples").digest


def passage_question(passage: Passage) -> Question:
    """What is asked about a passage; also for estimating what a build will cost.

    Where the endpoint enforces a schema, head and tail are of the mentions that are offered. A passage in which earlier
    stages found less than two leaves the names to the model.
    """
    text = passage.text
    offered = _offered(passage)
    messages = load_prompt("triples").messages(
        {
            "predicates": "\n".join(f"- {p.name}: head {p.label} tail" for p in PREDICATES.values()),
            "title": _one_line(passage.title) or "(none)",
            "abbreviations": "; ".join(_abbreviations(passage)) or "(none)",
            "mentions": "; ".join(f"{name} ({category})" for name, category in offered.items()) or "(none)",
            # The mark depends on the text, so that no text can contain its own.
            "mark": f"=== {short_digest(text)} ===",
            "passage": text,
        }
    )
    names = tuple(offered)
    return Question(messages, {"head": names, "tail": names} if len(names) > 1 else {})


async def extract_chunk(
    chat: ChatModel, passage: Passage, *, max_tokens: int = MAX_TOKENS
) -> ChunkExtraction:
    """Ask about a passage and ground the answer. A failing endpoint gives a `failed` extraction, not an exception."""
    return await _extract(chat, passage, max_tokens, _MOST_HALVINGS)


async def _extract(chat: ChatModel, passage: Passage, max_tokens: int, halvings: int) -> ChunkExtraction:
    question = passage_question(passage)
    try:
        completion = await chat.complete(
            question.messages,
            schema=TripleAnswer,
            max_tokens=max_tokens,
            purpose=PURPOSE,
            choices=question.choices,
        )
    except LlmRefused as error:
        return ChunkExtraction((), (), "failed", f"refused: {error}")
    except BudgetExhausted as error:
        return ChunkExtraction((), (), "failed", f"budget: {error}")
    except LlmUnavailable as error:
        return ChunkExtraction((), (), "failed", f"unavailable: {error}")
    if completion.finish_reason == "length":
        halves = passage.halves() if halvings else None
        if halves is None:
            return ChunkExtraction(
                (), (), "failed", f"truncated: the answer is longer than {max_tokens} tokens"
            )
        return _join(
            await asyncio.gather(*(_extract(chat, half, max_tokens, halvings - 1) for half in halves))
        )
    answer = completion.parsed
    if not isinstance(answer, TripleAnswer):
        return ChunkExtraction((), (), "failed", "refused: the answer is not of the shape that was asked for")
    return _ground_all(answer, passage)


def _join(parts: Sequence[ChunkExtraction]) -> ChunkExtraction:
    failed = next((part for part in parts if part.status == "failed"), None)
    return ChunkExtraction(
        tuple(triple for part in parts for triple in part.triples),
        tuple(rejected for part in parts for rejected in part.rejected),
        failed.status if failed else "ok",
        failed.reason if failed else "",
    )


def _ground_all(answer: TripleAnswer, passage: Passage) -> ChunkExtraction:
    rejected = [Rejected("invalid_item", raw) for raw in answer.invalid]
    triples: dict[GroundedTriple, None] = {}  # models repeat themselves
    for item in answer.triples:
        candidate = _candidate(item)
        result = candidate if isinstance(candidate, Rejected) else _ground_one(candidate, passage)
        if isinstance(result, Rejected):
            rejected.append(result)
        else:
            triples[result] = None
    return ChunkExtraction(tuple(triples), tuple(rejected))


def _ground_one(candidate: CandidateTriple, passage: Passage) -> GroundedTriple | Rejected:
    return ground(
        candidate,
        article_id=passage.article_id,
        document_text=passage.document_text,
        chunk_start=passage.start,
        chunk_end=passage.end,
        mentions=passage.mentions,
        definitions=passage.definitions,
        sentences=passage.sentences,
    )


def _candidate(item: TripleItem) -> CandidateTriple | Rejected:
    """The item with its predicate in the closed set, turned round where its words read from tail to head."""
    name = item.predicate.strip().casefold().replace(" ", "_").removeprefix("biolink:")
    known = (name, False) if name in PREDICATES else map_predicate(item.predicate)
    if known is None:
        return Rejected("unknown_predicate", f"{item.head} | {item.predicate} | {item.tail}")
    predicate, inverted = known
    ends = [(item.head, item.head_category), (item.tail, item.tail_category)]
    (head, head_category), (tail, tail_category) = reversed(ends) if inverted else ends
    return CandidateTriple(
        head=head,
        predicate=predicate,
        tail=tail,
        quote=item.quote,
        negated=item.negated or denies(item.predicate),
        speculative=item.speculative,
        head_category=head_category,
        tail_category=tail_category,
        predicate_text="" if name in PREDICATES else item.predicate,
    )


def _abbreviations(passage: Passage) -> list[str]:
    text = passage.text
    return list(
        dict.fromkeys(f"{d.short} = {_one_line(d.long)}" for d in passage.definitions if d.short in text)
    )


def _offered(passage: Passage) -> dict[str, str]:
    """Names that the passage mentions, in order, each with its category."""
    inside = [m for m in passage.mentions if m.start >= passage.start and m.end <= passage.end]
    offered: dict[str, str] = {}
    for mention in sorted(inside, key=lambda m: (m.start, m.end)):
        offered.setdefault(_one_line(mention.text), mention.category.removeprefix("biolink:"))
    return dict(list(offered.items())[:_MOST_MENTIONS])


def _one_line(text: str) -> str:
    return " ".join(text.split())
