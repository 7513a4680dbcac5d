"""Lexical relations: what entity names say of each other when one holds the other.

`typed`: a name whose last words are another entity's name is a kind of it ("lupus nephritis" of "nephritis"), one
that begins with it is related to it ("lupus nephritis" to "lupus"). The vocabulary's hierarchy decides where it knows
both. Numbers, Greek letters and opposing prefixes veto: nothing links "interleukin-6" with "interleukin-10", nor
"non-small cell lung cancer" with "small cell lung cancer". `egot` is the published heuristic of eGoT (section 2.1):
names that share a word root of four characters.

These relations have no premises: they follow from two names, and go when either entity goes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations, islice
from typing import TYPE_CHECKING, Protocol

import polars as pl

from kg_pipeline.inference.relation_rows import candidates_frame, cap, inferred_table
from kg_pipeline.vocabulary.categories import group_of
from kg_pipeline.vocabulary.names.variants import normal_key, singular

if TYPE_CHECKING:
    from kg_pipeline.vocabulary.index.lookup import Concept

KIND = "lexical"
HEAD_RULE = "shared head noun"
CONFIRMED_RULE = "shared head noun, confirmed by the vocabulary"
ROOT_RULE = "shared first words"
EGOT_RULE = "egot: common root of 4 characters"
ROOT_LENGTH = 4

_CONFIDENCE = {HEAD_RULE: 0.6, CONFIRMED_RULE: 0.95, ROOT_RULE: 0.4, EGOT_RULE: 0.2}


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NUMBER = re.compile(r"\d+|\b[ivx]+\b")
_GREEK = _word_set(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega"
)
#: First words that deny or oppose what follows, or make something else of it.
_OPPOSING = _word_set(
    """non no not without anti pseudo pre post para hypo hyper un de counter ex quasi like mimic resistant free negative
    absent lack suspected inactive induced associated related
    """
)
#: Head nouns that say too little to be a parent, unless the vocabulary confirms it.
_GENERIC = _word_set(
    """disease disorder syndrome cell protein gene receptor pathway factor inhibitor antibody complex process response
    system level type activity function agent drug therapy treatment test tissue acid group family domain signaling
    """
)
_SHORTEST = 4  # characters of a name that may be a parent or root


class Hierarchy(Protocol):
    """The part of a vocabulary that names are checked against."""

    def concept(self, concept_id: str) -> Concept | None:
        """The concept, if it is known."""
        ...

    def is_a(self, child: str, ancestor: str, max_depth: int = ...) -> bool:
        """Whether the hierarchy has the child below the ancestor."""
        ...


Row = tuple[str, str, str, float, list[str], str]


def infer_typed(
    entities: pl.DataFrame,
    relations: pl.DataFrame,
    vocabulary: Hierarchy,
    *,
    max_per_node: int,
    max_total: int,
) -> pl.DataFrame:
    """Relations between entities of one semantic group by the words of their names, without those already asserted."""
    names = _names(entities)
    by_key: dict[tuple[str, ...], list[str]] = defaultdict(list)
    groups = {
        entity: group_of(category)
        for entity, category in entities.select("entity_id", "category").iter_rows()
    }
    for entity, words in names:
        by_key[words].append(entity)
    rows: list[Row] = [
        row for entity, words in names for row in _of_entity(entity, words, by_key, groups, vocabulary)
    ]
    fresh = _unasserted(candidates_frame(rows), relations)
    return inferred_table(KIND, cap(fresh, per_node=max_per_node, total=max_total))


def infer_egot(entities: pl.DataFrame, relations: pl.DataFrame, *, max_total: int) -> pl.DataFrame:
    """Any two entities that share the first four letters of a word, rarest roots first, up to `max_total`."""
    by_root: dict[str, list[str]] = defaultdict(list)
    for entity, name in entities.sort("entity_id").select("entity_id", "name").iter_rows():
        for root in sorted({w[:ROOT_LENGTH] for w in re.findall(r"[^\W\d_]{4,}", name.casefold())}):
            by_root[root].append(entity)
    pairs = (
        pair
        for _, members in sorted(by_root.items(), key=lambda item: (len(item[1]), item[0]))
        for pair in combinations(members, 2)
    )
    # A pair may share several roots: take enough for the cap after they are made distinct.
    distinct = dict.fromkeys(islice(pairs, 4 * max_total))
    rows: list[Row] = [
        (a, "related_to", b, _CONFIDENCE[EGOT_RULE], [], EGOT_RULE) for a, b in islice(distinct, max_total)
    ]
    return inferred_table(KIND, _unasserted(candidates_frame(rows), relations))


def _of_entity(
    entity: str,
    words: tuple[str, ...],
    by_key: dict[tuple[str, ...], list[str]],
    groups: dict[str, str],
    vocabulary: Hierarchy,
) -> Iterator[Row]:
    head = words[: words.index("of")] if "of" in words else words
    heads = [head[i:] for i in range(len(head)) if head[i:] != words]  # the longest, most particular, first
    parents = ((part, each) for part in heads for each in by_key.get(part, ()))
    for part, parent in parents:
        rule = _head_rule(entity, words, part, parent, vocabulary) if groups[parent] == groups[entity] else ""
        if rule:
            yield entity, "subclass_of", parent, _CONFIDENCE[rule], [], rule
            break
    for length in range(len(head) - 1, 0, -1):
        root = words[:length]
        others = [each for each in by_key.get(root, ()) if groups[each] == groups[entity]]
        if others and len(" ".join(root)) >= _SHORTEST and not _vetoed(words, root):
            first, second = sorted((entity, others[0]))
            yield first, "related_to", second, _CONFIDENCE[ROOT_RULE], [], ROOT_RULE
            break


def _head_rule(
    child: str, words: tuple[str, ...], part: tuple[str, ...], parent: str, vocabulary: Hierarchy
) -> str:
    """The rule that makes the child a kind of the parent; empty if none does."""
    if vocabulary.concept(child) is not None and vocabulary.concept(parent) is not None:
        return CONFIRMED_RULE if vocabulary.is_a(child, parent) else ""
    too_little = len(part) == 1 and (part[0] in _GENERIC or len(part[0]) < _SHORTEST)
    return "" if too_little or _vetoed(words, part) else HEAD_RULE


def _vetoed(words: tuple[str, ...], part: tuple[str, ...]) -> bool:
    """Whether numbers, Greek letters or an opposing word tell the two names apart."""
    rest = list(words)
    for word in part:
        rest.remove(word)
    return (
        _NUMBER.findall(" ".join(words)) != _NUMBER.findall(" ".join(part))
        or not _GREEK.isdisjoint(rest)
        or not _OPPOSING.isdisjoint(rest)
        or any(len(word) == 1 for word in rest)
    )


def _names(entities: pl.DataFrame) -> list[tuple[str, tuple[str, ...]]]:
    ordered = entities.sort("entity_id").select("entity_id", "name")
    return [(entity, tuple(normal_key(singular(name)).split())) for entity, name in ordered.iter_rows()]


def _unasserted(candidates: pl.DataFrame, relations: pl.DataFrame) -> pl.DataFrame:
    key = ["head_id", "predicate", "tail_id"]
    distinct = candidates.unique(key, keep="first", maintain_order=True)
    return distinct.join(relations.select(key), on=key, how="anti")
