"""Graph-enhanced retrieval: Algorithm 2 of the eGoT paper.

Chunks near the query are grouped by document; the entities in them are explored to a depth that depends on how near
they are to the query (equation 8); what the bounded breadth-first search meets is de-duplicated and laid out.

Departures from the paper, with the reason:

- entities of one depth are traversed together, not one by one (lines 14 to 22): their union, which lines 26 and 27 take,
  is the same, and neighbourhoods that overlap are read once;
- what is met is cut to caps for a node, an entity and the whole, asserted before inferred and hubs last: without them one
  hub fills the context;
- entities of depth 0 are listed, though not traversed: a passage mentions them, and their types help to read it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kg_pipeline.graph.reader import ALL_KINDS, GraphReader, Relation, Vector
from retrieval.evidence import Passage, Quote, Retrieved, Seed, quote_of
from retrieval.layout import context_text


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Parameters of Algorithm 2.

    `shallow` and `deep` are theta_a and theta_b of section 2.3. The paper gives no number for the similarity threshold
    tau nor for the chunks kept; the defaults suit MiniLM cosines. The caps keep hubs from flooding the result.
    """

    threshold: float = 0.2
    chunks: int = 10
    shallow: float = 0.3
    deep: float = 0.9
    kinds: Collection[str] = ALL_KINDS
    per_node: int = 20
    max_nodes: int = 200
    max_entities: int = 60
    max_relations: int = 60
    per_entity: int = 8  # relations kept of one entity
    quotes: int = 2  # sentences kept of one relation

    def __post_init__(self) -> None:
        if not 0 < self.shallow < self.deep < 1:
            raise ValueError(
                f"0 < shallow < deep < 1 must hold, not shallow={self.shallow}, deep={self.deep}."
            )


def exploration_depth(similarity: float, settings: SearchSettings) -> int:
    """Equation 8: 0 below theta_a, 1 up to and including theta_b, 2 above it."""
    if similarity < settings.shallow:
        return 0
    return 1 if similarity <= settings.deep else 2


def search(
    reader: GraphReader, query: str, vector: Vector, settings: SearchSettings | None = None
) -> Retrieved:
    """Passages, entities and relations for a query with its unit vector."""
    settings = settings or SearchSettings()
    hits = reader.nearest("chunk", vector, settings.chunks, threshold=settings.threshold)
    return gather(reader, query, vector, {hit.id: hit.score for hit in hits}, settings)


def gather(
    reader: GraphReader, query: str, vector: Vector, scores: dict[str, float], settings: SearchSettings
) -> Retrieved:
    """Everything of Algorithm 2 after the vector search, for chunks found in whichever way (id to score)."""
    ranked = sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))
    passages = tuple(Passage(chunk, scores[chunk.chunk_id]) for chunk in reader.chunks(ranked))
    articles = list(dict.fromkeys(passage.chunk.article_id for passage in passages))

    mentioned = reader.entities_of([passage.chunk.chunk_id for passage in passages])
    candidates = sorted({entity_id for ids in mentioned.values() for entity_id in ids})
    similarity = dict(zip(candidates, reader.similarities("entity", candidates, vector), strict=True))
    distances, relation_ids, truncated = _traverse(reader, similarity, settings)

    found = sorted(distances)
    unknown = [entity_id for entity_id in found if entity_id not in similarity]
    similarity |= dict(zip(unknown, reader.similarities("entity", unknown, vector), strict=True))
    relations = cut(reader.relations(relation_ids), similarity, settings)
    touched = {end for relation in relations for end in (relation.head_id, relation.tail_id)}
    kept = [entity_id for entity_id in found if entity_id in touched or distances[entity_id] == 0]
    kept.sort(key=lambda entity_id: (entity_id not in touched, -similarity[entity_id], entity_id))
    entities = tuple(
        Seed(entity, similarity[entity.entity_id], distances[entity.entity_id])
        for entity in reader.entities(kept[: max(settings.max_entities, len(touched))])
    )
    documents = tuple(reader.documents(articles))
    return Retrieved(
        query=query,
        documents=documents,
        passages=passages,
        entities=entities,
        relations=relations,
        quotes=quotes_for(reader, relations, settings.quotes),
        truncated=truncated or len(relations) < len(relation_ids),
        text=context_text(documents, passages, entities, relations),
    )


def quotes_for(
    reader: GraphReader, relations: Sequence[Relation], per_relation: int
) -> dict[str, tuple[Quote, ...]]:
    """The best sentences of each asserted relation; inferred ones have premises instead."""
    asserted = [relation.relation_id for relation in relations if relation.kind == "asserted"]
    quotes: dict[str, list[Quote]] = {}
    for evidence in reader.evidence(asserted, per_relation=per_relation):
        quotes.setdefault(evidence.relation_id, []).append(quote_of(evidence))
    return {relation_id: tuple(found) for relation_id, found in quotes.items()}


def _traverse(
    reader: GraphReader, similarity: dict[str, float], settings: SearchSettings
) -> tuple[dict[str, int], list[str], bool]:
    """Bounded breadth-first search from the entities of each depth; the reader leaves out structural relations."""
    seeds: dict[int, list[str]] = {1: [], 2: []}
    for entity_id, value in sorted(similarity.items(), key=lambda item: (-item[1], item[0])):
        if depth := exploration_depth(value, settings):
            seeds[depth].append(entity_id)
    distances: dict[str, int] = {}
    relation_ids: dict[str, None] = {}
    truncated = False
    for depth in (2, 1):
        if not seeds[depth]:
            continue
        part = reader.expand(
            seeds[depth],
            depth=depth,
            kinds=settings.kinds,
            per_node=settings.per_node,
            max_nodes=settings.max_nodes,
        )
        for entity_id, distance in part.depths.items():
            distances[entity_id] = min(distance, distances.get(entity_id, distance))
        relation_ids |= dict.fromkeys(part.relation_ids)
        truncated |= part.truncated
    return distances, list(relation_ids), truncated


def cut(
    relations: Sequence[Relation], similarity: dict[str, float], settings: SearchSettings
) -> tuple[Relation, ...]:
    """The most relevant relations, asserted before inferred, with a cap an entity so that no hub takes all places."""
    degree = Counter(end for relation in relations for end in {relation.head_id, relation.tail_id})

    def relevance(relation: Relation) -> float:
        ends = (relation.head_id, relation.tail_id)
        nearness = sum(max(similarity.get(end, 0.0), 0.0) for end in ends) / 2
        return relation.confidence * nearness / math.log2(2 + max(degree[end] for end in ends))

    ranked = sorted(
        relations,
        key=lambda relation: (relation.kind != "asserted", -relevance(relation), relation.relation_id),
    )
    taken: Counter[str] = Counter()
    kept: list[Relation] = []
    for relation in ranked:
        ends = {relation.head_id, relation.tail_id}
        if len(kept) == settings.max_relations:
            break
        # Both ends full: the pair is a hub pair already well shown. One end full: the other is still new.
        if all(taken[end] >= settings.per_entity for end in ends) or any(
            taken[end] >= 3 * settings.per_entity for end in ends
        ):
            continue
        kept.append(relation)
        taken.update(ends)
    return tuple(kept)
