"""What guards compare: the numbers, Greek letters and words of a name, its species, and its spelling keys."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from kg_pipeline.vocabulary.names.folding import Atom, fold
from kg_pipeline.vocabulary.names.guard_words import EMPTY_HEADS, PREFIXES, QUALIFIERS, SPECIES_WORDS
from kg_pipeline.vocabulary.names.symbols import SHORT, case_form, is_symbol
from kg_pipeline.vocabulary.names.variants import normal_key, singular, singular_word

#: Roman numerals of names, 1 to 39 (factor XIII), by their lower-case letters.
_ROMAN = {
    tens + ones: 10 * ten + one
    for ten, tens in enumerate(("", "x", "xx", "xxx"))
    for one, ones in enumerate(("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"))
    if ten or one
}
#: Letters for Greek ones at the end of a symbol: IFN-a is IFN-α, IL-1b is IL-1β.
_LATIN_GREEK = {"alpha": "a", "beta": "b", "gamma": "g", "delta": "d", "kappa": "k"}
_SPECIES_PREFIX = re.compile(r"^(h|m|r|hs|mm|rn|d|z|sc)(?=-?[A-Z][A-Za-z]*\d)|^(h|m|r)(?=-?[A-Z]{3,})")


@dataclass(frozen=True, slots=True)
class NameParts:
    """Numbers (single letters and signs too), Greek letters, words in the singular, and words that carry content."""

    numbers: Counter[str]
    greek: frozenset[str]
    words: frozenset[str]
    content: frozenset[str]


@lru_cache(maxsize=100_000)
def parts_of(name: str) -> NameParts:
    """Parts of a name."""
    kept, gaps = fold(name)
    found: Counter[str] = Counter()
    greek_letters, words = set(), set()
    for index, atom in enumerate(kept):
        if atom.kind == "digits":
            found[str(int(atom.folded))] += 1
        elif atom.kind == "greek":
            greek_letters.add(_LATIN_GREEK.get(atom.folded, atom.folded))
        elif atom.kind == "letters":
            roman = _ROMAN.get(atom.folded)
            if roman and _is_numeral(name, kept, index):
                found[str(roman)] += 1
            elif _is_latin_greek(name, kept, gaps, index):
                greek_letters.add(atom.folded)
            elif (
                len(atom.folded) == 1
                and atom.folded not in "'"
                and (index or len(kept) == 1 or gaps[1:2] != [""])
            ):
                found[atom.folded] += 1
            else:
                words.add(singular_word(atom.folded))
        elif atom.folded in "+*":
            found[atom.folded] += 1
    return NameParts(
        found, frozenset(greek_letters), frozenset(words), frozenset(words - QUALIFIERS - EMPTY_HEADS)
    )


def _is_numeral(name: str, kept: list[Atom], index: int) -> bool:
    """Roman numerals are capitals that stand for themselves: type II, factor V, collagen III; not the I of IL."""
    atom = kept[index]
    before, after = name[atom.start - 1 : atom.start], name[atom.end : atom.end + 1]
    return (
        name[atom.start : atom.end].isupper() and not before.isalnum() and not after.isalnum() and index > 0
    )


def _is_latin_greek(name: str, kept: list[Atom], gaps: list[str], index: int) -> bool:
    """A lower-case letter at the end of a symbol stands for a Greek one: IFN-a, IL-1b, TNFa is not decided."""
    atom = kept[index]
    last = index == len(kept) - 1
    if not (last and index and atom.folded in _LATIN_GREEK.values() and len(atom.folded) == 1):
        return False
    head = name[: atom.start].rstrip("-")
    return (
        name[atom.start].islower()
        and is_symbol(head)
        and " " not in name
        and head[:1].isupper()
        and not head.startswith("miR")
    )


def differ_by_prefix(a: str, b: str) -> bool:
    """Whether two words are one word behind different prefixes, or with and without one (hypo-, hyper-; a-)."""
    if a == b:
        return False
    for prefix in PREFIXES:
        if (a.startswith(prefix) and b == a[len(prefix) :]) or (
            b.startswith(prefix) and a == b[len(prefix) :]
        ):
            return len(prefix) > 1 or min(len(a), len(b)) > 4
    for one in PREFIXES:
        if len(one) > 1 and a.startswith(one):
            rest = a[len(one) :]
            if len(rest) > 3 and any(b == other + rest for other in PREFIXES if other != one):
                return True
    return False


def species_of(name: str) -> str | None:
    """Species that a name tells by a word, by a prefix (hTNF1) or by the case of a gene symbol (Trp53); None if it tells none."""
    words = parts_of(name).words & SPECIES_WORDS
    if words:
        return {"murine": "mouse"}.get(min(words), min(words))
    prefix = _SPECIES_PREFIX.match(name)
    if prefix:
        letter = (prefix[1] or prefix[2])[0]
        return {"h": "human", "m": "mouse", "r": "rat"}.get(letter)
    if re.fullmatch(r"[A-Z][a-z]{1,5}\d+[a-z]?\d*", name):
        return "mouse"
    if re.fullmatch(r"[A-Z]{2,6}\d+[A-Z]?\d*", name):
        return "human"
    return None


def is_shouted(one: str, other: str) -> bool:
    """Whether the first is a heading in capitals and the second its words as they stand in text."""
    return len(one) > 2 * SHORT and one.isupper() and not other.isupper() and one.lower() == other.lower()


def symbol_code(name: str) -> str:
    """Letters and digits of a symbol, case folded, a Greek letter by its Latin one."""
    parts = [_LATIN_GREEK.get(atom.folded, atom.folded) for atom in fold(singular(name))[0]]
    return "".join(parts)


def spelling_keys(name: str) -> frozenset[str]:
    """Keys by which spelling variants of a name find each other: with the borders of words, and without."""
    one = singular(name)
    return frozenset({normal_key(one), "=" + case_form(one).lower()})


def same_spelling(a: str, b: str) -> bool:
    """Whether two names are spelling variants: equal once case, hyphens, Greek letters, plural and accents are folded."""
    return not spelling_keys(a).isdisjoint(spelling_keys(b))
