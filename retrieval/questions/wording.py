"""Words of a question that an article need not repeat: what an abbreviation in brackets says again, and parts of compounds."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from retrieval.words.terms import Token

_SHORT_FORM = re.compile(r"\(([A-Za-z][A-Za-z0-9-]{1,9})\)")
_MOSTLY = 0.5  # of the longer words, from which capitals are how a question is set and no sign of a name
_TELLING = 3  # letters; shorter words are capitals anyway (IL, THA)


def spelled_out(text: str, tokens: Sequence[Token]) -> frozenset[int]:
    """Starts of the words that an abbreviation after them stands for: "international normalised ratio (INR)".

    Its letters are the initials of the words before it; who writes the one need not write the other.
    """
    found: set[int] = set()
    for match in _SHORT_FORM.finditer(text):
        letters = match.group(1).lower().removesuffix("s")
        before = [token for token in tokens if token.end <= match.start()][-len(letters) :]
        if len(letters) > 1 and "".join(token.text[0] for token in before) == letters:
            found.update(token.start for token in before)
    return frozenset(found)


def places(tokens: Sequence[Token]) -> frozenset[int]:
    """Starts of the words after "in the": "in the UK", "in the ICU".

    They say where something was studied, which an article need not repeat; a thing that is studied stands without the
    article ("in COPD").
    """
    return frozenset(
        token.start
        for before, article, token in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if (before.text, article.text) == ("in", "the")
    )


def joined_compounds(tokens: Sequence[Token], is_known: Callable[[str], bool]) -> list[Token]:
    """The words, with two that a hyphen joins as one where the corpus writes them so ("peri-sinusoidal").

    `is_known` says whether any passage has a word; only words that none has are looked at.
    """
    merged: list[Token] = []
    for token in tokens:
        last = merged[-1] if merged else None
        if (
            last is not None
            and token.hyphened
            and last.end + 1 == token.start
            and last.text.isalpha()
            and token.text.isalpha()
            and not (is_known(last.text) and is_known(token.text))
            and is_known(last.text + token.text)
        ):
            merged[-1] = replace(last, text=last.text + token.text, end=token.end)
        else:
            merged.append(token)
    return merged


def is_set_in_capitals(text: str, tokens: Sequence[Token]) -> bool:
    """Whether a question is written in capitals throughout."""
    words = [text[token.start : token.end] for token in tokens]
    telling = [word for word in words if len(word) > _TELLING and word.isalpha()]
    return len(telling) > 1 and sum(word.isupper() for word in telling) > _MOSTLY * len(telling)
