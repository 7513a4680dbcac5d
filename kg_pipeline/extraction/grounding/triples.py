"""Hold a language model to the text: a triple stays only if its quote exists and both its ends are in the chunk.

A model may reword, invent and mix up; the document does not. What is kept is therefore the document's own: the
sentence that covers the quote, and the mentions that carry the names. Whatever cannot be anchored is returned as
`Rejected` with its reason, so that it can be counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

from kg_pipeline.extraction.grounding.anchors import (
    CATEGORIES,
    NAMED_THING,
    ChunkAnchors,
    MentionSpan,
    Span,
    biolink_category,
)
from kg_pipeline.extraction.grounding.denial import is_denied
from kg_pipeline.extraction.grounding.direction import is_turned_round
from kg_pipeline.extraction.grounding.quotes import find_quote, fold
from kg_pipeline.vocabulary.predicates import PREDICATES

if TYPE_CHECKING:
    from kg_pipeline.text.abbreviations import Definition

__all__ = [
    "CATEGORIES",
    "NAMED_THING",
    "CandidateTriple",
    "GroundedTriple",
    "MentionSpan",
    "Rejected",
    "Span",
    "biolink_category",
    "ground",
]

MAX_QUOTE_SENTENCES = 2  # a quote of more is a passage, not a statement
_LONGEST_PREDICATE_TEXT = 80  # characters between head and tail that may stand for the predicate


@dataclass(frozen=True, slots=True)
class CandidateTriple:
    """A triple as a model offered it; `predicate` is already one of the closed set, `predicate_text` its own words."""

    head: str
    predicate: str
    tail: str
    quote: str
    negated: bool = False
    speculative: bool = False
    head_category: str = ""
    tail_category: str = ""
    predicate_text: str = ""


@dataclass(frozen=True, slots=True)
class GroundedTriple:
    """A triple that the text states at `document_text[start:end]`, which is `quote`.

    `new_mentions` are those of its ends that no earlier stage had found.
    """

    head: MentionSpan
    tail: MentionSpan
    predicate: str
    predicate_text: str
    negated: bool
    speculative: bool
    quote: str
    start: int
    end: int
    new_mentions: tuple[MentionSpan, ...]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A candidate that was refused, and what it was."""

    reason: str
    detail: str


def ground(
    candidate: CandidateTriple,
    *,
    article_id: str,
    document_text: str,
    chunk_start: int,
    chunk_end: int,
    mentions: Sequence[MentionSpan],
    definitions: Sequence[Definition],
    sentences: Sequence[Span] = (),
) -> GroundedTriple | Rejected:
    """Anchor a candidate in `document_text[chunk_start:chunk_end]`.

    The quote is found exactly or up to spaces, hyphens, Unicode variants and case, and widened to the `sentences`
    it lies in, so that a "not" that the model cut off is part of it. Head and tail become mentions of the chunk,
    by surface, normal form or defined abbreviation, the nearest pair inside the quote if there is one. A name that
    no mention carries but that stands in the chunk as whole words becomes a new mention. A sentence that plainly
    denies the claim makes it `negated`, whatever the model said.

    Parameters
    ----------
    candidate
        What the model said.
    article_id
        For the ids of new mentions.
    document_text, chunk_start, chunk_end
        The article's text and the chunk in it; nothing outside of the chunk is looked at.
    mentions
        Mentions of the article; those outside of the chunk are ignored.
    definitions
        Abbreviations the article defines.
    sentences
        Sentence spans of the chunk, in document offsets.

    Returns
    -------
    GroundedTriple or Rejected
        Reasons: `quote_not_found`, `quote_too_long`, `head_not_anchored`, `tail_not_anchored`, `same_entity`,
        `not_stated` (the ends are in different sentences, and no word of them expresses the predicate),
        `wrong_direction` (the sentence plainly says it the other way round).

    """
    chunk = ChunkAnchors(article_id, document_text, chunk_start, chunk_end, tuple(definitions))
    chunk_text = document_text[chunk_start:chunk_end]
    quotes = [
        (start + chunk_start, end + chunk_start) for start, end in find_quote(chunk_text, candidate.quote)
    ]
    if not quotes:
        return _reject("quote_not_found", candidate)
    inside = [mention for mention in mentions if mention.start >= chunk_start and mention.end <= chunk_end]
    heads = chunk.find(candidate.head, candidate.head_category, inside)
    if not heads:
        return _reject("head_not_anchored", candidate)
    tails = chunk.find(candidate.tail, candidate.tail_category, inside)
    if not tails:
        return _reject("tail_not_anchored", candidate)
    return ground_ends(
        candidate,
        heads=heads,
        tails=tails,
        quotes=quotes,
        document_text=document_text,
        mentions=mentions,
        sentences=sentences,
    )


