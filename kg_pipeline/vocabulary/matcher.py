"""Longest-match search for vocabulary names in a text, on token borders.

A name may end at a hyphen only where what follows leaves its meaning alone (UVB-induced, TREX1-deficient) or is
itself a name (cGAS-STING); so `oxygen` is not found in oxygen-independent, nor `insulin` in insulin-like. It may
start after a hyphen only behind another name or such a neutral prefix, so nothing is found in anti-TNF or non-small.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

from kg_pipeline.vocabulary.folding import Atom, fold
from kg_pipeline.vocabulary.generic import HOLLOW, HOLLOW_PHRASES
from kg_pipeline.vocabulary.stopwords import ENGLISH, GENERIC, GENERIC_PHRASES, NOT_SYMBOLS
from kg_pipeline.vocabulary.symbols import is_symbol
from kg_pipeline.vocabulary.variants import singular
from kg_pipeline.vocabulary.words import words

#: Words that may follow a name and a hyphen.
NEUTRAL_SUFFIXES = words(
    """
    activated affected associated based binding bound coated containing deficient deleted dependent derived directed
    driven elicited encoded evoked expressing exposed generated induced inducible infected infiltrating initiated
    injected irradiated knockdown knockout labeled labelled linked loaded mediated modified mutant mutated naive
    negative null overexpressing pathway positive primed produced producing promoted refractory regulated related
    releasing resistant responsive restricted secreting sensitive specific stimulated targeted targeting treated
    triggered tagged transduced transfected high low positive axis signaling signalling complex
    """
)
NEUTRAL_PREFIXES = frozenset(
    {"phospho", "phosphorylated", "plasma", "serum", "human", "recombinant", "total"}
)
#: `for 20` and `a 10` are no names of anything, although folding makes them so.
_NUMBERED_WORD = re.compile(r"(?:for|a|an|at|in|of|to|e)\s+\d+")
_MAX_KEY = 160
_WORD_KINDS = frozenset({"letters", "digits", "greek"})

C = TypeVar("C")
Read = Callable[[str, str], tuple[C, ...]]


def find_spans(text: str, trie: Any, read: Read[C]) -> list[tuple[int, int, tuple[C, ...]]]:
    """Spans of names in `text` with what `read(key, surface)` makes of them; spans it makes nothing of are skipped."""
    kept, gaps = fold(text)
    if not kept:
        return []
    shouting = _is_shouting(text)
    lengths = [len(gap) + len(atom.folded) for atom, gap in zip(kept, gaps, strict=True)]
    folded = "".join(gap + atom.folded for atom, gap in zip(kept, gaps, strict=True))
    starts, position = [], 0
    for length, gap in zip(lengths, gaps, strict=True):
        starts.append(position + len(gap))
        position += length
    ends = {
        start + len(atom.folded): index for index, (start, atom) in enumerate(zip(starts, kept, strict=True))
    }
    found: list[tuple[int, int, tuple[C, ...]]] = []
    last_end = -1
    index = 0
    while index < len(kept):
        best = None
        if kept[index].kind in _WORD_KINDS and _may_start(text, kept, index, last_end):
            best = _longest(text, folded, kept, starts, ends, index, trie, read, shouting)
        if best is None:
            index += 1
            continue
        until, candidates = best
        found.append((kept[index].start, kept[until].end, candidates))
        last_end = kept[until].end
        index = until + 1
    return found


def _longest(
    text: str,
    folded: str,
    kept: list[Atom],
    starts: list[int],
    ends: dict[int, int],
    index: int,
    trie: Any,
    read: Read[C],
    shouting: bool,
) -> tuple[int, tuple[C, ...]] | None:
    window = folded[starts[index] : starts[index] + _MAX_KEY]
    options: dict[int, list[str]] = {}
    for key in trie.prefixes(window):
        until = ends.get(starts[index] + len(key))
        if until is not None:
            options.setdefault(until, []).append(key)
    # A plural that no vocabulary lists: look up the singular of the last word instead.
    for until in _plural_ends(kept, index, window, starts, ends):
        key = singular(window[: starts[until] + len(kept[until].folded) - starts[index]])
        if key in trie:
            options.setdefault(until, []).append(key)
    for until in sorted(options, reverse=True):
        if not _may_end(text, kept, until, trie):
            continue
        surface = text[kept[index].start : kept[until].end]
        if "\n" in surface or _is_stopped(surface, options[until][0], shouting):
            continue
        for key in options[until]:
            candidates = read(key, surface)
            if candidates:
                return until, candidates
    return None


def _plural_ends(
    kept: list[Atom], index: int, window: str, starts: list[int], ends: dict[int, int]
) -> list[int]:
    limit = starts[index] + len(window)
    found = []
    for until in range(index, min(index + 8, len(kept))):
        atom = kept[until]
        if atom.kind == "other" and atom.folded in ",;.()":
            break
        if (
            atom.kind == "letters"
            and len(atom.folded) > 2
            and atom.folded[-1] in "siae"
            and starts[until] + len(atom.folded) <= limit
        ):
            found.append(until)
    return found


def _may_start(text: str, kept: list[Atom], index: int, last_end: int) -> bool:
    start = kept[index].start
    if start == 0:
        return True
    before = text[start - 1]
    if before.isspace():
        return True
    previous = kept[index - 1] if index else None
    if previous is None:
        return True
    if previous.end == start:
        # Touching atoms: a word continues, except after punctuation; a digit after a decimal point is a number.
        if previous.kind in _WORD_KINDS:
            return False
        is_decimal = previous.folded in ".," and kept[index].kind == "digits"
        return not (is_decimal and previous.start > 0 and text[previous.start - 1].isdigit())
    if before in "-\u2010\u2011\u2012\u2013\u2014\u2212":
        return previous.end == last_end or previous.folded in NEUTRAL_PREFIXES or previous.kind == "other"
    return True


def _may_end(text: str, kept: list[Atom], until: int, trie: Any) -> bool:
    end = kept[until].end
    if until + 1 >= len(kept):
        return True
    following = kept[until + 1]
    if following.start == end:
        if following.kind in _WORD_KINDS:
            return False
        is_decimal = following.folded in ".," and kept[until].kind == "digits"
        return not (is_decimal and following.end < len(text) and text[following.end].isdigit())
    if text[end] in "-\u2010\u2011\u2012\u2013\u2014\u2212" and following.start == end + 1:
        if following.kind == "digits":
            return False
        return following.folded in NEUTRAL_SUFFIXES or (
            text[following.start].isupper()
            and is_symbol(_word_at(text, following.start))
            and len(_word_at(text, following.start)) > 2
        )
    return True


def _word_at(text: str, start: int) -> str:
    end = start
    while end < len(text) and text[end].isalnum():
        end += 1
    return text[start:end]


def _is_stopped(surface: str, key: str, shouting: bool) -> bool:
    if len(surface) < 2 or not any(c.isalpha() for c in surface):
        return True
    if surface in NOT_SYMBOLS or key in GENERIC_PHRASES or _is_hollow(key):
        return True
    if _NUMBERED_WORD.fullmatch(surface):
        return True
    lower = surface.lower()
    if surface.isupper() and len(surface) > 1:
        return shouting and (lower in ENGLISH or lower in GENERIC or len(surface) <= 4)
    if lower in HOLLOW or singular(lower) in HOLLOW:
        return True
    return lower in ENGLISH or lower in GENERIC or singular(lower) in GENERIC or key in GENERIC


def _is_hollow(key: str) -> bool:
    return key in HOLLOW_PHRASES or singular(key) in HOLLOW_PHRASES


def _is_shouting(text: str) -> bool:
    """Whether a sentence is set in capitals, so that capitals say nothing about its words."""
    words = [word for word in text.split() if word.isalpha() and len(word) > 1]
    return len(words) > 2 and sum(word.isupper() for word in words) > 0.7 * len(words)


@lru_cache(maxsize=64)
def short_form_pattern(short_forms: frozenset[str]) -> re.Pattern[str] | None:
    """Pattern of these short forms on token borders, in their own case, a plural s allowed; group 1 is the form."""
    if not short_forms:
        return None
    ordered = sorted(short_forms, key=lambda form: (-len(form), form))
    alternatives = "|".join(re.escape(form) for form in ordered)
    suffixes = "|".join(sorted(NEUTRAL_SUFFIXES))
    hyphen = r"[-\u2010-\u2014\u2212]"
    return re.compile(
        rf"(?<![^\W_])(?<![^\W_]-)(?<![^\W_]\u2013)((?:{alternatives})(?:(?<=[A-Z0-9])s)?)"
        rf"(?![^\W_])(?!{hyphen}(?!(?:{suffixes})\b|[A-Z]{{2}})[^\W_])"
    )
