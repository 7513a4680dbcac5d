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
#: Units and how they are shortened: what a number before them measures is not counted, unless it is asked for.
_SHORTENED = {
    "second": "s sec",
    "minute": "min",
    "hour": "h hr",
    "day": "d",
    "week": "w wk",
    "month": "mo",
    "year": "y yr",
    "gram": "g",
    "milligram": "mg",
    "kilogram": "kg",
    "litre": "l liter",
    "millilitre": "ml milliliter",
    "millimetre": "mm millimeter",
    "centimetre": "cm centimeter",
    "nanometre": "nm nanometer",
    "fold": "",
}
_UNITS = {form: unit for unit, short in _SHORTENED.items() for form in (unit, *short.split())}
#: Words that may open what a number counts ("three of the rats"), and stand in it ("three old and young rats").
_OPENING = words("of out the these those our all")
_WITHIN = words("and or other")
#: Words after which a number is of what stands before them ("rats (n = 8)").
_BEFORE_A_COUNT = words("n is are was were numbered totalled")
_NEAR = 4  # tokens from what is counted to such a number


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
        return any(self._counts(text, tokens, at) for at in places)

    def _counts(self, text: str, tokens: tuple[Token, ...], at: int) -> bool:
        """Whether the number at a place counts what is asked for: the next noun, or one shortly before it."""
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        unit = _unit(following)
        if unit:
            return stem(unit) == self.counted
        opens = True
        for place in range(at + 1, len(tokens)):
            word, apart = tokens[place].text, text[tokens[place - 1].end : tokens[place].start]
            if _form(tokens[place]) == self.counted:
                return True
            opens = opens and word in _OPENING
            passes = opens or word in _WITHIN or word not in STOP_WORDS
            # A comma parts adjectives; before "and" it ends what is counted.
            ends = apart.strip(" ,-‐‑–/'’") != "" or ("," in apart and word in _WITHIN)
            if not passes or ends or _is_number(tokens, place):
                break
        before = tokens[max(at - _NEAR, 0) : at]
        is_count = bool(before) and (
            before[-1].text in _BEFORE_A_COUNT or "=" in text[before[-1].end : tokens[at].start]
        )
        return is_count and any(_form(token) == self.counted for token in before)


def asked_quantity(question: str) -> Quantity | None:
    """The number that a question asks for; None if it asks for none.

    >>> asked_quantity("how many mice were used?").is_in("Twelve mice were injected.")
    True
    >>> asked_quantity("how many mice were used?").is_in("Mice were injected with 5 mg.")
    False
    """
    found = _HOW_MANY.search(question)
    if found:
        said = tokenise(question[found.end() :])
        after = [token for token in said if token.text not in STOP_WORDS]
        if said and said[0].text in _BEFORE_A_COUNT:
            after = []  # "how many were treated?"
        return Quantity(stem(_unit(after[0]) or singular(after[0].text)) if after else "")
    if _SHARE.search(question):
        return Quantity(is_share=True)
    return Quantity() if _MEASURE.search(question) else None


def _form(token: Token) -> str:
    return stem(singular(token.text))


def _unit(token: Token | None) -> str:
    """The unit that a word after a number is, written out; empty where it is none."""
    return _UNITS.get(token.text, _UNITS.get(token.text.removesuffix("s"), "")) if token is not None else ""


def _is_number(tokens: tuple[Token, ...], at: int) -> bool:
    token = tokens[at]
    if token.text in _NUMBERS:
        return True
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    named = (
        token.glued
        or token.hyphened
        or (following is not None and following.glued and len(following.text) == 1 and not _unit(following))
    )
    return token.is_number and not named and not (at and singular(tokens[at - 1].text) in _LABELS)
