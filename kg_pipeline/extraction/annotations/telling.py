"""Whether a sentence has a word for what a relation says of two of its names, so that it states it and not only names both."""

from __future__ import annotations

import re
from functools import cache

from kg_pipeline.vocabulary.predicates import PREDICATES

#: Says no more than that two things have to do with each other; what a sentence that names both bears at least.
ASSOCIATED = "associated_with"
_WEAK = frozenset({ASSOCIATED, "related_to"})
#: Predicates without a sign that words for more or less express, and the signs of those words.
_SIGNS = {"correlated_with": (1,), "regulates": (1, -1), **dict.fromkeys(_WEAK, (1, -1))}


def tells(predicate: str, sentence: str) -> bool:
    """Whether the sentence has a word for the predicate, or for another one of the same sign.

    >>> tells("treats", "Gold reduced the swelling."), tells("treats", "Gold and the swelling were measured.")
    (True, False)
    """
    return _words(predicate).search(sentence) is not None


def needs_words(predicate: str) -> bool:
    """Whether the predicate says more than that two things have to do with each other."""
    return predicate not in _WEAK


@cache
def _words(predicate: str) -> re.Pattern[str]:
    known = PREDICATES[predicate]
    signs = _SIGNS.get(predicate, (known.sign,) if known.sign else ())
    words = {
        word
        for each in PREDICATES.values()
        if each.name == predicate or (each.sign and each.sign in signs)
        for word in each.words
    }
    # The "y" and "e" that other forms change: "reduce", "reducing"; "modify", "modified".
    stems = "|".join(sorted(re.escape(re.sub(r"[ey]$", "", word)) for word in words))
    return re.compile(rf"\b(?:{stems or '(?!)'})\w*", re.IGNORECASE)
