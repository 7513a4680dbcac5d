"""Why two names must not become one entity: ten guards, each a pure function of two names.

A similarity cannot keep IL-1 from IL-10 or hypothyroidism from hyperthyroidism; each guard compares the part of the
names that decides. A guard returns its reason, or None where it has no objection, and is symmetric. They only
veto: that two names pass all guards is no reason to merge them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from kg_pipeline.vocabulary.categories import compatible
from kg_pipeline.vocabulary.guards.qualified import told_apart
from kg_pipeline.vocabulary.names.guard_words import EMPTY_HEADS, HEADS, LONE_PREFIXES, OPPOSED_WORDS, SALTS
from kg_pipeline.vocabulary.names.name_parts import (
    differ_by_prefix,
    is_shouted,
    parts_of,
    species_of,
    symbol_code,
)
from kg_pipeline.vocabulary.names.symbols import SHORT, case_form, is_symbol
from kg_pipeline.vocabulary.names.variants import singular

#: Names of so few letters mean another thing in another case: Na | na, Ca | CA.
_TINY = 2


@dataclass(frozen=True, slots=True)
class Named:
    """What a guard looks at: a name, its category, the concept it is linked to, and the article it is defined in."""

    name: str
    category: str = "biolink:NamedThing"
    concept_id: str | None = None
    defined_in: str | None = None  # article whose definition gives a short form its meaning


def veto(a: Named, b: Named) -> str | None:
    """The first objection to calling `a` and `b` one entity, or None.

    >>> veto(Named("IL-1"), Named("IL-10"))
    'numbers differ: 1 | 10'
    """
    if a.concept_id and a.concept_id == b.concept_id:
        return categories(a, b) or told_apart(a.name, b.name, a.category)  # synonyms need not look alike
    for guard in GUARDS:
        reason = guard(a, b)
        if reason:
            return reason
    return None


def numbers(a: Named, b: Named) -> str | None:
    """Numbers, Roman numerals and single letters must be equal as multisets (IL-1 | IL-10, vitamin D | vitamin K)."""
    first, second = parts_of(a.name).numbers, parts_of(b.name).numbers
    if first == second or case_form(singular(a.name)) == case_form(singular(b.name)):
        return None
    return f"numbers differ: {' '.join(sorted(first.elements())) or '-'} | {' '.join(sorted(second.elements())) or '-'}"


def greek(a: Named, b: Named) -> str | None:
    """Greek letters must be equal however they are written (TGF-α | TGF-beta)."""
    first, second = parts_of(a.name).greek, parts_of(b.name).greek
    return (
        None
        if first == second
        else f"Greek letters differ: {' '.join(sorted(first))} | {' '.join(sorted(second))}"
    )


def affixes(a: Named, b: Named) -> str | None:
    """Opposing or negating prefixes and words (hypo- | hyper-, febrile | afebrile, acute | chronic)."""
    first, second = parts_of(a.name).words, parts_of(b.name).words
    only_first, only_second = first - second, second - first
    for pair in OPPOSED_WORDS:
        if pair & only_first and pair & only_second:
            return f"opposed: {min(pair & only_first)} | {min(pair & only_second)}"
    for one, opposite in ((only_first, only_second), (only_second, only_first)):
        if ("without" in one or "non" in one or "no" in one or "not" in one) and not one & {
            "non",
            "no",
            "not",
        } & opposite:
            return "one of them is negated"
    lone = sorted((only_first | only_second) & LONE_PREFIXES)
    if lone:
        return f"opposed: {lone[0]}-"
    for word in sorted(only_first):
        for other in sorted(only_second):
            if differ_by_prefix(word, other):
                return f"opposed: {word} | {other}"
    return None


def head_nouns(a: Named, b: Named) -> str | None:
    """A head noun that only one of them has makes another thing of it (insulin | insulin receptor)."""
    first, second = parts_of(a.name).words, parts_of(b.name).words
    extra = {word for word in (first ^ second) & HEADS if word not in EMPTY_HEADS}
    return f"head nouns differ: {min(extra)}" if extra else None


def categories(a: Named, b: Named) -> str | None:
    """Categories of different groups (a gene is never a disease, though a database may say so)."""
    return None if compatible(a.category, b.category) else f"categories differ: {a.category} | {b.category}"


def identifiers(a: Named, b: Named) -> str | None:
    """Two identifiers of one authority name two things; so do two concepts of a vocabulary."""
    if a.concept_id and b.concept_id and a.concept_id != b.concept_id:
        return f"concepts differ: {min(a.concept_id, b.concept_id)} | {max(a.concept_id, b.concept_id)}"
    return None


def species(a: Named, b: Named) -> str | None:
    """Names of genes of different species, by word, by prefix (hTNF | mTNF) or by case (Trp53 | TP53, Trex1 | TREX1)."""
    first, second = species_of(a.name), species_of(b.name)
    return None if first == second or not (first and second) else f"species differ: {first} | {second}"


def short_forms(a: Named, b: Named) -> str | None:
    """Two symbols are one only if they agree letter by letter, in their case (SCLC | NSCLC, EGFR | eGFR, CAT | cat, Na | na)."""
    if is_symbol(a.name) and is_symbol(b.name) and symbol_code(a.name) != symbol_code(b.name):
        return f"short forms differ: {min(a.name, b.name)} | {max(a.name, b.name)}"
    if is_shouted(a.name, b.name) or is_shouted(b.name, a.name):
        return None
    if max(len(a.name), len(b.name)) <= _TINY and a.name != b.name and a.name.lower() == b.name.lower():
        return f"case differs: {min(a.name, b.name)} | {max(a.name, b.name)}"
    first, second = a.name.split(), b.name.split()
    if len(first) == len(second):
        for one, other in zip(first, second, strict=True):
            ours, theirs = case_form(one), case_form(other)
            is_short = max(len(ours), len(theirs)) <= SHORT + 2 and any(
                c.isupper() for c in ours[1:] + theirs[1:]
            )
            if is_short and ours != theirs and ours.lower() == theirs.lower():
                return f"case differs: {min(one, other)} | {max(one, other)}"
    return None


def abbreviations(a: Named, b: Named) -> str | None:
    """A short form means what its own article defines; it is carried to no other article."""
    if (
        a.defined_in
        and b.defined_in
        and a.defined_in != b.defined_in
        and is_symbol(a.name)
        and is_symbol(b.name)
    ):
        return "short forms defined in two articles"
    return None


def derivatives(a: Named, b: Named) -> str | None:
    """Salts, esters, combinations and labelled forms are linked to a substance, not merged with it."""
    first, second = parts_of(a.name).words, parts_of(b.name).words
    extra = (first ^ second) & SALTS
    if extra:
        return f"derivative: {min(extra)}"
    for one, other in ((a.name, b.name), (b.name, a.name)):
        if re.search(r"\w ?[/+] ?\w", one) and not re.search(r"\w ?[/+] ?\w", other):
            return "one of them is a combination"
    return None


def specificity(a: Named, b: Named) -> str | None:
    """The general and the special are is-a, not same-as: a content word that only one of them has."""
    first, second = parts_of(a.name).content, parts_of(b.name).content
    if first == second:
        return None
    if not first or not second:
        return "one of them has no words to compare"
    if first < second or second < first:
        return f"one is more specific: {' '.join(sorted(first ^ second))}"
    return None


GUARDS: tuple[Callable[[Named, Named], str | None], ...] = (
    identifiers,
    categories,
    numbers,
    greek,
    short_forms,
    species,
    affixes,
    head_nouns,
    derivatives,
    specificity,
    abbreviations,
)
