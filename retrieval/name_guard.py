"""Why two like names are not to be taken for one thing: numbers, Greek letters, single letters and opposites."""

from __future__ import annotations

from collections import Counter

from kg_pipeline.graph.reader import Entity
from retrieval.cues import are_opposites
from retrieval.terms import name_key, tokenise

_ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8", "ix": "9", "x": "10"}  # fmt: skip
_GREEK = frozenset(
    [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "iota",
        "kappa",
        "lambda",
        "mu",
        "nu",
        "xi",
        "pi",
        "rho",
        "sigma",
        "tau",
        "upsilon",
        "phi",
        "chi",
        "psi",
        "omega",
    ]
)
_ALIASES = 40


def share_a_name(one: Entity, other: Entity) -> bool:
    """Whether two entities have a name or alias in common, however it is spelt."""
    names = [{name_key(name) for name in (e.name, *e.aliases[:_ALIASES])} for e in (one, other)]
    return not names[0].isdisjoint(names[1])


def name_conflict(one: str, other: str) -> str:
    """What tells the two names apart; empty if nothing does.

    >>> name_conflict("IL-1", "IL-10")
    'numbers or letters differ: 1 | 10'
    """
    first, second = (_designators(name) for name in (one, other))
    if first != second:
        return f"numbers or letters differ: {_listed(first)} | {_listed(second)}"
    words = [{token.text for token in tokenise(name)} for name in (one, other)]
    for word in sorted(words[0] - words[1]):
        for opposite in sorted(words[1] - words[0]):
            if are_opposites(word, opposite):
                return f"opposites: {word} | {opposite}"
    return ""


def _designators(name: str) -> Counter[str]:
    """Numbers, Roman numerals as numbers, Greek letters and single letters of a name; the first word may be any of them."""
    found: Counter[str] = Counter()
    for token in tokenise(name):
        word = _ROMAN.get(token.text, token.text) if token.start else token.text
        if word[0].isdigit() or word in _GREEK or len(word) == 1:
            found[word] += 1
    return found


def _listed(found: Counter[str]) -> str:
    return " ".join(sorted(found.elements())) or "-"