def ground_ends(
    candidate: CandidateTriple,
    *,
    heads: Sequence[MentionSpan],
    tails: Sequence[MentionSpan],
    quotes: Sequence[Span],
    document_text: str,
    mentions: Sequence[MentionSpan],
    sentences: Sequence[Span] = (),
) -> GroundedTriple | Rejected:
    """The last steps of `ground`, for a candidate whose quotes and the mentions that can be its ends are found already.

    `mentions` are those that were known before, `sentences` those of the chunk; offsets are those of the document.
    """
    pairs = [(head, tail) for head, tail in product(heads, tails) if not _same_entity(head, tail)]
    if not pairs:
        return _reject("same_entity", candidate)
    widened = [_widen(quote, sentences) for quote in quotes]
    quote, head, tail = min(
        ((quote, head, tail) for quote, (head, tail) in product(widened, pairs)),
        key=lambda choice: _cost(document_text, candidate.predicate, *choice),
    )
    start, end = _narrow(quote, head, tail, sentences)
    if sum(start < border[1] and border[0] < end for border in sentences) > MAX_QUOTE_SENTENCES:
        return _reject("quote_too_long", candidate)
    sentence = _common_sentence(head, tail, sentences or [(start, end)])
    if sentence is None and _word_for(candidate.predicate, document_text[start:end]) is None:
        return _reject("not_stated", candidate)
    if is_turned_round(document_text, candidate.predicate, (head.start, head.end), (tail.start, tail.end)):
        return _reject("wrong_direction", candidate)
    known = {mention.mention_id for mention in mentions}
    return GroundedTriple(
        head=head,
        tail=tail,
        predicate=candidate.predicate,
        predicate_text=_predicate_text(document_text, (start, end), candidate, head, tail),
        negated=candidate.negated or _is_denied(document_text, sentence, head, tail),
        speculative=candidate.speculative,
        quote=document_text[start:end],
        start=start,
        end=end,
        new_mentions=tuple(mention for mention in (head, tail) if mention.mention_id not in known),
    )


def _same_entity(head: MentionSpan, tail: MentionSpan) -> bool:
    overlaps = head.start < tail.end and tail.start < head.end
    same_concept = head.concept_id is not None and head.concept_id == tail.concept_id
    return overlaps or same_concept or fold(head.normal_form) == fold(tail.normal_form)


def _cost(
    text: str, predicate: str, quote: Span, head: MentionSpan, tail: MentionSpan
) -> tuple[int, bool, int, Span, int, int]:
    """Order of preference: both ends in the quote, a word for the predicate between them, close, early in the text."""
    outside = sum(not (quote[0] <= mention.start and mention.end <= quote[1]) for mention in (head, tail))
    away = sum(max(quote[0] - mention.end, mention.start - quote[1], 0) for mention in (head, tail))
    start, end = _between(head, tail)
    is_silent = _word_for(predicate, text[start:end]) is None
    return outside, is_silent, away + end - start, quote, head.start, tail.start


def _between(head: MentionSpan, tail: MentionSpan) -> Span:
    return min(head.end, tail.end), max(head.start, tail.start)


def _widen(quote: Span, sentences: Iterable[Span]) -> Span:
    touched = [border for border in sentences if border[0] < quote[1] and quote[0] < border[1]]
    return min((quote[0], *(b[0] for b in touched))), max((quote[1], *(b[1] for b in touched)))


def _narrow(quote: Span, head: MentionSpan, tail: MentionSpan, sentences: Sequence[Span]) -> Span:
    """Of a quote that holds both anchors, the sentences from the first anchor to the last."""
    first, last = min(head.start, tail.start), max(head.end, tail.end)
    is_inside = quote[0] <= first and last <= quote[1]
    return _widen((first, last), sentences) if is_inside and sentences else quote


def _predicate_text(
    text: str, quote: Span, candidate: CandidateTriple, head: MentionSpan, tail: MentionSpan
) -> str:
    """The author's words for the predicate: as offered, if quoted; else a word that expresses it; else what lies between."""
    sentence = text[quote[0] : quote[1]]
    offered = find_quote(sentence, candidate.predicate_text) if candidate.predicate_text else []
    if offered:
        return sentence[offered[0][0] : offered[0][1]]
    start, end = _between(head, tail)
    word = _word_for(candidate.predicate, text[start:end]) or _word_for(candidate.predicate, sentence)
    if word:
        return word
    between = text[start:end].strip(" ,;:()")
    return (
        between if len(between) <= _LONGEST_PREDICATE_TEXT and quote[0] <= start and end <= quote[1] else ""
    )


def _word_for(predicate: str, text: str) -> str | None:
    """The first word of a text that expresses the predicate."""
    found = _words_of(predicate).search(text)
    return found.group() if found else None


@cache
def _words_of(predicate: str) -> re.Pattern[str]:
    stems = (re.escape(word.removesuffix("e")) for word in PREDICATES[predicate].words)
    # A predicate without words of its own, such as related_to, is expressed by none.
    return re.compile(rf"\b(?:{'|'.join(stems) or '(?!)'})\w*", re.IGNORECASE)


def _common_sentence(head: MentionSpan, tail: MentionSpan, sentences: Iterable[Span]) -> Span | None:
    """The sentence that holds both ends."""
    first, last = min(head.start, tail.start), max(head.end, tail.end)
    return next(((start, end) for start, end in sentences if start <= first and last <= end), None)


def _is_denied(text: str, sentence: Span | None, head: MentionSpan, tail: MentionSpan) -> bool:
    """Whether the sentence that holds both ends plainly denies the relation; False if none holds both."""
    if sentence is None:
        return False
    start, end = sentence
    spans = [(mention.start - start, mention.end - start) for mention in (head, tail)]
    return is_denied(text[start:end], *spans)


def _reject(reason: str, candidate: CandidateTriple) -> Rejected:
    said = f"{candidate.head} | {candidate.predicate} | {candidate.tail}"
    return Rejected(reason, f"{said} | {candidate.quote}" if reason.startswith("quote") else said)
