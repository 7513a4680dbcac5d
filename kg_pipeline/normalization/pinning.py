"""The clusters of a standardisation after people's decisions: joined where they say so, parted where they say so.

A decision names two forms. To part them, the form that the corpus has less often leaves, with the forms of its own
spelling; to join them, the smaller entity goes into the larger one. Parting comes first, and names are not joined where
that would bring parted ones together again, so that a veto always holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kg_pipeline.fingerprint import short_digest
from kg_pipeline.normalization.decisions import Decisions, Pair
from kg_pipeline.normalization.standardise import (
    LOCAL,
    Cluster,
    Form,
    Standardised,
    cluster_of,
)
from kg_pipeline.vocabulary.categories import group_of
from kg_pipeline.vocabulary.names.name_parts import same_spelling

USER_DECISION = "user_decision"


def pinned(result: Standardised, decisions: Decisions) -> Standardised:
    """The standardisation with the decisions carried out; those about names that it lacks change nothing."""
    if not decisions:
        return result
    clusters = {cluster.entity_id: cluster for cluster in result.clusters}
    for pair in sorted(decisions.apart):
        _part(clusters, pair)
    for pair in sorted(decisions.merged):
        _join(clusters, pair, decisions.apart)
    return Standardised(tuple(clusters[entity_id] for entity_id in sorted(clusters)))


def _join(clusters: dict[str, Cluster], pair: Pair, apart: frozenset[Pair]) -> None:
    holders = [_holders(clusters, name) for name in pair]
    if not all(holders):
        return
    # A name that several entities have stands for the one that uses it most.
    first, second = (found[0] for found in holders)
    if first.entity_id == second.entity_id:
        return
    together = {form.name for form in (*first.forms, *second.forms)}
    if any(together.issuperset(vetoed) for vetoed in apart):
        return
    # An id of the vocabulary is what other graphs know the entity by; a local one is nobody's loss.
    keeper, gone = sorted(
        (first, second), key=lambda one: (one.entity_id.startswith(LOCAL), -_count(one.forms), one.entity_id)
    )
    moved = tuple(replace(form, pinned_to=keeper.entity_id) for form in gone.forms)
    del clusters[gone.entity_id]
    clusters[keeper.entity_id] = cluster_of(keeper.entity_id, (*keeper.forms, *moved))


def _part(clusters: dict[str, Cluster], pair: Pair) -> None:
    for cluster in sorted(clusters.values(), key=lambda one: one.entity_id):
        names = {form.name for form in cluster.forms}
        if not names.issuperset(pair):
            continue
        rarer = min(
            pair, key=lambda name: (_count(form for form in cluster.forms if form.name == name), name)
        )
        staying = next(name for name in pair if name != rarer)
        leaving = tuple(
            form
            for form in cluster.forms
            if form.name == rarer or (form.name != staying and same_spelling(form.name, rarer))
        )
        first = min(leaving, key=lambda form: form.key)
        entity_id = f"{LOCAL}{short_digest('apart', group_of(first.category), *first.key)}"
        kept = tuple(form for form in cluster.forms if form not in leaving)
        clusters[cluster.entity_id] = cluster_of(cluster.entity_id, kept)
        clusters[entity_id] = cluster_of(entity_id, leaving)


def _holders(clusters: dict[str, Cluster], name: str) -> list[Cluster]:
    found = [cluster for cluster in clusters.values() if any(form.name == name for form in cluster.forms)]
    return sorted(
        found, key=lambda one: (-_count(form for form in one.forms if form.name == name), one.entity_id)
    )


def _count(forms: Iterable[Form]) -> int:
    return sum(form.count for form in forms)
