"""Retrieval by personalised PageRank over entities and passages, which needs no language model.

A walk starts at the facts nearest to the question, at the entities it names and at the passages that vectors and BM25
find for it, and moves along relations, synonyms and mentions, so that passages several hops away gain weight where many
ways lead to them (as in HippoRAG; `retrieval.methods.ppr.facts`, `ppr_seeds`, `ppr_walk` and `ppr_hop` are its steps). What
follows is the second half of Algorithm 2 and the reasoner's synthesis. No thoughts are generated: one search, at most one call of the
reasoner.
"""

from __future__ import annotations

import asyncio

from retrieval.answer import Answer
from retrieval.evidence import EvidenceState, Retrieved, Step
from retrieval.methods.context import Context
from retrieval.methods.inquiry import Inquiry
from retrieval.methods.ppr.facts import near_facts
from retrieval.methods.ppr.second_hop import rerank
from retrieval.methods.ppr.seeds import passage_prior, seed_weights
from retrieval.methods.ppr.settings import PageRankSettings
from retrieval.methods.ppr.walk import synonym_edges, walk
from retrieval.questions.question import Question
from retrieval.search import gather
from retrieval.trace import ThoughtTrace, Trace

__all__ = ["PageRank", "PageRankSettings", "rank_passages", "walk_search"]


class PageRank:
    """The method `ppr`."""

    name = "ppr"

    def __init__(self, settings: PageRankSettings | None = None) -> None:
        self.settings = settings or PageRankSettings()

    async def answer(self, question: str, context: Context) -> Answer:
        """Answer a question with one search."""
        inquiry = await Inquiry.open(question, context, self.name)
        asked = inquiry.question
        with inquiry.stage("search"):
            found = await asyncio.to_thread(walk_search, context, asked, self.settings)
        evidence = EvidenceState()
        evidence.add([Step(asked.text, "", found)])
        draft = await inquiry.synthesise(evidence)
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
        return await inquiry.finish(draft, evidence, Trace(thoughts=(thought,), stopped="one search"))


def rank_passages(
    context: Context, question: Question, settings: PageRankSettings
) -> list[tuple[str, float]]:
    """Passages with their score, by (-score, id); none where nothing of the graph is near the question."""
    reader, embedder = context.reader, context.embedder
    prior = passage_prior(reader, question, context.search.threshold, settings)
    if not prior and not question.links:
        return []
    facts = near_facts(reader, embedder, question, prior, settings)
    seeds = seed_weights(reader, question, facts, prior, settings)
    synonyms = synonym_edges(reader, seeds.entities, settings)
    walked = walk(reader, seeds, facts, synonyms, question.vector, settings)
    return rerank(reader, embedder, question, walked, settings)


def walk_search(context: Context, question: Question, settings: PageRankSettings) -> Retrieved:
    """The best passages, with the entities and relations around them."""
    reader = context.reader
    best = [chunk_id for chunk_id, _ in rank_passages(context, question, settings)[: settings.chunks]]
    similarity = dict(zip(best, reader.similarities("chunk", best, question.vector), strict=True))
    return gather(reader, question.text, question.vector, similarity, context.search)
