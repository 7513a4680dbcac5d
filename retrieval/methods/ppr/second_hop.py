"""The last step of ranking: what the walk reached, weighed by nearness to the question and to its second hop.

The passage that answers a second hop ("… of the country that X is in") shares few words with the question: it is about
an entity that only the first passage names. So the question is asked again with that entity in the place of the name
that the first passage explains ("… of the country that Somalia is in"), and the passages near it count. It is what a
language model does when it decomposes a question, with the graph in its place. The entities are those of the best
passage of the walk that the question does not name itself, by their own share of the walk.
"""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from kg_pipeline.graph.reader import Entity, GraphReader, Vector
from kg_pipeline.llm.embeddings import Embedder
from retrieval.methods.ppr.settings import PageRankSettings
from retrieval.methods.ppr.walk import Walk
from retrieval.questions.question import Question


def rerank(
    reader: GraphReader, embedder: Embedder, question: Question, walk: Walk, settings: PageRankSettings
) -> list[tuple[str, float]]:
    """Passages of the walk and of the second hop with their log score, by (-score, id)."""
    if not walk.passages:
        return []
    shares = dict(walk.passages[: settings.reranked])
    beyond = second_hop(reader, embedder, question, walk, settings)
    candidates = sorted({*shares, *beyond})
    cosines = reader.similarities("chunk", candidates, question.vector)
    scored = [
        (
            chunk_id,
            math.log(shares.get(chunk_id, 0.0) + settings.least_share)
            + settings.question_weight * cosine
            + settings.hop_weight * beyond.get(chunk_id, 0.0),
        )
        for chunk_id, cosine in zip(candidates, cosines, strict=True)
    ]
    return sorted(scored, key=lambda row: (-round(row[1], 6), row[0]))


def second_hop(
    reader: GraphReader, embedder: Embedder, question: Question, walk: Walk, settings: PageRankSettings
) -> dict[str, float]:
    """Passages near the question as asked of an entity of the best passage, with their best cosine."""
    mentioned = frozenset(reader.entities_of([walk.passages[0][0]]).get(walk.passages[0][0], ()))
    bridges = _bridges(reader, mentioned - question.entity_ids, walk, settings)
    place = _explained(question, mentioned)
    if place is None:
        named = reader.vectors("entity", [entity.entity_id for entity in bridges])
        vectors = [_moved(question.vector, vector) for vector in named.values()]
    else:
        start, end = place
        asked = [f"{question.text[:start]}{entity.name}{question.text[end:]}" for entity in bridges]
        vectors = list(embedder.embed(asked))
    found: dict[str, float] = {}
    for hits in reader.nearest_many("chunk", vectors, settings.hop_passages):
        for hit in hits:
            found[hit.id] = max(hit.score, found.get(hit.id, 0.0))
    return found


def _bridges(
    reader: GraphReader, entity_ids: Collection[str], walk: Walk, settings: PageRankSettings
) -> list[Entity]:
    """The entities to go on from: those of the most share, less where they are in many articles."""
    entities = reader.entities(sorted(entity_ids))
    weight = {
        entity.entity_id: walk.entities.get(entity.entity_id, 0.0) / math.log2(1 + max(entity.n_articles, 1))
        for entity in entities
    }
    ranked = sorted(entities, key=lambda e: (-round(weight[e.entity_id], 10), e.entity_id))
    return ranked[: settings.bridges]


def _explained(question: Question, mentioned: Collection[str]) -> tuple[int, int] | None:
    """Where the question has the name that a passage explains: of those the passage mentions, that of the fewest articles."""
    known = [
        (min(entity.n_articles for entity in link.entities), link.start, link.end)
        for link in question.links
        if not set(link.ids).isdisjoint(mentioned)
    ]
    return min(known)[1:] if known else None


def _moved(question: Vector, entity: Vector) -> Vector:
    """The unit vector halfway between two unit vectors: of a passage that mentions no name of the question."""
    total = question.astype(np.float64) + entity.astype(np.float64)
    length = float(np.linalg.norm(total))
    return (total / length).astype(np.float32) if length > 0 else question
