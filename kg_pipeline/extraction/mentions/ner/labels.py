"""Spans to token labels and back: B, I, E and S for the place in a name, O outside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kg_pipeline.extraction.mentions.ner.tokens import Token

OUTSIDE = "O"


def encode(tokens: Sequence[Token], spans: Iterable[tuple[int, int, str]]) -> list[str]:
    """A label for every token; names (start, end, kind) that end inside a token take the whole token."""
    labels = [OUTSIDE] * len(tokens)
    for start, end, kind in spans:
        inside = [index for index, token in enumerate(tokens) if token.start < end and token.end > start]
        if not inside or any(labels[index] != OUTSIDE for index in inside):
            continue
        first, last = inside[0], inside[-1]
        if first == last:
            labels[first] = f"S-{kind}"
            continue
        labels[first], labels[last] = f"B-{kind}", f"E-{kind}"
        for index in range(first + 1, last):
            labels[index] = f"I-{kind}"
    return labels


def decode(labels: Sequence[str]) -> list[tuple[int, int, str]]:
    """Names as (first token, last token, kind); a name that breaks off ends where its label does."""
    spans: list[tuple[int, int, str]] = []
    first = None
    for index, label in enumerate(labels):
        place, _, kind = label.partition("-")
        following = labels[index + 1] if index + 1 < len(labels) else OUTSIDE
        if place == OUTSIDE:
            first = None
            continue
        if first is None or place in "BS":
            first = index
        if place in "ES" or following not in (f"I-{kind}", f"E-{kind}"):
            spans.append((first, index, kind))
            first = None
    return spans
