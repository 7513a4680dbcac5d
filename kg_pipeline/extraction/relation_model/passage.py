"""Two entities over a whole title and abstract: the features of their sentences, and where they are spoken of.

Corpora such as BioRED say which entities of an abstract are related, not where. Pairs that share no sentence have
features too: how far apart they are, how often each is named, whether the title names them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from kg_pipeline.extraction.relation_model.pairs import are_related_groups
from kg_pipeline.vocabulary.categories import group_of

_COUNTS = (1, 2, 3, 5, 8, 12)
_MANY = (5, 10, 15, 20, 30)
_FARTHEST = 5  # sentences
_TITLE = 0


@dataclass(frozen=True, slots=True)
class Naming:
    """A place where an entity is named: the number of the sentence, the entity's identifier and category."""

    sentence: int
    entity: str
    category: str


@dataclass(frozen=True, slots=True)
class EntityPair:
    """Two entities of a passage and what the model sees of them; `sentences` hold both."""

    first: str
    second: str
    categories: tuple[str, str]
    sentences: tuple[int, ...]
    features: tuple[str, ...]


def entity_pairs(
    sentences: int,
    namings: Iterable[Naming],
    views: Iterable[tuple[int, str, str, Sequence[str]]],
) -> Iterator[EntityPair]:
    """Each pair of entities of kinds that can be related, in the order of their groups and identifiers.

    Parameters
    ----------
    sentences
        Number of sentences; number 0 is the title.
    namings
        Where entities are named.
    views
        Number of the sentence, the two entities, and the features of two mentions of them in that sentence.

    """
    places: dict[str, list[int]] = defaultdict(list)
    categories: dict[str, str] = {}
    for naming in namings:
        places[naming.entity].append(naming.sentence)
        categories[naming.entity] = naming.category
    shared: dict[frozenset[str], list[tuple[int, Sequence[str]]]] = defaultdict(list)
    for sentence, a, b, features in views:
        shared[frozenset((a, b))].append((sentence, features))
    ranks = {entity: rank for rank, entity in enumerate(sorted(places, key=lambda e: (-len(places[e]), e)))}
    alike: dict[str, int] = defaultdict(int)
    for category in categories.values():
        alike[group_of(category)] += 1
    for pair in combinations(sorted(places, key=lambda e: (group_of(categories[e]), e)), 2):
        first, second = pair
        groups = group_of(categories[first]), group_of(categories[second])
        if not are_related_groups(*groups):
            continue
        both = tuple(sorted(set(places[first]) & set(places[second])))
        position = _position(places[first], places[second], both, sentences)
        position += [
            f"most {_bucket(min(ranks[first], ranks[second]))}",
            f"least {_bucket(max(ranks[first], ranks[second]))}",
            f"entities {_bucket(len(places), _MANY)}",
            f"like first {_bucket(alike[groups[0]])}",
            f"like second {_bucket(alike[groups[1]])}",
            f"ranks {_bucket(min(ranks[first], ranks[second]))} {_bucket(max(ranks[first], ranks[second]))} "
            f"{min(_gap(places[first], places[second]), 3)}",
        ]
        kinds = ",".join(groups)
        found = [
            f"a {kinds}",
            *(f"a {each}" for each in position),
            *(f"a {each} {kinds}" for each in position),
        ]
        for sentence, features in shared.get(frozenset(pair), ()):
            found += features
            if sentence == _TITLE:
                found += [f"title {feature}" for feature in features]
        yield EntityPair(
            first, second, (categories[first], categories[second]), both, tuple(dict.fromkeys(found))
        )


def _position(first: Sequence[int], second: Sequence[int], both: Sequence[int], sentences: int) -> list[str]:
    in_title = (_TITLE in first) + (_TITLE in second)
    last = sentences - 1
    share = round(4 * len(both) / len({*first, *second}))
    return [
        f"gap {min(_gap(first, second), _FARTHEST)}",
        f"both {_bucket(len(both))}",
        f"first {_bucket(len(first))}",
        f"second {_bucket(len(second))}",
        f"rarer {_bucket(min(len(first), len(second)))}",
        f"title {in_title}",
        f"title both {_TITLE in both}",
        f"end both {last in both}",
        f"close both {bool({last, last - 1} & {*both})}",
        f"ends {_TITLE in first} {_TITLE in second} {last in first} {last in second}",
        f"share {share}",
        f"near {min(_gap(first, second), _FARTHEST)} {_bucket(len(both))} {in_title}",
        f"where {_bucket(len(both))} {_TITLE in both} {last in both}",
    ]


def _gap(first: Sequence[int], second: Sequence[int]) -> int:
    return min(abs(a - b) for a in first for b in second)


def _bucket(count: int, borders: Sequence[int] = _COUNTS) -> int:
    return sum(count >= border for border in borders)
