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

from kg_pipeline.vocabulary.names.folding import Atom, fold
from kg_pipeline.vocabulary.names.generic import HOLLOW, HOLLOW_PHRASES
from kg_pipeline.vocabulary.names.stopwords import ENGLISH, GENERIC, GENERIC_PHRASES, NOT_SYMBOLS
from kg_pipeline.vocabulary.names.symbols import is_symbol
from kg_pipeline.vocabulary.names.variants import singular
from kg_pipeline.vocabulary.names.words import words

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
#: Atoms from the start of a name within which a plural is looked for.
_PLURAL_ATOMS = 8
#: Keys whose entry is remembered, some 200 bytes each.
_CACHED_KEYS = 200_000
_WORD_KINDS = frozenset({"letters", "digits", "greek"})

C = TypeVar("C")
Read = Callable[[str, str], tuple[C, ...]]


class TrieKeys:
    """What a trie knows of a key; texts ask for the beginnings of the same names again and again.

    `entry(key)` says whether this is a key, and whether keys start with it.
    """

    def __init__(self, trie: Any) -> None:
        self._trie = trie
        self.entry = lru_cache(maxsize=_CACHED_KEYS)(self._look_up)

    def _look_up(self, key: str) -> tuple[bool, bool]:
        return key in self._trie, next(self._trie.iterkeys(key), None) is not None


def find_spans(text: str, keys: TrieKeys, read: Read[C]) -> list[tuple[int, int, tuple[C, ...]]]:
    """Spans of names in `text` with what `read(key, surface)` makes of them; spans it makes nothing of are skipped."""
    kept, gaps = fold(text)
    if not kept:
        return []
    shouting = _is_shouting(text)
    lengths = [len(gap) + len(atom.folded) for atom, gap in zip(kept, gaps, strict=True)]
    folded = "".join(gap + atom.folded for atom, gap in zip(kept, gaps, strict=True))
    starts, ends, position = [], [], 0
    for length, gap in zip(lengths, gaps, strict=True):
        starts.append(position + len(gap))
        position += length
        ends.append(position)
    found: list[tuple[int, int, tuple[C, ...]]] = []
    last_end = -1
    index = 0
    while index < len(kept):
        best = None
        if kept[index].kind in _WORD_KINDS and _may_start(text, kept, index, last_end):
            best = _longest(text, folded, kept, starts, ends, index, keys, read, shouting)
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
    ends: list[int],
    index: int,
    keys: TrieKeys,
    read: Read[C],
    shouting: bool,
) -> tuple[int, tuple[C, ...]] | None:
    start = kept[index].start
    for until, options in reversed(_options(folded, kept, starts, ends, index, keys)):
        if not _may_end(text, kept, until):
            continue
        surface = text[start : kept[until].end]
        if "\n" in surface or _is_stopped(surface, options[0], shouting):
            continue
        for key in options:
            candidates = read(key, surface)
            if candidates:
                return until, candidates
    return None


def _options(
    folded: str, kept: list[Atom], starts: list[int], ends: list[int], index: int, keys: TrieKeys
) -> list[tuple[int, list[str]]]:
    """The atoms that names starting here can end at, shortest first, with the keys of the names."""
    first = starts[index]
    found = []
    may_be_plural = True
    for until in range(index, len(kept)):
        end = ends[until]
        if end - first > _MAX_KEY:
            break
        atom = kept[until]
        key = folded[first:end]
        is_key, goes_on = keys.entry(key)
        options = [key] if is_key else []
        # A plural that no vocabulary lists: look up the singular of the last word instead.
        is_stop = atom.kind == "other" and atom.folded in ",;.()"
        may_be_plural = may_be_plural and until < index + _PLURAL_ATOMS and not is_stop
        if may_be_plural and atom.kind == "letters" and len(atom.folded) > 2 and atom.folded[-1] in "siae":
            one = singular(key)
            if one != key and keys.entry(one)[0]:
                options.append(one)
        if options:
            found.append((until, options))
        if not goes_on:
            break
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


def _may_end(text: str, kept: list[Atom], until: int) -> bool:
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
