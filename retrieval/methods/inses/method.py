"""Intelligent navigation and similarity-enhanced walk: Algorithm 1 of the INSES paper.

From the entities of the question the navigator selects adjacent triples; nodes whose names are alike (cosine of at least
0.8) are offered to it as virtual edges, so that a graph with the same thing under several names can still be walked. An
entity that shares a name with one that was reached is taken for it at once; a like name that differs in a number, a Greek
letter or an opposite prefix is never offered; every other one is expanded only after the navigator has selected it.
Virtual edges live in the trace of the answer and are not written to the graph.

Departures from the paper, with the reason:

- a like node has to be selected by the navigator before it is walked from; the paper merges all of them into the next
  nodes, and so goes on from things that are alike in name only;
- entities of the question are linked by their names first and by vectors only where no name fits: an exact name is no
  guess;
- triples offered and selected at once are bounded, and denied relations are not offered: the paper sets no bound;
- the answer is verified sentence by sentence; where nothing supports one, there is none.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from retrieval.answer import Answer
from retrieval.evidence import EvidenceState, Passage, Retrieved, Seed, Step
from retrieval.methods.context import Context
from retrieval.methods.inquiry import Inquiry
from retrieval.methods.inses.navigators import LlmNavigator, Navigator, NearnessNavigator
from retrieval.methods.inses.walk import InsesSettings, Walk, navigate, start
from retrieval.paths.hops import FixedHops, Hop
from retrieval.paths.typed_paths import Explorer
from retrieval.questions.shape import read_shape
from retrieval.reasoning.abstain import beyond_corpus, unsupported
from retrieval.reasoning.asker import asker_of
from retrieval.reasoning.reasoner import Draft
from retrieval.reasoning.typed_answers import find_answers, path_sentences, told, typed_draft, without_types
from retrieval.reasoning.weaving import asks_for_other
from retrieval.trace import Trace

_QUOTED = 12  # passages kept besides those of the selected triples


class Inses:
    """The method `inses`."""

    name = "inses"

    def __init__(self, settings: InsesSettings | None = None) -> None:
        self.settings = settings or InsesSettings()

    async def answer(self, question: str, context: Context) -> Answer:
        """Answer a question by navigating from its entities."""
        inquiry = await Inquiry.open(question, context, self.name)
        asked = inquiry.question
        walk = Walk(asked, read_shape(asked), context, self.settings, self._navigator(context))
        stopped = beyond_corpus(asked)
        if not stopped:
            with inquiry.stage("search"):
                await start(walk)
                stopped = await navigate(walk)
        inquiry.calls += walk.calls
        evidence = await asyncio.to_thread(_evidence, walk)
        draft = await _answer(inquiry, walk, evidence)
        trace = Trace(
            steps=tuple(walk.steps),
            virtual_edges=tuple(walk.edges.values()),
            stopped=stopped,
            notes=tuple(walk.notes),
            dropped=walk.dropped,
        )
        return await inquiry.finish(draft, evidence, trace)

    def _navigator(self, context: Context) -> Navigator:
        asker = asker_of(context.reasoner)
        if asker is None or not self.settings.navigate:
            return NearnessNavigator(context.embedder, selected=self.settings.selected)
        return LlmNavigator(asker, selected=self.settings.selected, shown=self.settings.candidates)


def _evidence(walk: Walk) -> EvidenceState:
    """The selected triples with their sentences and passages, and the passages nearest to the question."""
    reader, question = walk.context.reader, walk.question
    facts = [hop.fact for hop in walk.hops if hop.fact is not None]
    parts = {part.relation.relation_id: part for fact in facts for part in (fact, *fact.asserted())}
    quotes = {key: part.quotes for key, part in parts.items() if part.quotes}
    near = reader.nearest("chunk", question.vector, _QUOTED, threshold=walk.context.search.threshold)
    scores = {hit.id: hit.score for hit in near}
    cited = sorted({quote.chunk_id for found in quotes.values() for quote in found} - set(scores))
    scores |= dict(zip(cited, reader.similarities("chunk", cited, question.vector), strict=True))
    ranked = sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))
    passages = tuple(Passage(chunk, scores[chunk.chunk_id]) for chunk in reader.chunks(ranked))
    ids = sorted(walk.visited)
    nearness = dict(zip(ids, reader.similarities("entity", ids, question.vector), strict=True))
    articles = list(dict.fromkeys(passage.chunk.article_id for passage in passages))
    state = EvidenceState()
    state.add(
        [
            Step(
                question.text,
                "",
                Retrieved(
                    query=question.text,
                    documents=tuple(reader.documents(articles)),
                    passages=passages,
                    entities=tuple(Seed(walk.visited[e], nearness[e], 0) for e in ids),
                    relations=tuple(part.relation for part in parts.values()),
                    quotes=quotes,
                    truncated=False,
                    text="\n".join(item.text for item in walk.path),
                ),
            )
        ]
    )
    return state


async def _answer(inquiry: Inquiry, walk: Walk, evidence: EvidenceState) -> Draft:
    """The reasoner's answer; without a language model, what only a virtual edge connects is told where it finds nothing."""
    calls = inquiry.calls
    draft = await inquiry.synthesise(evidence)
    was_asked = inquiry.calls > calls
    if (
        was_asked
        and draft.reason
        and asker_of(walk.context.reasoner) is None
        and walk.question.kind != "yes_no"
    ):
        bridged = await asyncio.to_thread(_bridged, walk, draft.reasoner)
        return bridged or draft
    return draft


def _bridged(walk: Walk, reasoner: str) -> Draft | None:
    """An answer over the selected triples and accepted virtual edges; None if they hold none."""
    question, shape = walk.question, walk.shape
    explorer = Explorer(question, shape, FixedHops(walk.context.reader, walk.hops))
    answers = told(find_answers(explorer), shape)
    if answers:
        draft = typed_draft(explorer, answers, reasoner)
        question = without_types(question, shape, answers)
        used = [hop for answer in answers for hop in answer.hops]
    elif len(question.links) >= 2 and not asks_for_other(question, shape):
        one, other = question.links[0], question.links[1]
        paths = explorer.to_entities(one.ids, other.ids, limit=1)
        facts = [hop.fact for path in paths for hop in path.hops if hop.fact is not None]
        sentences = [item for path in paths for item in path_sentences(path, question)]
        draft = Draft(tuple(sentences), support="chain", facts=tuple(facts), reasoner=reasoner)
        used = [hop for path in paths for hop in path.hops]
    else:
        return None
    if not draft.sentences or unsupported(question, draft, (), walk.context.abstention):
        return None
    crossed = [walk.edges[key] for hop in used for key in _keys(hop) if key in walk.edges]
    notes = tuple(f"takes {edge.one_name} and {edge.other_name} for one thing" for edge in crossed)
    return replace(draft, notes=notes)


def _keys(hop: Hop) -> tuple[tuple[str, str], ...]:
    ends = (hop.start_id, hop.end_id)
    return (ends, ends[::-1]) if hop.source == "similar" else ()
