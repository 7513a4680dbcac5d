"""Take bibliographic citations out of running text without leaving their brackets and commas behind.

The inline renderer marks each citation as `OPEN text CLOSE`; the two marks are control characters that XML cannot
contain. `drop_citations` removes numeric citations and every citation inside brackets. A citation that is a word of its
sentence stays, or the sentence would lose it: one by author and year ("Smith et al. (2010) showed …"), and a number that
a preposition leads to ("as described in [12].").
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
#: What a citation that is a word of its sentence stands after, and before.
_LEADING = frozenset(
    {"at", "by", "following", "from", "in", "of", "on", "ref", "refs", "reference", "references", "than", "to", "using", "with"}
)  # fmt: skip
_BREAK = re.compile(r"\s*(?:$|[,;:]|\.(?!\w)|(?:and|or|but|as|for|is|are|was|were|with|to|who|which|that)\b)")
_NAMED = re.compile(r"[\[(A-Za-z]")
_WORD_BEFORE = 16
#: Characters before a gap that mending it may change.
_KEPT = 4096
_SEPARATORS = " ,;&–—-"
_ITEMS = re.compile(rf"[{_SEPARATORS}]*(?:{_ITEM}[{_SEPARATORS}]*)*")
#: Citations without a text of their own, for which a page would print the number.
_ITEMS_OF_NOTHING = re.compile(rf"(?:{OPEN}\s*{CLOSE}|[\s{_SEPARATORS}]|\band\b)*")
# Where citations were taken out, until the punctuation around them is mended.
_GAP = "\x03"
_ENCLOSED = re.compile(rf"\(([^()]*{_GAP}[^()]*)\)")


def only_separators(text: str) -> bool:
    """Whether nothing but brackets and separators is left beside the marked citations."""
    return _ONLY_SEPARATORS.fullmatch(re.sub(_ITEM, "", text)) is not None


def drop_citations(text: str) -> str:
    """`text` without its marked citations, see the module's rule. White space must be tidy before and is not after."""
    if OPEN not in text:
        return text
    text = _without_bracketed(text)
    if OPEN in text:
        text = _RUN.sub(_in_sentence, text)
    end, *rest = _ENCLOSED.sub(_enclosed, text).split(_GAP)
    done: list[str] = []
    for following in rest:
        end = _mend(end, following)
        if len(end) > _KEPT:  # only the end of what was put together can still change
            done.append(end[:-_KEPT])
            end = end[-_KEPT:]
    return "".join((*done, end))


def _without_bracketed(text: str) -> str:
    """The text without its citations inside brackets.

    Goes from citation to citation: having the expression look at every bracket of the text takes four times as long.
    """
    kept: list[str] = []
    position = seen = 0  # a bracket before `seen` has been tried
    while (mark := text.find(OPEN, seen)) >= 0:
        opening = max(text.rfind("(", seen, mark), text.rfind("[", seen, mark))
        match = _BRACKETED.match(text, opening) if opening >= 0 else None
        if match is None:
            seen = mark + 1
        else:
            kept += (text[position:opening], _bracketed(match))
            position = seen = match.end()
    kept.append(text[position:])
    return "".join(kept)


def _bracketed(match: re.Match[str]) -> str:
    """What stays of a bracket once its citations are gone; a gap if that is nothing but an introduction to them."""
    inside = match.group(1)
    if _is_word(match):
        return match.group().replace(OPEN, "").replace(CLOSE, "")
    if _ITEMS.fullmatch(inside):
        return _GAP
    left = _CITATION.sub("", inside).strip(_SEPARATORS)
    left = _TWICE.sub(r"\1 ", left).strip(_SEPARATORS)
    left = _HANGING_LEAD.sub("", left, count=1)
    return _GAP if _only_leads(left) else f"{match.group()[0]}{left}{match.group()[-1]}"


def _enclosed(match: re.Match[str]) -> str:
    """A bracket around a bracket with citations: `(see [12] and references therein)`."""
    return _GAP if _only_leads(match.group(1)) else match.group()


def _only_leads(text: str) -> bool:
    """Whether nothing is left but words that introduce a citation."""
    return _LEAD.issuperset(map(str.lower, _WORD.findall(text))) and not _VALUE.search(text)


def _is_word(match: re.Match[str]) -> bool:
    """Whether the sentence would lack a word without these citations."""
    words = match.string[max(match.start() - _WORD_BEFORE, 0) : match.start()].split()
    return (
        bool(words)
        and words[-1].rstrip(".").lower() in _LEADING
        and _BREAK.match(match.string, match.end()) is not None
    )


def _in_sentence(match: re.Match[str]) -> str:
    run = match.group()
    if _ITEMS_OF_NOTHING.fullmatch(run):
        return _GAP
    if _is_word(match):
        text = run.replace(OPEN, "").replace(CLOSE, "")
        space = "" if match.string[match.start() - 1].isspace() else " "
        return f"{space}{text}" if _NAMED.search(text) else f"{space}[{text}]"
    return run.replace(OPEN, "").replace(CLOSE, "") if _AUTHOR.search(run) else _GAP


def _mend(before: str, after: str) -> str:
    """Join the texts on both sides of a gap: no empty brackets, no doubled or stray separators, no glued words."""
    bare_before, bare_after = before.rstrip(" ,;"), after.lstrip(" ")
    if not bare_before:
        return after.lstrip(" ,;").removeprefix(". ")
    while bare_before.endswith(("(", "[")):
        bare_after = after.lstrip(" ,;")
        if not bare_after.startswith((")", "]")):
            return bare_before + bare_after
        # The bracket held nothing else, and is part of the gap.
        before, after = bare_before[:-1].rstrip(" "), bare_after[1:]
        bare_before, bare_after = before.rstrip(" ,;"), after.lstrip(" ")
    if bare_after.startswith((")", "]", ",", ";", ".")):
        is_twice = (
            bare_before.endswith(".") and bare_after.startswith(".") and not bare_after.startswith("..")
        )
        return bare_before + bare_after[is_twice:]
    if bare_after.startswith((":", "?", "!")):
        return before.rstrip(" ") + bare_after
    if before and not before[-1].isspace() and after[:1].isalnum():
        return f"{before} {after}"
    return before + after
