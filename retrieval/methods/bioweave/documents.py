"""Hop-aware document retrieval (Algorithm 4): a query for each hop with names, aliases and relation phrases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from kg_pipeline.graph.reader import Entity
from kg_pipeline.vocabulary.predicates import PREDICATES
from retrieval.methods.bioweave.plan import Plan
from retrieval.methods.context import Context
from retrieval.paths.hops import Hop, Hops
from retrieval.paths.typed_paths import TypedPath
from retrieval.questions.links import Link
from retrieval.words.terms import find_name, tokenise

_ALIASES = 2
_FUSION = 60  # constant of reciprocal rank fusion
_PHRASES = 2


def hop_queries(plan: Plan, paths: Sequence[TypedPath], hops: Hops, missing: Iterable[str]) -> list[str]:
    """BuildHopQueries: the missing hops, the question, its pairs of names, then hops and partial chains of paths."""
    question = plan.question
    queries = [*missing, question.text]
    phrase = " ".join(_phrases(name for cue in plan.shape.cues for name in sorted(cue.predicates)))
    names = [_written(link.entities[0]) for link in question.links if link.entities]
    wanted = plan.shape.answer.word if plan.shape.answer else ""
    queries += [f"{one} {phrase} {other}" for one, other in pairwise(names)]
    queries += [f"{name} {phrase} {wanted}" for name in names]
    for path in paths:
        queries += [_hop_query(hop, hops) for hop in path.hops]
        if len(path.hops) > 1:
            ends = [hops.entities[entity_id].name for entity_id in path.entity_ids]
            queries.append(" ".join(ends))
    cleaned = (" ".join(query.split()) for query in queries)
    return list(dict.fromkeys(query for query in cleaned if query))


def _hop_query(hop: Hop, hops: Hops) -> str:
    names = [_written(hops.entities[end]) for end in (hop.start_id, hop.end_id)]
    return f"{names[0]} {' '.join(_phrases(sorted(hop.predicates)))} {names[1]}"


def _written(entity: Entity) -> str:
    """The name with the aliases that differ from it."""
    aliases = [alias for alias in entity.aliases if alias.lower() != entity.name.lower()]
    return " ".join([entity.name, *aliases[:_ALIASES]])


def _phrases(predicates: Iterable[str]) -> list[str]:
    labels = dict.fromkeys(PREDICATES[name].label for name in predicates if name in PREDICATES)
    return list(labels)[:_PHRASES]


def retrieve(
    context: Context, queries: Sequence[str], limit: int, links: Sequence[Link], names: Iterable[Entity]
) -> list[str]:
    """RetrieveMultiDoc and EntityAwareFilter: chunks by fusion of vectors and BM25 that name an entity looked for."""
    reader = context.reader
    scores: dict[str, float] = {}
    for query in queries:
        vector = context.embedder.vector(query)
        dense = reader.nearest("chunk", vector, limit, threshold=context.search.threshold)
        for ranking in (dense, reader.search_text("chunk", query, limit)):
            for rank, hit in enumerate(ranking, 1):
                scores[hit.id] = scores.get(hit.id, 0.0) + 1.0 / (_FUSION + rank)
    ranked = sorted(scores, key=lambda chunk_id: (-round(scores[chunk_id], 12), chunk_id))
    wanted = {entity_id for link in links for entity_id in link.ids} | {e.entity_id for e in names}
    mentioned = reader.entities_of(ranked)
    kept = [c for c in ranked if wanted.intersection(mentioned.get(c, ()))] if wanted else ranked
    if len(kept) < limit and links:
        # A name that the vocabulary missed in a passage is still in its text.
        rest = [chunk for chunk in reader.chunks(ranked) if chunk.chunk_id not in set(kept)]
        kept += [
            chunk.chunk_id
            for chunk in rest
            if any(find_name(tokenise(chunk.text), link.names) for link in links)
        ]
    return kept[:limit]
