"""The walk of personalised PageRank over the neighbourhood of its seeds: entities, passages, and what joins them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from kg_pipeline.graph.reader import GraphReader, Vector
from retrieval.methods.ppr.facts import ScoredFact
from retrieval.methods.ppr.seeds import Seeds
from retrieval.methods.ppr.settings import PageRankSettings

Shares = npt.NDArray[np.float64]
Edge = tuple[int, int, float]


@dataclass(frozen=True, slots=True)
class Walk:
    """Where the walk spends its time: passages by (-share, id), and the share of each entity."""

    passages: Sequence[tuple[str, float]]
    entities: Mapping[str, float]


def synonym_edges(
    reader: GraphReader, seeds: Mapping[str, float], settings: PageRankSettings
) -> list[tuple[str, str, float]]:
    """Pairs of a seed and an entity whose names are near its own, with the cosine.

    One look-up in the vector index for each of the heaviest seeds, so the cost does not grow with the pairs of the
    graph. The edges exist for the walk only; nothing is merged.
    """
    heaviest = sorted(seeds, key=lambda entity_id: (-seeds[entity_id], entity_id))[: settings.synonym_seeds]
    vectors = reader.vectors("entity", heaviest)
    edges: dict[tuple[str, str], float] = {}
    near = reader.nearest_many(
        "entity", list(vectors.values()), settings.synonyms + 1, threshold=settings.synonym_cosine
    )
    for entity_id, hits in zip(vectors, near, strict=True):
        for hit in hits:
            if hit.id != entity_id:
                first, second = sorted((entity_id, hit.id))
                edges[first, second] = max(hit.score, edges.get((first, second), 0.0))
    return [(first, second, cosine) for (first, second), cosine in sorted(edges.items())]


def walk(
    reader: GraphReader,
    seeds: Seeds,
    facts: Sequence[ScoredFact],
    synonyms: Sequence[tuple[str, str, float]],
    vector: Vector,
    settings: PageRankSettings,
) -> Walk:
    """Walk over the neighbourhood of the seeds."""
    if seeds.is_empty:
        return Walk((), {})
    roots = sorted({*seeds.entities, *(end for first, second, _ in synonyms for end in (first, second))})
    part = reader.expand(
        roots, depth=settings.hops, per_node=settings.per_entity, max_nodes=settings.max_entities
    )
    mentioned = reader.entities_of(sorted(seeds.passages))
    entities = sorted({*part.depths, *(entity_id for ids in mentioned.values() for entity_id in ids)})
    mentions = reader.chunks_of(entities, per_entity=settings.chunks_per_entity)
    pairs = {(entity_id, chunk_id) for entity_id, ids in mentions.items() for chunk_id in ids}
    pairs |= {(entity_id, chunk_id) for chunk_id, ids in mentioned.items() for entity_id in ids}
    chunks = sorted({chunk_id for _, chunk_id in pairs} | set(seeds.passages))
    # Both kinds in one index; a chunk and an entity may have the same id.
    entity_at = {entity_id: i for i, entity_id in enumerate(entities)}
    chunk_at = {chunk_id: len(entities) + i for i, chunk_id in enumerate(chunks)}
    edges = _relation_edges(reader, part.relation_ids, entity_at, facts, vector, settings)
    edges += [
        (entity_at[one], entity_at[other], cosine)
        for one, other, cosine in synonyms
        if one in entity_at and other in entity_at
    ]
    edges += [(entity_at[entity_id], chunk_at[chunk_id], 1.0) for entity_id, chunk_id in sorted(pairs)]
    start = np.zeros(len(entities) + len(chunks))
    for entity_id, weight in seeds.entities.items():
        if entity_id in entity_at:
            start[entity_at[entity_id]] = weight
    for chunk_id, weight in seeds.passages.items():
        start[chunk_at[chunk_id]] = weight
    if not start.any():
        return Walk((), {})
    shares = pagerank(edges, start, settings)
    return Walk(_ranked(chunks, shares[len(entities) :]), dict(zip(entities, shares.tolist(), strict=False)))


def _ranked(chunks: Sequence[str], shares: Shares) -> list[tuple[str, float]]:
    """The chunks that have a share, by (-share, id); `chunks` are in the order of their ids.

    Rounding keeps the order the same on machines that sum in another order.
    """
    order = np.argsort(-np.round(shares, 10), kind="stable")
    return [(chunks[at], float(shares[at])) for at in order.tolist() if shares[at] > 0]


def _relation_edges(
    reader: GraphReader,
    relation_ids: Sequence[str],
    entity_at: Mapping[str, int],
    facts: Sequence[ScoredFact],
    vector: Vector,
    settings: PageRankSettings,
) -> list[Edge]:
    """Relations weighted by confidence and by nearness to the question.

    The nearness is that of the statement where it was embedded, else the mean of the ends'.
    """
    stated = {fact.relation.relation_id: fact.score for fact in facts}
    relations = [
        relation
        for relation in reader.relations(sorted({*relation_ids, *stated}))
        if not relation.negated and relation.head_id in entity_at and relation.tail_id in entity_at
    ]
    ends = sorted({end for relation in relations for end in (relation.head_id, relation.tail_id)})
    nearness = dict(zip(ends, reader.similarities("entity", ends, vector), strict=True))
    edges = []
    for relation in relations:
        near = stated.get(relation.relation_id)
        if near is None:
            near = (nearness[relation.head_id] + nearness[relation.tail_id]) / 2
        weight = max(near, 0.0) ** settings.relation_sharpness * relation.confidence
        edges.append((entity_at[relation.head_id], entity_at[relation.tail_id], weight))
    return edges


def pagerank(edges: Sequence[Edge], start: Shares, settings: PageRankSettings) -> Shares:
    """Shares of a walk with restart on an undirected weighted graph, by power iteration; they sum to 1."""
    restart: Shares = start / start.sum()
    size = len(start)
    if not edges:
        return restart
    heads, tails, weights = (np.array(column) for column in zip(*edges, strict=True))
    # Both ways of each edge; the walk leaves a node by each in proportion to its weight.
    sources, targets = np.concatenate([heads, tails]), np.concatenate([tails, heads])
    leaving = np.concatenate([weights, weights])
    degree = np.bincount(sources, leaving, minlength=size)[sources]
    share = np.divide(leaving, degree, out=np.zeros(len(leaving)), where=degree > 0)
    transition = sparse.csr_matrix((share, (targets, sources)), shape=(size, size))
    shares = restart
    for _ in range(settings.iterations):
        moved = settings.damping * (transition @ shares)
        # What sits at nodes without edges returns to the seeds with the rest.
        following = moved + (1.0 - moved.sum()) * restart
        if np.abs(following - shares).sum() < settings.tolerance:
            return np.asarray(following)
        shares = following
    return np.asarray(shares)
