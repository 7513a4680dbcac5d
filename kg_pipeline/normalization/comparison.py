"""What the guarded rules and the published ones make of the same names, pair by pair.

A pair is a form and the name of the cluster it went to. For every pair that only the published rules join, the guards
are asked why not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kg_pipeline.normalization.egot import standardise_egot
from kg_pipeline.normalization.standardise import Cluster, Form, Standardised, standardise
from kg_pipeline.vocabulary.guards.vetoes import veto

NO_REASON = "no rule joins them"


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    """Two names that one of the settings joins and the other keeps apart, and how often the corpus has them."""

    mentions: int
    name: str
    other: str
    reason: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Counts of both settings, and the pairs that only one of them joins, those with most mentions first.

    `objections` counts the reasons of guards against the pairs that only the published rules join.
    """

    forms: int
    guarded_entities: int
    egot_entities: int
    both: int
    only_guarded: tuple[Difference, ...]
    only_egot: tuple[Difference, ...]
    objections: Counter[str]


def compare(forms: Iterable[Form]) -> Comparison:
    """Standardise the forms by both settings and set the results side by side."""
    listed = sorted(forms, key=lambda form: form.key)
    guarded, egot = standardise(listed), standardise_egot(listed)
    guarded_pairs, egot_pairs = _pairs(guarded), _pairs(egot)
    of_guarded, of_egot = _cluster_of(guarded), _cluster_of(egot)
    only_guarded = [
        Difference(form.count + chief.count, form.name, chief.name, "another stem")
        for form, chief in guarded_pairs
        if of_egot[form.key] != of_egot[chief.key]
    ]
    only_egot = [
        Difference(
            form.count + chief.count, form.name, chief.name, veto(form.named, chief.named) or NO_REASON
        )
        for form, chief in egot_pairs
        if of_guarded[form.key] != of_guarded[chief.key]
    ]
    return Comparison(
        len(listed),
        len(guarded.clusters),
        len(egot.clusters),
        len(egot_pairs) - len(only_egot),
        _most_first(only_guarded),
        _most_first(only_egot),
        Counter(difference.reason.partition(":")[0] for difference in only_egot),
    )


def _pairs(result: Standardised) -> list[tuple[Form, Form]]:
    pairs = []
    for cluster in result.clusters:
        chief = _chief(cluster)
        pairs += [(form, chief) for form in cluster.forms if form.name != chief.name]
    return pairs


def _chief(cluster: Cluster) -> Form:
    named = [form for form in cluster.forms if form.name == cluster.name]
    return max(named, key=lambda form: (form.count, form.key))


def _cluster_of(result: Standardised) -> dict[tuple[str, str, str], str]:
    return {form.key: cluster.entity_id for cluster in result.clusters for form in cluster.forms}


def _most_first(differences: Sequence[Difference]) -> tuple[Difference, ...]:
    return tuple(sorted(differences, key=lambda one: (-one.mentions, one.name, one.other)))
