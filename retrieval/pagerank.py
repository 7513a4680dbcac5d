"""Retrieval by personalised PageRank over entities and passages, which needs no language model.

A walk starts at the facts nearest to the question, at the entities it names and at the passages that vectors and BM25
find for it, and moves along relations, synonyms and mentions, so that passages several hops away gain weight where many
ways lead to them (as in HippoRAG; `retrieval.ppr_facts`, `ppr_seeds`, `ppr_walk` and `ppr_hop` are its steps). What
follows is the second half of Algorithm 2 and the reasoner's synthesis. No thoughts are generated: one search, at most one call of the
reasoner.
"""

from __future__ import annotations

import asyncio
import time

from retrieval.abstain import hopeless
from retrieval.answer import Answer, ThoughtTrace, Trace
from retrieval.asking import describe_links, spent, understand
from retrieval.context import Context
from retrieval.evidence import EvidenceState, Retrieved, Step
from retrieval.finish import finish
from retrieval.ppr_facts import near_facts
from retrieval.ppr_hop import rerank
from retrieval.ppr_seeds import passage_prior, seed_weights
from retrieval.ppr_settings import PageRankSettings
from retrieval.ppr_walk import synonym_edges, walk
from retrieval.question import Question
from retrieval.reasoner import Draft
from retrieval.search import gather

__all__ = ["PageRank", "PageRankSettings", "rank_passages", "walk_search"]


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
    synonyms = synonym_edges(reader, embedder, seeds.entities, settings)
    walked = walk(reader, seeds, facts, synonyms, question.vector, settings)
    return rerank(reader, embedder, question, walked, settings)


def walk_search(context: Context, question: Question, settings: PageRankSettings) -> Retrieved:
    """The best passages, with the entities and relations around them."""
    reader = context.reader
    best = [chunk_id for chunk_id, _ in rank_passages(context, question, settings)[: settings.chunks]]
    similarity = dict(zip(best, reader.similarities("chunk", best, question.vector), strict=True))
    return gather(reader, question.text, question.vector, similarity, context.search)
