"""A concept in the making, and identifiers with their prefix."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache

from kg_pipeline.vocabulary.variants import normal_key, singular


@cache
def name_key(name: str) -> str:
    """Look-up key of the singular of a name: what two names have to share to be the same name."""
    return normal_key(singular(name))


@dataclass
class Draft:
    """A concept in the making; `xrefs` are other identifiers of the same concept, `headings` its name as MeSH prints it."""

    id: str
    name: str
    category: str
    source: str
    names: list[str] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    xrefs: set[str] = field(default_factory=set)
    cuis: Counter[str] = field(default_factory=Counter)
    ours: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)

    def keys(self) -> set[str]:
        """Look-up keys of all names."""
        return {name_key(name) for name in [self.name, *self.names]}


def curie(prefix: str, identifier: str) -> str:
    """Identifier with its prefix."""
    return identifier if identifier.startswith(f"{prefix}:") else f"{prefix}:{identifier}"
