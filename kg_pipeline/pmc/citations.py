"""Take bibliographic citations out of running text without leaving their brackets and commas behind.

The inline renderer marks each citation as `OPEN text CLOSE`; the two marks are control characters that XML cannot
contain. `drop_citations` removes numeric citations everywhere and every citation inside brackets. An
author-year citation that is a word of its sentence ("Smith et al. (2010) showed …") stays, or the sentence
would lose its subject.
"""

from __future__ import annotations

import re

OPEN, CLOSE = "\x01", "\x02"

_ITEM = f"{OPEN}[^{CLOSE}]*{CLOSE}"
_PLAIN = rf"[^()\[\]{OPEN}{CLOSE}]"
_BRACKETED = re.compile(rf"[(\[]((?:{_PLAIN}*{_ITEM})+{_PLAIN}*)[)\]]")
_RUN = re.compile(rf"{_ITEM}(?:(?:[\s,;&/–—−-]|\band\b)*{_ITEM})*")
_CITATION = re.compile(rf" ?{_ITEM}")
_ONLY_SEPARATORS = re.compile(r"(?:[\s,;:.&/–—−()\[\]-]|and\b|to\b)*", re.IGNORECASE)
#: Words that only introduce a citation: "(reviewed in 12)", "(see, for example, refs. 3, 4)".
_LEAD = frozenset(
    {
        "a", "al", "also", "and", "as", "by", "cf", "details", "e", "eg", "et", "example", "examples", "for", "from", "g",
        "i", "ie", "in", "of", "or", "other", "others", "ref", "reference", "references", "refs", "review", "reviewed",
        "reviews", "see", "the", "therein", "to", "with",
    }
)  # fmt: skip
_HANGING_LEAD = re.compile(r"(?:see(?: also)?|reviewed in|cf\.?)\s*[,;]\s*", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_AUTHOR = re.compile(r"\b(?!refs?\b|and\b)[^\W\d_]{2,}", re.IGNORECASE)
#: Signs that carry meaning without a word, as in "(+)" or "(→)".
_VALUE = re.compile(r"[+=<>%±→↑↓*†‡§¶#]")
_TWICE = re.compile(r"([,;])\s*(?:[,;]\s*)+")
_SEPARATORS = " ,;&–—-"
# Where citations were taken out, until the punctuation around them is mended.
_GAP = "\x03"


def only_separators(text: str) -> bool:
    """Whether nothing but brackets and separators is left beside the marked citations."""
    return _ONLY_SEPARATORS.fullmatch(re.sub(_ITEM, "", text)) is not None


def drop_citations(text: str) -> str:
    """`text` without its marked citations, see the module's rule. White space must be tidy before and is not after."""
    if OPEN not in text:
        return text
    first, *rest = _RUN.sub(_in_sentence, _BRACKETED.sub(_bracketed, text)).split(_GAP)
    for following in rest:
        first = _mend(first, following)
    return first


def _bracketed(match: re.Match[str]) -> str:
    """What stays of a bracket once its citations are gone; a gap if that is nothing but an introduction to them."""
    left = _CITATION.sub("", match.group(1)).strip(_SEPARATORS)
    if not left:
        return _GAP
    left = _TWICE.sub(r"\1 ", left).strip(_SEPARATORS)
    left = _HANGING_LEAD.sub("", left, count=1)
    if _LEAD.issuperset(map(str.lower, _WORD.findall(left))) and not _VALUE.search(left):
        return _GAP
    return f"{match.group()[0]}{left}{match.group()[-1]}"


def _in_sentence(match: re.Match[str]) -> str:
    run = match.group()
    return run.replace(OPEN, "").replace(CLOSE, "") if _AUTHOR.search(run) else _GAP


def _mend(before: str, after: str) -> str:
    """Join the texts on both sides of a gap: no empty brackets, no doubled or stray separators, no glued words."""
    bare_before, bare_after = before.rstrip(" ,;"), after.lstrip(" ")
    if bare_before.endswith(("(", "[")):
        bare_after = after.lstrip(" ,;")
        if bare_after.startswith((")", "]")):  # the bracket held nothing else, and is part of the gap
            return _mend(bare_before[:-1].rstrip(" "), bare_after[1:])
        return bare_before + bare_after
    if bare_after.startswith((")", "]")):
        return bare_before + bare_after
    if bare_after.startswith((",", ";", ".")):
        return bare_before + bare_after
    if bare_after.startswith((":", "?", "!")):
        return before.rstrip(" ") + bare_after
    if before and not before[-1].isspace() and after[:1].isalnum():
        return f"{before} {after}"
    return before + after
