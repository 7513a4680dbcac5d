"""Why two like names are not to be taken for one thing: the guards of standardisation that hold for names alike."""

from __future__ import annotations

from kg_pipeline.graph.reader import Entity
from kg_pipeline.vocabulary.guards.vetoes import Named, affixes, greek, numbers
from retrieval.words.terms import name_key

#: Guards for names that stand near each other; a broader or a narrower name is none of their objections.
_GUARDS = (numbers, greek, affixes)
_ALIASES = 40
#: Prefixes that turn a word round and that the guards do not know as a pair ("upstream", "downstream").
_TURNS = (("in", "ex"), ("up", "down"))


def share_a_name(one: Entity, other: Entity) -> bool:
    """Whether two entities have a name or alias in common, however it is spelt."""
    names = [{name_key(name) for name in (e.name, *e.aliases[:_ALIASES])} for e in (one, other)]
    return not names[0].isdisjoint(names[1])


def name_conflict(one: str, other: str) -> str:
    """What tells the two names apart; empty if nothing does.

    >>> name_conflict("IL-1", "IL-10")
    'numbers differ: 1 | 10'
    """
    first, second = Named(one), Named(other)
    reason = next((reason for guard in _GUARDS if (reason := guard(first, second))), "")
    return reason or (f"opposed: {one} | {other}" if _is_turned(one.lower(), other.lower()) else "")


def _is_turned(one: str, other: str) -> bool:
    return any(
        {one, other} == {prefix + rest, opposite + rest}
        for prefix, opposite in _TURNS
        for rest in (one.removeprefix(prefix), one.removeprefix(opposite))
    )
