"""Questions for a number ("how many mice were used?"), and the sentences that give one.

A sentence without a number is no answer to them, however near to the question it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kg_pipeline.vocabulary.names.words import words
from retrieval.words.terms import STOP_WORDS, Token, singular, stem, tokenise

_HOW_MANY = re.compile(r"\bhow\s+many\b", re.IGNORECASE)
_SHARE = re.compile(
    r"\b(?:what|which)\s+(?:\w+\s+)?(?:(?:percentage|percent|proportion)\b|(?:fraction|share)\s+of\b)",
    re.IGNORECASE,
)
#: A measure is asked for where the question goes on with it, not where it is part of another name ("dose-limiting").
_MEASURE = re.compile(
    r"\bhow\s+long\b(?!\s+(?:non-?coding|noncoding|RNAs?)\b)"
    r"|\b(?:what|which)\s+(?:\w+\s+)?(?:number|dose|dosage|concentration)s?\s+(?:of|is|are|was|were|do|does|did)\b",
    re.IGNORECASE,
)
_NUMBERS = words(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand no none"
)
_COUNT = rf"(?:\d|{'|'.join(sorted(_NUMBERS))})"
_A_SHARE = re.compile(
    r"\d\s*%|\bper\s?cent\b|\b(?:half|thirds?|quarters?)\b"
    r"|\b0?\.\d+\s+of\b|\b\d+\s*/\s*\d+\b"
    rf"|\b\d*{_COUNT}\s+(?:out\s+)?(?:of|in)\s+(?:the\s+)?{_COUNT}",
    re.IGNORECASE,
)
#: Words before a number that is part of a name or says where something stands ("type 2 diabetes", "Figure 1").
_LABELS = words("figure fig table section ref type phase class grade stage day")
#: Units: what a number before them measures is not counted.
_UNITS = words("g kg mg ml mm cm nm h hour day week month year fold")
#: Tokens from what is counted to a number after it, and from a number to what it counts ("45 adult and elderly patients").
_NEAR, _AHEAD = 4, 8


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number that is asked for; `counted` is the stem of what is counted, empty where no things are."""

    counted: str = ""
    is_share: bool = False

    def is_in(self, text: str) -> bool:
        """Whether a text gives such a number."""
        if self.is_share:
            return _A_SHARE.search(text) is not None
        tokens = tokenise(text)
        places = [at for at in range(len(tokens)) if _is_number(tokens, at)]
        if not self.counted:
            return bool(places)
        things = [at for at, token in enumerate(tokens) if _form(token) == self.counted]
        counts = [at for at in places if not self._measures_another(tokens, at)]
        return any(-_NEAR <= thing - at <= _AHEAD for at in counts for thing in things)

    def _measures_another(self, tokens: tuple[Token, ...], at: int) -> bool:
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        return (
            following is not None and singular(following.text) in _UNITS and _form(following) != self.counted
        )


def asked_quantity(question: str) -> Quantity | None:
    """The number that a question asks for; None if it asks for none.

    >>> asked_quantity("how many mice were used?").is_in("Twelve mice were injected.")
    True
    >>> asked_quantity("how many mice were used?").is_in("Mice were injected with 5 mg.")
    False
    """
    found = _HOW_MANY.search(question)
    if found:
        after = [token for token in tokenise(question[found.end() :]) if token.text not in STOP_WORDS]
        return Quantity(_form(after[0]) if after else "")
    if _SHARE.search(question):
        return Quantity(is_share=True)
    return Quantity() if _MEASURE.search(question) else None


def _form(token: Token) -> str:
    return stem(singular(token.text))


def _is_number(tokens: tuple[Token, ...], at: int) -> bool:
    token = tokens[at]
    if token.text in _NUMBERS:
        return True
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    named = (
        token.glued
        or token.hyphened
        or (following is not None and following.glued and len(following.text) == 1)
    )
    return token.is_number and not named and not (at and singular(tokens[at - 1].text) in _LABELS)
