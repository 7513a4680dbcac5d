"""Pruning and verification of evidence units (section 5.3, Algorithm 6)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kg_pipeline.graph.reader import Vector
from kg_pipeline.llm.embeddings import Embedder
from retrieval.methods.bioweave.settings import BioWeaveSettings
from retrieval.methods.bioweave.units import Unit


@dataclass(frozen=True, slots=True)
class Scored:
    """A unit with its relevance, its verification and what comes of both."""

    unit: Unit
    relevance: float  # s_rel
    verification: float  # s_ver
    cross: float  # s_cross


def score_units(
    units: Sequence[Unit],
    question: Vector,
    topic: Collection[str],
    embedder: Embedder,
    settings: BioWeaveSettings,
    *,
    required: Collection[str] = (),
) -> list[Scored]:
    """The W_1 most relevant units with all scores, best first by cross-score.

    Parameters
    ----------
    units
        The candidate pool U_q.
    question
        Unit vector of the question.
    topic
        Entities of the question, Topic(q).
    embedder
        h of the paper.
    settings
        Weights and budgets.
    required
        Keys of units that are kept whatever their relevance, because a path to an answer leads over them.

    """
    if not units:
        return []
    vectors = embedder.embed([unit.text for unit in units])
    relevance = [
        settings.semantic * max(float(vectors[i] @ question), 0.0)
        + settings.entity * jaccard(topic, unit.entity_ids)
        for i, unit in enumerate(units)
    ]
    order = sorted(
        range(len(units)),
        key=lambda i: (units[i].key not in required, -round(relevance[i], 9), units[i].key),
    )[: max(settings.pool, len(required))]
    pairs = {unit.entity_ids for unit in units if unit.source == "kg"}
    scored = []
    for i in order:
        unit = units[i]
        supporters = {
            units[j].source
            for j in order
            if units[j].source != unit.source
            and _same_things(unit, units[j])
            and float(vectors[i] @ vectors[j]) >= settings.support_cosine
        }
        verification = (
            settings.prior_weight * settings.priors[unit.source]
            + settings.support_weight * min(len(supporters) / settings.support_cap, 1.0)
            + settings.graph_weight * _grounding(unit, pairs)
        )
        cross = settings.relevance * relevance[i] + (1 - settings.relevance) * verification
        scored.append(Scored(unit, relevance[i], verification, cross))
    return sorted(scored, key=lambda row: (-round(row.cross, 9), row.unit.key))


def jaccard(one: Collection[str], other: Collection[str]) -> float:
    """Shared elements over all elements; 0 for two empty sets."""
    first, second = frozenset(one), frozenset(other)
    union = first | second
    return len(first & second) / len(union) if union else 0.0


def _same_things(one: Unit, other: Unit) -> bool:
    """Whether two units can be about one statement: they share both entities, or all that either names."""
    shared = one.entity_ids & other.entity_ids
    return len(shared) >= min(2, len(one.entity_ids), len(other.entity_ids)) and bool(shared)


def _grounding(unit: Unit, pairs: Collection[frozenset[str]]) -> float:
    """r_kg: 1 for a relation of the graph or a sentence about a pair that has one, half for a sentence with entities."""
    if unit.source == "kg" or unit.entity_ids in pairs:
        return 1.0
    return 0.5 if unit.entity_ids else 0.0


def select(scored: Sequence[Scored], settings: BioWeaveSettings, required: Collection[str]) -> list[Scored]:
    """The selector without a language model: the required units of the top W_2, then the best up to K."""
    first = [row for row in scored if row.unit.key in required]
    rest = [row for row in scored[: settings.verified] if row.unit.key not in required]
    kept = [*first, *rest][: max(settings.selected, len(first))]
    return sorted(kept, key=lambda row: (-round(row.cross, 9), row.unit.key))
