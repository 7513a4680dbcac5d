"""Where the walk of personalised PageRank starts: facts near the question, entities it names, passages near it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kg_pipeline.graph.reader import GraphReader
from retrieval.methods.ppr.facts import ScoredFact
from retrieval.methods.ppr.settings import PageRankSettings
from retrieval.questions.question import Question
from retrieval.words.terms import tokenise


@dataclass(frozen=True, slots=True)
class Seeds:
    """Weights of the entities and passages that the walk restarts at; they need not sum to 1."""

    entities: Mapping[str, float]
    passages: Mapping[str, float]

    @property
    def is_empty(self) -> bool:
        """Whether the walk has nowhere to start."""
        return not self.entities and not self.passages


def passage_prior(
    reader: GraphReader, question: Question, threshold: float, settings: PageRankSettings
) -> dict[str, float]:
    """Passages near the question with their share of the prior, best first.

    Cosines and BM25 scores are each divided by the best; the sharpness decides how far the prior leans to the first.
    Passages under the threshold of the vector search do not count, so that a foreign question finds nothing.
    """
    dense = {
        hit.id: hit.score
        for hit in reader.nearest("chunk", question.vector, settings.prior_passages, threshold=threshold)
    }
    lexical = {
        hit.id: hit.score for hit in reader.search_text("chunk", question.text, settings.prior_passages)
    }
    others = sorted(set(lexical) - set(dense))
    cosines = zip(others, reader.similarities("chunk", others, question.vector), strict=True)
    dense |= {chunk_id: cosine for chunk_id, cosine in cosines if cosine >= threshold}
    nearest = max(dense.values(), default=0.0)
    if nearest <= 0:
        return {}
    best = max(lexical.values(), default=0.0) or 1.0
    weight = {
        chunk_id: (max(cosine, 0.0) / nearest + settings.lexical * lexical.get(chunk_id, 0.0) / best)
        ** settings.prior_sharpness
        for chunk_id, cosine in dense.items()
    }
    total = sum(weight.values())
    ranked = sorted(weight, key=lambda chunk_id: (-weight[chunk_id], chunk_id))
    return {chunk_id: weight[chunk_id] / total for chunk_id in ranked}


def seed_weights(
    reader: GraphReader,
    question: Question,
    facts: Sequence[ScoredFact],
    prior: Mapping[str, float],
    settings: PageRankSettings,
) -> Seeds:
    """Restart weights.

    Each fact shares its softmax weight between its ends, each name of the question its weight among its entities; both
    are divided by the number of articles that mention the entity (node specificity of HippoRAG).
    """
    weights: dict[str, float] = {}
    best = facts[: settings.fact_seeds]
    if best:
        raw = np.exp((np.array([fact.score for fact in best]) - best[0].score) / settings.fact_temperature)
        for fact, share in zip(best, raw / raw.sum(), strict=True):
            for end in (fact.relation.head_id, fact.relation.tail_id):
                weights[end] = weights.get(end, 0.0) + settings.fact_mass * float(share) / 2
    names: dict[str, float] = {}
    spread: dict[str, int] = {}
    for link in question.links:
        for entity_id in link.ids:
            names[entity_id] = names.get(entity_id, 0.0) + settings.link_mass / len(link.ids)
            spread[entity_id] = max(spread.get(entity_id, 1), _spread(reader, link.text, settings))
    articles = {
        entity.entity_id: max(entity.n_articles, 1) for entity in reader.entities(sorted({*weights, *names}))
    }
    seeds = {
        entity_id: weights.get(entity_id, 0.0) / articles[entity_id]
        + names.get(entity_id, 0.0) / max(articles[entity_id], spread.get(entity_id, 1))
        for entity_id in sorted(articles)
    }
    return Seeds(seeds, {chunk_id: settings.prior_mass * share for chunk_id, share in prior.items()})


def _spread(reader: GraphReader, name: str, settings: PageRankSettings) -> int:
    """Passages with a one-word name: extraction may know "border" from one passage, and yet it is no name."""
    if len(tokenise(name)) > 1:
        return 1
    return max(1, len(reader.search_text("chunk", name, settings.link_passages)))
