"""Verbs that agree with their subject, by the ending of its main noun: "B cells produce", "type 2 diabetes causes"."""

from __future__ import annotations

import re

from kg_pipeline.vocabulary.predicates import PREDICATES

_SHORTEST_PLURAL = 4
_BEFORE_PREPOSITION = re.compile(r" (?:of|in|for|with|to|from|by|against|on) ")
#: Names in -s of one thing.
_SINGULAR_TEXT = """ascites atlas biceps caries diabetes herpes lens measles mumps pancreas rabies rickets scabies series
    shingles species triceps yaws"""
_SINGULAR = frozenset(_SINGULAR_TEXT.split())


def clause(head: str, predicate: str, tail: str) -> str:
    """A relation as a clause.

    >>> clause("Anti-dsDNA antibodies", "associated_with", "flares")
    'Anti-dsDNA antibodies are associated with flares'
    """
    return f"{head} {verb(predicate, plural=is_plural(head))} {tail}"


def verb(predicate: str, *, plural: bool = False) -> str:
    """The words of a predicate after a subject in the singular or plural; one that is not of the closed set as it is.

    >>> verb("predisposes", plural=True)
    'predispose to'
    """
    known = PREDICATES.get(predicate)
    label = known.label if known else predicate.replace("_", " ")
    return _plural(label) if plural else label


def is_plural(name: str) -> bool:
    """Whether a name takes a verb in the plural ("mutations in TREX1")."""
    noun = _BEFORE_PREPOSITION.split(name, maxsplit=1)[0].rpartition(" ")[2]
    word = noun.rpartition("-")[2]
    if word.endswith("s") and word[-2:-1].isupper():
        return True  # microRNAs, MDSCs
    return (
        word.endswith("s")
        and word[:-1].isalpha()
        and word[1:].islower()
        and len(word) >= _SHORTEST_PLURAL
        and not word.endswith(("ss", "us", "is", "ous"))
        and word.lower() not in _SINGULAR
    )


def _plural(label: str) -> str:
    first, _, rest = label.partition(" ")
    agreed = "are" if first == "is" else first.removesuffix("es" if first.endswith("sses") else "s")
    return f"{agreed} {rest}".rstrip()
