"""Words of a question that an article need not repeat: what an abbreviation in brackets says again, and parts of compounds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from kg_pipeline.graph.reader import Vector
from retrieval.words.cues import EmbedName
from retrieval.words.terms import Token

_SHORT_FORM = re.compile(r"\(([A-Za-z][A-Za-z0-9-]{1,9})\)")
_MOSTLY = 0.5  # of the longer words, from which capitals are how a question is set and no sign of a name
_TURN = 0.3  # how far a word that matters turns the vector of a question of one word, at least, as 1 - cosine
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


def asides(
    text: str, words: Iterable[Token], length: int, vector: Vector, embed: EmbedName
) -> frozenset[int]:
    """Starts of the words without which a question asks the same: "options" in "treatment options for lupus".

    Leaving such a word out hardly turns the question's vector. How far it may turn falls with the number of words, since
    each has a smaller part in the meaning of a long question.

    Parameters
    ----------
    text
        The question.
    words
        Words of it that name nothing.
    length
        Number of its words.
    vector
        Its unit vector.
    embed
        Gives the unit vector of a text.

    """
    found = set()
    for token in words:
        without = " ".join(f"{text[: token.start]} {text[token.end :]}".split())
        if without and 1.0 - float(embed(without) @ vector) <= _TURN / length:
            found.add(token.start)
    return frozenset(found)


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
