"""Names that a vocabulary has under one concept and that a word nevertheless tells apart.

Vocabularies list narrower, related and even opposite terms among the names of a concept (MeSH's entry terms, MONDO's
synonyms): `chronic hepatitis` under hepatitis, `NLRP3 inflammasome` under inflammasome, `disincentive` under motivation.
That serves to find them and is no ground to call them one thing where both are written. Synonyms need not look alike, so
only names that differ by nothing else are compared.
"""

from __future__ import annotations

from kg_pipeline.vocabulary.names.guard_words import (
    COURSE_WORDS,
    INCLINATION_WORDS,
    NEGATING_PREFIXES,
    OPPOSED_WORDS,
    OPPOSITE_PREFIXES,
)
from kg_pipeline.vocabulary.names.name_parts import NameParts, parts_of

_OPPOSITES = {
    word: frozenset().union(*(pair for pair in OPPOSED_WORDS if word in pair)) - {word}
    for word in frozenset().union(*OPPOSED_WORDS)
}


#: What is numbered: families, organisms, cells and diseases. A gene is often written without its number (IDO, IDO1), and the
#: charge of an ion is none.
_NUMBERED = frozenset(
    f"biolink:{category}"
    for category in (
        "GeneFamily", "ProteinFamily", "Protein", "OrganismTaxon", "Disease", "Cell", "CellularComponent",
    )
)  # fmt: skip


def told_apart(one: str, other: str, category: str = "biolink:NamedThing") -> str | None:
    """Why two names of one concept of that category are two things, or None; symmetric.

    >>> told_apart("hepatitis", "chronic hepatitis"), told_apart("galectins", "galectin-1", "biolink:ProteinFamily")
    ('one is qualified: chronic', 'one is numbered: 1')
    """
    first, second = parts_of(one), parts_of(other)
    ours, theirs = first.words - second.words, second.words - first.words
    if not ours and not theirs:
        return _numbered(first, second) if category in _NUMBERED else None
    inclined = (ours | theirs) & INCLINATION_WORDS
    if inclined:
        return f"one is only an inclination: {min(inclined)}"
    if len(ours) == len(theirs) == 1:
        word, instead = min(ours), min(theirs)
        is_opposed = instead in _OPPOSITES.get(word, ()) or _are_opposite(word, instead)
        return f"opposed: {min(word, instead)} | {max(word, instead)}" if is_opposed else None
    if ours and theirs:
        return None
    extra = ours or theirs
    # The number of a symbol is part of it: p16INK4a is INK4a.
    is_phrase = " " in (one if ours else other).strip()
    adds_a_number = is_phrase and _adds_a_number(*((first, second) if ours else (second, first)))
    if extra <= COURSE_WORDS or adds_a_number:
        return f"one is qualified: {' '.join(sorted(extra))}"
    return None


def marked_first(name: str) -> tuple[int, int, str]:
    """Sorts names by how much they say, most first: of two that are told apart, the first one is the special one."""
    parts = parts_of(name)
    return -len(parts.words) - parts.numbers.total(), -len(name), name


def _numbered(first: NameParts, second: NameParts) -> str | None:
    """Whether only one of two names with the same words has a number or a Greek letter: HIV, HIV-1; actin, β-actin."""
    sides = [{*parts.numbers, *parts.greek} for parts in (first, second)]
    shorter, longer = sorted(sides, key=len)
    greek = first.greek | second.greek
    extra = {part for part in longer - shorter if part.isdigit() or part in greek}
    return f"one is numbered: {' '.join(sorted(extra))}" if shorter < longer and extra else None


def _adds_a_number(longer: NameParts, shorter: NameParts) -> bool:
    """A word with a number: NLRP3, type 2, subunit B."""
    return longer.numbers > shorter.numbers


def _are_opposite(word: str, other: str) -> bool:
    shorter, longer = sorted((word, other), key=len)
    if any(longer == prefix + shorter for prefix in NEGATING_PREFIXES):
        return True
    return any(
        word.startswith(prefix) and other in {against + word.removeprefix(prefix) for against in prefixes}
        for prefixes in OPPOSITE_PREFIXES
        for prefix in prefixes
        if word != other
    )
