"""BuildHopQueries: queries for each hop of the gold graph and for the chains of several (section 4.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kg_pipeline.vocabulary.names.variants import normal_key
from retrieval.evaluation.biomedhop.items import GoldEdge, HopQuery, ItemEntity

_ALIASES = 1


def hop_queries(edges: Sequence[GoldEdge], entities: Sequence[ItemEntity]) -> tuple[HopQuery, ...]:
    """Queries of the edges of one answer: by name, by alias, by identifier, then every partial chain of two hops or more.

    In a star (an answer with anchors or clues) the chains lead from a neighbour over the answer to the next one.
    """
    by_id = {entity.entity_id: entity for entity in entities}
    queries = [
        query for edge in edges for query in _of_hop(edge, by_id[edge.source_id], by_id[edge.target_id])
    ]
    for first in range(len(edges)):
        for last in range(first + 1, len(edges)):
            chain = edges[first : last + 1]
            text = " ".join(_told(chain, by_id))
            queries.append(HopQuery(kind="chain", hops=tuple(edge.hop for edge in chain), text=text))
    return tuple(queries)


def _of_hop(edge: GoldEdge, source: ItemEntity, target: ItemEntity) -> Iterator[HopQuery]:
    texts = [f"{one} {edge.phrase} {other}" for one, other in _writings(source, target)]
    for text in dict.fromkeys(texts):
        yield HopQuery(kind="hop", hops=(edge.hop,), text=text)


def _writings(source: ItemEntity, target: ItemEntity) -> Iterator[tuple[str, str]]:
    yield source.name, target.name
    yield _alias(source), _alias(target)
    yield source.entity_id, target.entity_id


def _alias(entity: ItemEntity) -> str:
    known = (normal_key(entity.name), normal_key(entity.entity_id))
    others = [name for name in entity.accepted if normal_key(name) not in known]
    return others[0] if others[:_ALIASES] else entity.name


def _told(chain: Sequence[GoldEdge], by_id: dict[str, ItemEntity]) -> Iterator[str]:
    """Names and phrases of a chain in order, a name that was just said once."""
    last = ""
    for edge in chain:
        for part in (edge.source_id, edge.phrase, edge.target_id):
            if part != last:
                yield by_id[part].name if part in by_id else part
            last = part
