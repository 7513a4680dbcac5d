"""What the recogniser sees of one word by itself: form, affixes, shape, place in the tables of word classes."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kg_pipeline.extraction.mentions.ner.tokens import fold_token

_VOWELS = re.compile(r"[aeiouy]")
_RUNS = re.compile(r"(.)\1+")
#: The feature of a word without a class.
NO_CLASS = "c?"
_ROMAN = re.compile(r"[IVX]+")


def shape(text: str) -> str:
    """Kind of every character: `Tp53` is `Aa00`, other letters and signs stand for themselves."""
    return "".join(
        "A" if c.isupper() else "a" if c.islower() else "0" if c.isdigit() else c for c in text[:14]
    )


def word_features(text: str) -> list[str]:
    """Features of a token by itself, the same wherever it stands."""
    folded = fold_token(text)
    if not folded:
        return ["w=" + text, "p"]
    lower = text.lower()
    pattern = shape(text)
    features = [
        "w=" + folded,
        "s=" + pattern,
        "b=" + _RUNS.sub(r"\1", pattern),
        "l=" + str(min(len(text), 12)),
    ]
    if text != lower:
        features.append("W=" + text)
    size = len(folded)
    for length in (2, 3, 4, 5):
        if size > length:
            features.append("<" + folded[:length])
            features.append(">" + folded[-length:])
    if text[0].isupper():
        features.append("cap")
    if any(c.isdigit() for c in text):
        features.append("dig")
        if any(c.isalpha() for c in text):
            features.append("alnum")
    elif text.isupper():
        features.append("upper")
        if size > 2 and not _VOWELS.search(folded):
            features.append("cons")
    if _ROMAN.fullmatch(text):
        features.append("roman")
    if folded != lower:
        features.append("greek")
    return features


class WordClasses:
    """Classes of words by the company they keep, in several sizes: a row of class numbers for each word."""

    def __init__(self, words: Sequence[str], numbers: npt.NDArray[np.uint16]) -> None:
        self._words, self._numbers = words, numbers
        self._rows = {word: row for row, word in enumerate(words)}

    @classmethod
    def none(cls) -> WordClasses:
        """No classes at all."""
        return cls((), np.zeros((0, 0), np.uint16))

    def of(self, text: str) -> tuple[str, ...]:
        """Class features of a token; one that says so for words without a class."""
        folded = fold_token(text) or text
        row = self._rows.get("0" if folded.isdigit() else folded)
        if row is None:
            return (NO_CLASS,)
        return tuple(f"c{size}={number}" for size, number in enumerate(self._numbers[row]))

    def table(self) -> tuple[Sequence[str], npt.NDArray[np.uint16]]:
        """The words, and the class numbers of each."""
        return self._words, self._numbers
