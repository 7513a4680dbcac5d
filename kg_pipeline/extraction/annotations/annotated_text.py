"""Relations between annotated mentions of a text, and the words of the text in which both ends are named.

Formats that mark mentions by offsets (PubTator, BioC) give the text that the offsets are of. That text is never quite
the text of our document, so offsets are turned into words: from the first of two mentions to the second. These words
are then looked for as any quote is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kg_pipeline.extraction.annotations.identifiers import distinct
from kg_pipeline.extraction.annotations.records import (
    MOST_IDENTIFIERS,
    MOST_NAMES,
    BroughtEntity,
    storable,
)
from kg_pipeline.extraction.grounding.triples import NAMED_THING

Span = tuple[int, int]
#: Longer ones span more than a sentence, in characters.
_LONGEST_STRETCH = 600
_MOST_STRETCHES = 8
#: Mentions of one end that are looked at.
_MOST_PLACES = 200


@dataclass(frozen=True, slots=True)
class AnnotatedMention:
    """A marked name: `passages[passage][start:end]`, or no place (`span` is None) where its offsets do not fit the text.

    `raw` are its identifiers as relations of the same document refer to them.
    """

    text: str
    category: str
    raw: frozenset[str]
    identifiers: tuple[str, ...]
    passage: int = 0
    span: Span | None = None


def by_identifier(mentions: Iterable[AnnotatedMention]) -> dict[str, list[AnnotatedMention]]:
    """Mentions by each identifier that relations of the document may refer to them by."""
    found: dict[str, list[AnnotatedMention]] = {}
    for mention in mentions:
        for raw in mention.raw:
            found.setdefault(raw, []).append(mention)
    return found


def entity_of(mentions: Sequence[AnnotatedMention], identifiers: Iterable[str] = ()) -> BroughtEntity:
    """What mentions of one thing say of it: its names, the commonest first, identifiers and category."""
    names = Counter(mention.text for mention in mentions)
    every = [*identifiers, *(each for mention in mentions for each in mention.identifiers)]
    categories = [mention.category for mention in mentions if mention.category != NAMED_THING]
    return BroughtEntity(
        distinct((name for name, _ in names.most_common()), MOST_NAMES),
        distinct(every, MOST_IDENTIFIERS),
        categories[0] if categories else NAMED_THING,
    )


def stretches(
    passages: Sequence[str], heads: Sequence[AnnotatedMention], tails: Sequence[AnnotatedMention]
) -> tuple[str, ...]:
    """The words from a mention of one end to the nearest mentions of the other one, shortest first."""
    found = set()
    others = tails[:_MOST_PLACES]
    for head in heads[:_MOST_PLACES]:
        for number, span in (_nearest(head, others, after=False), _nearest(head, others, after=True)):
            if span is not None and span[1] - span[0] <= _LONGEST_STRETCH:
                found.add(storable(passages[number][slice(*span)]))
    return tuple(sorted(found, key=lambda words: (len(words), words)))[:_MOST_STRETCHES]


def _nearest(
    head: AnnotatedMention, tails: Sequence[AnnotatedMention], *, after: bool
) -> tuple[int, Span | None]:
    """Passage and span from the mention to the nearest of the others on one side of it."""
    if head.span is None:
        return 0, None
    start, end = head.span
    same = [tail.span for tail in tails if tail.span is not None and tail.passage == head.passage]
    if after:
        others = [(start, span[1]) for span in same if span[0] >= end]
    else:
        others = [(span[0], end) for span in same if span[1] <= start]
    return head.passage, min(others, key=lambda span: span[1] - span[0], default=None)


def place(text: str, start: int, end: int, name: str) -> Span | None:
    """Where a name stands in a text by offsets that count code points, UTF-16 units or bytes of UTF-8; None if nowhere.

    >>> place("β-cell loss", 0, 6, "β-cell"), place("β-cell loss", 0, 7, "β-cell"), place("β-cell loss", 3, 9, "β-cell")
    ((0, 6), (0, 6), None)
    """
    if not 0 <= start < end:
        return None
    if text[start:end] == name:
        return start, end
    if text.isascii():
        return None
    for encoding, unit in (("utf-16-le", 2), ("utf-8", 1)):
        encoded = text.encode(encoding, errors="surrogatepass")
        if encoded[start * unit : end * unit].decode(encoding, errors="replace") == name:
            first = len(encoded[: start * unit].decode(encoding, errors="ignore"))
            return (first, first + len(name)) if text.startswith(name, first) else None
    return None
