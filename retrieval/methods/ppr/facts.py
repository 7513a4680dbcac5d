"""Facts near a question: relations of the graph whose statement is near it in the embedding space.

A graph has too many relations to embed them all for one question, and no store keeps their vectors. So relations are
first chosen by what costs nothing (nearness of their ends, of the passage both ends stand in, shared words), and only
the statements of the best are embedded. The statement is the author's own words where there is evidence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from kg_pipeline.graph.reader import ASSERTED, GraphReader, Relation, Vector
from kg_pipeline.llm.embeddings import Embedder
from kg_pipeline.vocabulary.predicates import PREDICATES
from retrieval.methods.ppr.settings import PageRankSettings
from retrieval.questions.question import Question
from retrieval.words.terms import content_stems

_WORDS = 0.5  # weight of shared words beside cosines
_STATEMENTS = 3  # of one relation: it may be put in several ways, or hold several predicates of the authors
_FURTHER_END = 0.5  # the further end of a relation is often the answer, of which the question says nothing


@dataclass(frozen=True, slots=True)
class ScoredFact:
    """A relation with the cosine of its nearest statement to the question."""

    relation: Relation
    score: float


def near_facts(
    reader: GraphReader,
    embedder: Embedder,
    question: Question,
    passages: Mapping[str, float],
    settings: PageRankSettings,
) -> list[ScoredFact]:
    """Asserted relations near the question, by (-cosine, id).

    Parameters
    ----------
    reader
        The graph version.
    embedder
        Embeds at most `settings.facts` statements; one that remembers them makes the next question cheaper.
    question
        The question, with the entities it names.
    passages
        Passages near the question with their weight, best first.
    settings
        How many are considered.

    """
    chunk_ids = list(passages)[: settings.fact_passages]
    mentioned = reader.entities_of(chunk_ids)
    entities = _nearest_entities(reader, question, mentioned, settings)
    relations = [
        relation
        for relation in reader.relations(
            reader.neighbours(entities, kinds=ASSERTED, per_node=settings.fact_relations)
        )
        if not relation.negated
    ]
    chosen = _preselect(reader, question, relations, mentioned, passages, settings.facts)
    if not chosen:
        return []
    texts: list[str] = []
    owners: list[int] = []
    for number, said in enumerate(statements(reader, chosen)):
        texts += said[: settings.facts - len(texts)]
        owners += [number] * (len(texts) - len(owners))
    vectors = embedder.embed(texts)
    cosines = np.round(vectors.astype(np.float64) @ question.vector.astype(np.float64), 6)
    scores = np.full(len(chosen), -1.0)
    np.maximum.at(scores, owners, cosines)
    facts = [
        ScoredFact(relation, float(score))
        for relation, score in zip(chosen, scores, strict=True)
        if score >= settings.fact_cosine
    ]
    return sorted(facts, key=lambda fact: (-fact.score, fact.relation.relation_id))


def statements(reader: GraphReader, relations: Sequence[Relation]) -> list[list[str]]:
    """Statements of each relation: head, predicate and tail in the words of its best evidence, else by their names."""
    said: dict[str, list[str]] = {}
    for row in reader.evidence([relation.relation_id for relation in relations], per_relation=_STATEMENTS):
        said.setdefault(row.relation_id, []).append(f"{row.head_text} {row.predicate_text} {row.tail_text}")
    bare = [relation for relation in relations if relation.relation_id not in said]
    ends = sorted({end for relation in bare for end in (relation.head_id, relation.tail_id)})
    names = {entity.entity_id: entity.name for entity in reader.entities(ends)}
    for relation in bare:
        predicate = PREDICATES.get(relation.predicate)
        label = predicate.label if predicate else relation.predicate.replace("_", " ")
        said[relation.relation_id] = [
            f"{names.get(relation.head_id, '')} {label} {names.get(relation.tail_id, '')}"
        ]
    return [list(dict.fromkeys(said[relation.relation_id])) for relation in relations]


def _nearest_entities(
    reader: GraphReader,
    question: Question,
    mentioned: Mapping[str, Sequence[str]],
    settings: PageRankSettings,
) -> list[str]:
    """Entities that the question names, and those nearest to it among its passages' and all the graph's."""
    candidates = sorted({entity_id for ids in mentioned.values() for entity_id in ids})
    score = dict(zip(candidates, reader.similarities("entity", candidates, question.vector), strict=True))
    for hit in reader.nearest("entity", question.vector, settings.fact_entities):
        score[hit.id] = hit.score
    ranked = sorted(score, key=lambda entity_id: (-score[entity_id], entity_id))
    return sorted({*ranked[: settings.fact_entities], *question.entity_ids})


def _preselect(
    reader: GraphReader,
    question: Question,
    relations: Sequence[Relation],
    mentioned: Mapping[str, Sequence[str]],
    passages: Mapping[str, float],
    limit: int,
) -> list[Relation]:
    ends = sorted({end for relation in relations for end in (relation.head_id, relation.tail_id)})
    nearness = dict(zip(ends, reader.similarities("entity", ends, question.vector), strict=True))
    names = {entity.entity_id: entity.name for entity in reader.entities(ends)}
    stems = {entity_id: _name_stems(name) for entity_id, name in names.items()}
    asked = frozenset(content_stems(question.text))
    places: dict[str, set[str]] = {}
    for chunk_id, entity_ids in mentioned.items():
        for entity_id in entity_ids:
            places.setdefault(entity_id, set()).add(chunk_id)
    together = _cosines(reader, sorted(mentioned), question.vector)

    def promise(relation: Relation) -> float:
        head, tail = nearness[relation.head_id], nearness[relation.tail_id]
        shared = places.get(relation.head_id, set()) & places.get(relation.tail_id, set())
        words = stems.get(relation.head_id, frozenset()) | stems.get(relation.tail_id, frozenset())
        overlap = len(words & asked) / math.sqrt(max(1, len(words)))
        return (
            max(head, tail)
            + _FURTHER_END * min(head, tail)
            + max((together[chunk_id] for chunk_id in shared), default=0.0)
            + _WORDS * overlap
        )

    ranked = sorted(relations, key=lambda relation: (-round(promise(relation), 6), relation.relation_id))
    return ranked[:limit]


@lru_cache(maxsize=65536)  # names of hubs come up in every question
def _name_stems(name: str) -> frozenset[str]:
    return frozenset(content_stems(name))


def _cosines(reader: GraphReader, chunk_ids: Sequence[str], vector: Vector) -> dict[str, float]:
    return dict(zip(chunk_ids, reader.similarities("chunk", chunk_ids, vector), strict=True))
