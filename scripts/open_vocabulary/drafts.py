"""A concept in the making, and identifiers with their prefix."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache

from kg_pipeline.vocabulary.names.variants import normal_key, singular


@cache
def name_key(name: str) -> str:
    """Look-up key of the singular of a name: what two names have to share to be the same name."""
    return normal_key(singular(name))


@dataclass
class Draft:
    """A concept in the making.

    `xrefs` are other identifiers of the same concept, `headings` its name as MeSH prints it, `ours` names that are reviewed or
    headings, and `filed` the heading of each look-up key that a dictionary files under it and no source calls its synonym.
    """

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
    filed: dict[str, str] = field(default_factory=dict)

    def keys(self) -> set[str]:
        """Look-up keys of all names."""
        return {name_key(name) for name in [self.name, *self.names]}

    def take(self, other: Draft) -> None:
        """Take over what another concept has; a name that a source of either has is not only filed."""
        own = {name for one in (self, other) for name in one.keys() - one.filed.keys()}
        self.filed = {key: head for key, head in {**other.filed, **self.filed}.items() if key not in own}
        self.names += [other.name, *other.names]
        if other.source == "MESH":
            self.ours.append(other.name)  # a heading: as good as a reviewed name
        self.parents += other.parents
        self.xrefs |= other.xrefs | {other.id}
        self.cuis += other.cuis
        self.ours += other.ours


def curie(prefix: str, identifier: str) -> str:
    """Identifier with its prefix."""
    return identifier if identifier.startswith(f"{prefix}:") else f"{prefix}:{identifier}"
