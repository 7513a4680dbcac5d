"""Settings of the ranking by personalised PageRank."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageRankSettings:
    """Where the walk starts, what it moves over, and what is kept.

    The walk restarts at facts, at entities named in the question and at passages, with the three masses below. The
    weights of the last step were chosen by cross-validation over 50 random halvings of 100 MuSiQue questions: chosen on
    one half, they reach a recall of 60 % at 2 and 81 % at 5 on the other, and all passages within 5 for 63 %. The sizes
    are smaller than the best of them by what costs time and is worth a point or less.
    """

    # Passages: the prior is (cosine / best + lexical x BM25 / best) ^ sharpness.
    prior_passages: int = 40  # taken from the vector search and from BM25
    lexical: float = 0.3
    prior_sharpness: float = 12.0
    prior_mass: float = 0.15

    # Facts: statements of relations near the question.
    fact_passages: int = 15  # passages whose entities' relations are considered
    fact_entities: int = 24  # entities whose relations are considered, the nearest to the question
    fact_relations: int = 20  # of one entity
    facts: int = 8  # statements that are embedded and compared with the question
    fact_seeds: int = 8  # of them, that may start a walk
    fact_temperature: float = 0.03  # of the softmax over their cosines
    fact_cosine: float = 0.3  # a statement further away than this says nothing of the question
    fact_mass: float = 1.0

    # Entities that the question names.
    link_mass: float = 0.5
    link_passages: int = 100  # a one-word name found in as many passages is no name

    # Synonyms: entities whose names are near a seed's, found by the reader's vector index.
    synonym_cosine: float = 0.8
    synonyms: int = 10  # of one entity
    synonym_seeds: int = 3  # entities whose synonyms are looked for, those of the most mass

    # The neighbourhood that is walked.
    hops: int = 2
    max_entities: int = 150
    per_entity: int = 20  # relations
    chunks_per_entity: int = 10
    relation_sharpness: float = 3.0  # a relation weighs its nearness to the question to this power

    damping: float = 0.5  # HippoRAG's value: half of the steps return to where the walk starts
    tolerance: float = 1e-6
    iterations: int = 30

    # Ranking: log(share + least_share) + question_weight x cosine + hop_weight x cosine of the second hop.
    reranked: int = 200  # passages of the walk that are considered
    bridges: int = 8  # entities of the best passage that the question is asked of again
    hop_passages: int = 60  # found from each of them
    least_share: float = 2e-3
    question_weight: float = 1.0
    hop_weight: float = 8.0

    chunks: int = 12  # passages kept
