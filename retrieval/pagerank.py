"""Retrieval by personalised PageRank over entities and passages, fused with dense and lexical search.

A walk starts at the entities of the question and at the relations nearest to it, and moves along relations and along
mentions, so that passages several hops away gain weight where many ways lead to them (as in HippoRAG). The passages of
the walk, of the vector search and of BM25 are merged by reciprocal rank fusion; what follows is the second half of
Algorithm 2 and the reasoner's synthesis. No thoughts are generated: one search, at most one call of the reasoner.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from kg_pipeline.graph.reader import GraphReader
from retrieval.abstain import hopeless
from retrieval.answer import Answer, ThoughtTrace, Trace
from retrieval.asking import describe_links, spent, understand
from retrieval.context import Context
from retrieval.evidence import EvidenceState, Retrieved, Step
from retrieval.finish import finish
from retrieval.question import Question
from retrieval.reasoner import Draft
from retrieval.search import gather

Shares = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PageRankSettings:
    """Size of the neighbourhood that is walked and weights of the walk."""

    hops: int = 2  # from the seeds
    max_nodes: int = 2000
    per_node: int = 50
    chunks_per_entity: int = 10
    near_entities: int = 5  # seeds besides the linked entities, by cosine
    seed_cosine: float = 0.4
    damping: float = 0.5  # HippoRAG's value: half of the steps return to the seeds
    tolerance: float = 1e-8
    iterations: int = 100
    candidates: int = 30  # passages taken from each ranking
    chunks: int = 12  # passages kept
    fusion: int = 60  # constant of reciprocal rank fusion


class PageRank:
    """The method `ppr`."""

    name = "ppr"

    def __init__(self, settings: PageRankSettings | None = None) -> None:
        self.settings = settings or PageRankSettings()

    async def answer(self, question: str, context: Context) -> Answer:
        """Answer a question with one search."""
        started = time.perf_counter()
        before = context.reasoner.usage()
        asked = await asyncio.to_thread(understand, question, context)
        found = await asyncio.to_thread(walk_search, context, asked, self.settings)
        evidence = EvidenceState()
        evidence.add([Step(asked.text, "", found)])
        reason = hopeless(asked, evidence, context.abstention)
        draft = Draft(reason=reason) if reason else await context.reasoner.synthesise(asked, evidence)
        thought = ThoughtTrace(
            text=asked.text,
            score=1.0,
            depth=1,
            parent="question",
            status="explored",
            chunks=tuple(passage.chunk.chunk_id for passage in found.passages),
            entities=len(found.entities),
            relations=len(found.relations),
        )
        trace = Trace(
            entities=describe_links(asked), terms=asked.terms, thoughts=(thought,), stopped="one search"
        )
        return await asyncio.to_thread(
            finish,
            asked,
            draft,
            evidence,
            context,
            method=self.name,
            trace=trace,
            usage=spent(before, context.reasoner.usage(), 0 if reason else 1),
            seconds=time.perf_counter() - started,
        )


def walk_search(context: Context, question: Question, settings: PageRankSettings) -> Retrieved:
    """Passages by fusion of walk, vectors and BM25, with the entities and relations around them.

    A passage under the similarity threshold of the vector search counts only if the walk reached it too, so that a
    foreign question finds nothing.
    """
    reader = context.reader
    seeds = seed_weights(reader, question, settings)
    walked = rank_chunks(reader, seeds, settings)
    dense = reader.nearest("chunk", question.vector, settings.candidates, threshold=context.search.threshold)
    lexical = reader.search_text("chunk", question.text, settings.candidates)
    near = {hit.id for hit in dense} | {chunk_id for chunk_id, _ in walked[: settings.candidates]}
    rankings = [
        [chunk_id for chunk_id, _ in walked[: settings.candidates]],
        [hit.id for hit in dense],
        [hit.id for hit in lexical if hit.id in near],
    ]
    best = fuse(rankings, settings.fusion)[: settings.chunks]
    similarity = dict(zip(best, reader.similarities("chunk", best, question.vector), strict=True))
    return gather(reader, question.text, question.vector, similarity, context.search)


def seed_weights(reader: GraphReader, question: Question, settings: PageRankSettings) -> dict[str, float]:
    """Where the walk starts: linked entities share their link's weight of 1; near entities add their cosine."""
    weights: dict[str, float] = {}
    for link in question.links:
        for entity_id in link.ids:
            weights[entity_id] = weights.get(entity_id, 0.0) + 1.0 / len(link.ids)
    for hit in reader.nearest(
        "entity", question.vector, settings.near_entities, threshold=settings.seed_cosine
    ):
        weights[hit.id] = weights.get(hit.id, 0.0) + hit.score
    # An entity of many articles says little about where the answer is.
    rarity = {
        entity.entity_id: 1.0 / math.log2(2 + entity.n_articles)
        for entity in reader.entities(sorted(weights))
    }
    return {
        entity_id: weights[entity_id] * rarity[entity_id]
        for entity_id in sorted(weights)
        if entity_id in rarity
    }


