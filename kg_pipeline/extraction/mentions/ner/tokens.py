"""Tokens of the recogniser: runs of letters and digits, and every other sign by itself.

Annotators end names at hyphens, brackets and slashes, so each sign is a token: of 31,000 annotated names of BC5CDR,
NCBI-disease and BioRED all but 80 start and end on a border of these tokens.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from kg_pipeline.vocabulary.names.folding import GREEK

_TOKEN = re.compile(r"[^\W_]+|[^\s]")
_GREEK = str.maketrans(
    {**GREEK, **{letter.upper(): name for letter, name in GREEK.items() if letter not in "ßµ"}}
)


class Token(NamedTuple):
    """A token of a sentence; `start` and `end` count from the start of the sentence."""

    text: str
    start: int
    end: int


def tokenize(sentence: str) -> list[Token]:
    """Tokens of a sentence by position."""
    return [Token(found[0], found.start(), found.end()) for found in _TOKEN.finditer(sentence)]


@lru_cache(maxsize=65_536)
def fold_token(text: str) -> str:
    """Lower case with Greek letters spelled out; empty for signs, which do not tell names apart."""
    if not text[0].isalnum():
        return ""
    return text.lower().translate(_GREEK) if not text.isascii() else text.lower()
