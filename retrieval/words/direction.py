"""Who acts on whom in a sentence, read from the order of names and the voice of the verb between them.

"A inhibits B", "B is inhibited by A" and "inhibition of B by A" say the same; "B inhibits A" says the opposite. Only
verbs of relations that have a direction count, and only names in one stretch of words; what is not clear says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from kg_pipeline.vocabulary.predicates import PREDICATES
from retrieval.words.terms import Name, Token, find_name, stem, tokenise

_WIDEST = 12  # tokens between two names of one statement
_NEAR = 3  # tokens between a noun of action and the name it is of
_CLEFT = (["it", "is"], ["it", "was"])  # "it is A that triggers B": the pronoun ends no clause
_AGENTS = (["by"], ["is"], ["are"], ["was"], ["were"])
#: Words after which the cause stands, not the effect.
_CONVERSE = re.compile(
    r"\b(?:(?:result|arise|stem|originate|derive)(?:s|ed|d|ing)? from|(?:result|consequence|effect|product) of|due to|"
    r"because of|owing to|attributable to|secondary to)\b"
)
_BREAKS = frozenset({"which", "that", "whereas", "while", "but"})
_UNSIGNED = frozenset({"causes", "predisposes", "produces", "targets", "treats", "prevents", "regulates"})
_DIRECTED: frozenset[str] = frozenset(
    stem(stem(word))  # of "triggered" the first pass leaves "trigger", of "triggers" its stem
    for predicate in PREDICATES.values()
    if not predicate.symmetric and (predicate.sign or predicate.name in _UNSIGNED)
    for word in predicate.words
    if " " not in word and "-" not in word
)

#: Numbers of two names, of which the first acts on the second.
Act = tuple[int, int]


def acts(text: str, names: Sequence[Sequence[Name]]) -> frozenset[Act]:
    """Which of the named things act on which, by numbers in `names`."""
    tokens = tokenise(text)
    places = _places(tokens, names)
    found = set()
    for (begin, end, one), (start, _, other) in pairwise(places):
        opening = [token.text for token in tokens[max(begin - 2, 0) : begin]]
        between = tokens[end + (opening in _CLEFT) : start]
        if one == other or len(between) > _WIDEST or _is_broken(text, between):
            continue
        if _CONVERSE.search(" ".join(token.text for token in between)):
            found.add((other, one))
            continue
        verbs = [i for i, token in enumerate(between) if stem(stem(token.text)) in _DIRECTED]
        if len(verbs) == 1:
            passive = "by" in (token.text for token in between[verbs[0] :])
            found.add((other, one) if passive else (one, other))
        elif not verbs and [token.text for token in between] in _AGENTS:
            first = next(place[0] for place in places if place[2] == one)
            before = {stem(stem(token.text)) for token in tokens[max(first - _NEAR, 0) : first]}
            if not before.isdisjoint(_DIRECTED):
                found.add((other, one))  # "inhibition of A by B", "the trigger of A is B"
    return frozenset(found)


def reverses(claim: frozenset[Act], stated: frozenset[Act]) -> bool:
    """Whether a claim has one thing act on another where only the reverse is stated."""
    return any((b, a) in stated and (a, b) not in stated for a, b in claim)


def _is_broken(text: str, between: Sequence[Token]) -> bool:
    """Whether a clause ends between two names, so that the verb there may have another subject or object."""
    if any(token.text in _BREAKS for token in between):
        return True
    return bool(between) and any(mark in text[between[0].start : between[-1].end] for mark in ";:.")


def _places(tokens: Sequence[Token], names: Sequence[Sequence[Name]]) -> list[tuple[int, int, int]]:
    """First places of names, in order, without those inside a longer one."""
    found = [(*place, number) for number, keys in enumerate(names) if (place := find_name(tokens, keys))]
    outermost = [
        place
        for place in found
        if not any(
            other[0] <= place[0] and place[1] <= other[1] and other[1] - other[0] > place[1] - place[0]
            for other in found
        )
    ]
    return sorted(outermost)
