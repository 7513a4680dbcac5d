"""The last step of ranking: what the walk reached, weighed by nearness to the question and to its second hop.

The passage that answers a second hop ("… the country that X is in") shares few words with the question: it is about an
entity that only the first passage names. So the question's vector is moved towards each such entity, which is as good
as embedding question and name together and needs no text to be written. The entities are those of the best passage of
the walk that the question does not name itself, by their own share of the walk.
"""

from __future__ import annotations

import math

import numpy as np

from kg_pipeline.graph.reader import GraphReader, Vector
from kg_pipeline.llm.embeddings import Embedder
from retrieval.ppr_settings import PageRankSettings
from retrieval.ppr_walk import Walk
from retrieval.question import Question


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
    """Passages near the question as seen from an entity of the best passage, with their best cosine."""
    bridges = _bridges(reader, question, walk, settings)
    found: dict[str, float] = {}
    for vector in embedder.embed(bridges) if bridges else ():
        for hit in reader.nearest("chunk", _moved(question.vector, vector), settings.hop_passages):
            found[hit.id] = max(hit.score, found.get(hit.id, 0.0))
    return found


def _bridges(reader: GraphReader, question: Question, walk: Walk, settings: PageRankSettings) -> list[str]:
    """Names of the entities to go on from: those of the most share, less where they are in many articles."""
    first = walk.passages[0][0]
    mentioned = set(reader.entities_of([first]).get(first, ())) - question.entity_ids
    entities = reader.entities(sorted(mentioned))
    weight = {
        entity.entity_id: walk.entities.get(entity.entity_id, 0.0) / math.log2(1 + max(entity.n_articles, 1))
        for entity in entities
    }
    ranked = sorted(entities, key=lambda e: (-round(weight[e.entity_id], 10), e.entity_id))
    return [entity.name for entity in ranked[: settings.bridges]]


def _moved(question: Vector, entity: Vector) -> Vector:
    """The unit vector halfway between two unit vectors."""
    total = question.astype(np.float64) + entity.astype(np.float64)
    length = float(np.linalg.norm(total))
    return (total / length).astype(np.float32) if length > 0 else question
