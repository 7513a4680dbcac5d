"""Verification of a draft: every quote exists where it claims to be, and supports the sentence that cites it.

The check is lexical and errs towards refusing. A quote supports a claim if it has the claim's content words (another
name of an entity of the same relation counts as that name), its numbers, its polarity, its direction of effect, and who acts on whom.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kg_pipeline.graph.reader import Entity, GraphReader
from retrieval.answer import Checks
from retrieval.evidence import Quote, stands_in
from retrieval.reasoning.reasoner import DraftSentence
from retrieval.words.direction import acts, reverses
from retrieval.words.terms import (
    RELATION_STEMS,
    Name,
    content_stems,
    coverage,
    directions,
    find_name,
    is_negated,
    name_keys,
    numbers,
    stem,
    tokenise,
    topic_stems,
)

_NAMES_COMPARED = 40


@dataclass(frozen=True, slots=True)
class VerifySettings:
    """`overlap`: share of a claim's content words that its quotes must have.

    `entailment`: also ask the language model, where there is one, about the sentences that it wrote
    (`retrieval.answers.entailment`); one more call an answer.
    """

    overlap: float = 0.6
    entailment: bool = True


def verify(
    reader: GraphReader,
    sentences: Sequence[DraftSentence],
    offered: Iterable[Quote],
    entities: Iterable[Entity],
    settings: VerifySettings | None = None,
) -> tuple[list[DraftSentence], Checks]:
    """Sentences that their quotes support, and the count of what was done.

    Quotes that are not among `offered` (what was retrieved), or are not in the text of their chunk, are dropped. A
    sentence the rest does not support gets the offered quote that does ("repaired"), or is left out ("removed").
    """
    settings = settings or VerifySettings()
    pool = {quote.key: quote for quote in offered}
    genuine = _genuine(reader, [*pool.values()])
    known = {key: quote for key, quote in pool.items() if key in genuine}
    names = [name_keys([entity.name, *entity.aliases[:_NAMES_COMPARED]]) for entity in entities]
    kept: list[DraftSentence] = []
    supported = repaired = removed = 0
    for item in sentences:
        quotes = tuple(quote for quote in item.quotes if quote.key in known)
        intact = len(quotes) == len(item.quotes)
        if quotes and supports(item, quotes, names, settings):
            kept.append(replace(item, quotes=quotes))
            supported += intact
            repaired += not intact
            continue
        other = _supporting(item, known, names, settings)
        if other is None:
            removed += 1
            continue
        kept.append(replace(item, quotes=(other,)))
        repaired += 1
    return kept, Checks(offered=len(sentences), supported=supported, repaired=repaired, removed=removed)


def supports(
    item: DraftSentence, quotes: Sequence[Quote], names: Sequence[Sequence[Name]], settings: VerifySettings
) -> bool:
    """Whether the quotes together support the sentence's claim."""
    claim = item.text if item.claim is None else item.claim
    if not claim:
        return len({quote.key for quote in quotes}) >= 1
    if item.kind == "quote" and len(quotes) == 1:
        return _plain(claim).rstrip(".") == _plain(quotes[0].text).rstrip(".")
    text = " \n ".join(quote.text for quote in quotes)
    spans = _equivalents(claim, quotes, names)
    covered = {stem(token.text) for start, end in spans for token in tokenise(claim[start:end])}
    wanted = [word for word in topic_stems(claim) if word not in covered and stem(word) not in RELATION_STEMS]
    have = content_stems(text)
    if len(wanted) > 0 and coverage(wanted, have) < settings.overlap:
        return False
    # The quote may write PLK1 where the claim has polo-like kinase 1: digits of a name are no figure.
    if not numbers(_without(claim, spans)) <= numbers(text):
        return False
    return (
        _same_polarity(claim, quotes) and _same_direction(claim, quotes) and _same_actor(claim, quotes, names)
    )


def _plain(text: str) -> str:
    return " ".join(text.split())


def _equivalents(
    claim: str, quotes: Sequence[Quote], names: Sequence[Sequence[Name]]
) -> list[tuple[int, int]]:
    """Where the claim names an entity that the quotes mention too, by whichever name."""
    tokens = tokenise(claim)
    read = [
        tokenise(text) for quote in quotes for text in (quote.text, quote.head_text, quote.tail_text) if text
    ]
    found = []
    for keys in names:
        here = find_name(tokens, keys)
        if here and any(find_name(other, keys) for other in read):
            found.append((tokens[here[0]].start, tokens[here[1] - 1].end))
    return found


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    kept = list(text)
    for start, end in spans:
        kept[start:end] = " " * (end - start)
    return "".join(kept)


def _same_polarity(claim: str, quotes: Sequence[Quote]) -> bool:
    """A denial needs a quote that denies; an affirmation needs one that does not."""
    denied = is_negated(claim)
    return any(is_negated(quote.text) == denied for quote in quotes)


def _same_direction(claim: str, quotes: Sequence[Quote]) -> bool:
    """A claim of one direction of effect is not supported by quotes that all express only the other one."""
    wanted = directions(claim)
    if len(wanted) != 1:
        return True
    expressed = [found for quote in quotes if (found := directions(quote.text))]
    return not expressed or any(wanted & found for found in expressed)


def _same_actor(claim: str, quotes: Sequence[Quote], names: Sequence[Sequence[Name]]) -> bool:
    """A claim that one thing acts on another is not supported by quotes in which only the other acts on the one."""
    claimed = acts(claim, names)
    if not claimed:
        return True
    stated = frozenset(act for quote in quotes for act in acts(quote.text, names))
    return not reverses(claimed, stated)


def _supporting(
    item: DraftSentence,
    known: Mapping[tuple[str, int, int], Quote],
    names: Sequence[Sequence[Name]],
    settings: VerifySettings,
) -> Quote | None:
    """The offered quote with most of the sentence's words that supports it; sentences of more than one quote stay as they are."""
    if item.kind in {"contradiction", "inference", "quote"}:
        return None
    wanted = content_stems(item.text)
    ranked = sorted(
        known.values(), key=lambda quote: (-coverage(wanted, content_stems(quote.text)), quote.key)
    )
    return next((quote for quote in ranked[:5] if supports(item, (quote,), names, settings)), None)


def _genuine(reader: GraphReader, quotes: Sequence[Quote]) -> frozenset[tuple[str, int, int]]:
    """Keys of quotes that stand in their chunk at their offsets."""
    chunks = {chunk.chunk_id: chunk for chunk in reader.chunks(sorted({quote.chunk_id for quote in quotes}))}
    found = set()
    for quote in quotes:
        chunk = chunks.get(quote.chunk_id)
        if chunk is not None and stands_in(quote, chunk):
            found.add(quote.key)
    return frozenset(found)