def rank_chunks(
    reader: GraphReader, seeds: Mapping[str, float], settings: PageRankSettings
) -> list[tuple[str, float]]:
    """Chunks around the seeds with their share of the walk, by (-share, id)."""
    if not seeds:
        return []
    part = reader.expand(
        sorted(seeds), depth=settings.hops, per_node=settings.per_node, max_nodes=settings.max_nodes
    )
    entities = sorted(part.depths)
    mentions = reader.chunks_of(entities, per_entity=settings.chunks_per_entity)
    chunks = sorted({chunk_id for found in mentions.values() for chunk_id in found})
    index = {node: i for i, node in enumerate([*entities, *chunks])}
    edges: list[tuple[int, int, float]] = []
    for relation in reader.relations(sorted(part.relation_ids)):
        if relation.negated or relation.head_id not in index or relation.tail_id not in index:
            continue
        edges.append((index[relation.head_id], index[relation.tail_id], float(relation.confidence)))
    edges += [(index[entity], index[chunk], 1.0) for entity in entities for chunk in mentions.get(entity, ())]
    start = np.zeros(len(index))
    for entity_id, weight in seeds.items():
        if entity_id in index:
            start[index[entity_id]] = weight
    shares = pagerank(edges, start, settings)
    ranked = [(chunk_id, float(shares[index[chunk_id]])) for chunk_id in chunks]
    # Rounding keeps the order the same on machines that sum in another order.
    return sorted(ranked, key=lambda row: (-round(row[1], 10), row[0]))


def pagerank(edges: Sequence[tuple[int, int, float]], start: Shares, settings: PageRankSettings) -> Shares:
    """Shares of a walk with restart on an undirected weighted graph, by power iteration; they sum to 1."""
    restart: Shares = start / start.sum()
    size = len(start)
    if not edges:
        return restart
    heads, tails, weights = (np.array(column) for column in zip(*edges, strict=True))
    matrix = sparse.coo_matrix((weights, (heads, tails)), shape=(size, size)).tocsr()
    matrix = matrix + matrix.T
    degree = np.asarray(matrix.sum(axis=1)).ravel()
    inverse = np.divide(1.0, degree, out=np.zeros(size), where=degree > 0)
    transition = (sparse.diags(inverse) @ matrix).T.tocsr()
    shares = restart
    for _ in range(settings.iterations):
        moved = settings.damping * (transition @ shares)
        # What sits at nodes without edges returns to the seeds with the rest.
        following = moved + (1.0 - moved.sum()) * restart
        if np.abs(following - shares).sum() < settings.tolerance:
            return np.asarray(following)
        shares = following
    return np.asarray(shares)


def fuse(rankings: Sequence[Sequence[str]], constant: int) -> list[str]:
    """Reciprocal rank fusion: ids by (-sum of 1 / (constant + rank), id)."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking, 1):
            scores[key] = scores.get(key, 0.0) + 1.0 / (constant + rank)
    return sorted(scores, key=lambda key: (-scores[key], key))
