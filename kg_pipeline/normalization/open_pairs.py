"""Pairs of entities that the guarded rules leave open: their names look alike, no guard objects, and no rule joins them.

Candidates are blocked by character trigrams (`kg_pipeline.vocabulary.index.name_grams`), never compared all with all. At least
one of the two has no concept of a vocabulary: two concepts are two things, and no opinion changes that.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from kg_pipeline.normalization.decisions import Pair
from kg_pipeline.normalization.standardise import Cluster, Standardised
from kg_pipeline.vocabulary.guards.vetoes import veto
from kg_pipeline.vocabulary.index.name_grams import NameGrams, write_name_grams
from kg_pipeline.vocabulary.names.symbols import is_symbol
from kg_pipeline.vocabulary.names.variants import normal_key

LEAST_COSINE = 0.75


@dataclass(frozen=True, slots=True)
class OpenPair:
    """Two entities of which one has no concept, and the greatest cosine between names of theirs."""

    local: Cluster
    other: Cluster
    cosine: float


def open_pairs(result: Standardised, most: int, apart: frozenset[Pair] = frozenset()) -> list[OpenPair]:
    """At most `most` pairs, those that look most alike first, then those with most mentions.

    `apart` are pairs of names that people decided to be two entities.
    """
    names = [(form.name, cluster) for cluster in result.clusters for form in cluster.forms]
    if not names or most <= 0:
        return []
    keys = [normal_key(name) for name, _ in names]
    with tempfile.TemporaryDirectory() as folder:
        write_name_grams(lambda: [keys], Path(folder))
        grams = NameGrams(Path(folder), keys.__getitem__)
        cosines: dict[tuple[str, str], float] = {}
        for key, (name, cluster) in zip(keys, names, strict=True):
            if not is_local(cluster) or is_symbol(name):
                continue
            for number, cosine in grams.similar(key, LEAST_COSINE):
                other = names[number][1]
                pair = _in_order(cluster, other)
                if other.entity_id != cluster.entity_id and not is_symbol(names[number][0]):
                    cosines[pair] = max(cosine, cosines.get(pair, 0.0))
    by_id = {cluster.entity_id: cluster for cluster in result.clusters}
    found = []
    for (one, two), cosine in sorted(cosines.items(), key=lambda item: (-item[1], item[0])):
        first, second = by_id[one], by_id[two]
        if not is_vetoed(first, second, apart):
            local, other = (first, second) if is_local(first) else (second, first)
            found.append(OpenPair(local, other, cosine))
    return sorted(found, key=_precedence)[:most]


def is_local(cluster: Cluster) -> bool:
    """Whether no concept of a vocabulary is known for an entity."""
    return all(form.link is None for form in cluster.forms)


def is_vetoed(first: Cluster, second: Cluster, apart: frozenset[Pair] = frozenset()) -> bool:
    """Whether a guard objects to any pair of names of the two (complete linkage), or a person did."""
    names = {form.name for form in (*first.forms, *second.forms)}
    if any(names.issuperset(pair) for pair in apart):
        return True
    return any(veto(one.named, other.named) for one in first.forms for other in second.forms)


def _in_order(first: Cluster, second: Cluster) -> tuple[str, str]:
    one, other = sorted((first.entity_id, second.entity_id))
    return one, other


def _precedence(pair: OpenPair) -> tuple[float, int, str, str]:
    mentions = sum(form.count for cluster in (pair.local, pair.other) for form in cluster.forms)
    return -pair.cosine, -mentions, pair.local.entity_id, pair.other.entity_id
