"""Intelligent navigation and similarity-enhanced search: Algorithm 1 of the INSES paper.

From the entities of the question the navigator selects adjacent triples; nodes whose names are alike (cosine of at least
0.8) are offered to it as virtual edges, so that a graph with the same thing under several names can still be walked. An
entity that shares a name with one that was reached is taken for it at once; a like name that differs in a number, a Greek
letter or an opposite prefix is never offered; every other one is expanded only after the navigator has selected it.
Virtual edges live in the trace of the answer and are not written to the graph.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from kg_pipeline.errors import LlmRefused
from kg_pipeline.graph.reader import Entity
from retrieval.abstain import hopeless, unsupported
from retrieval.answer import Answer, Trace, TraceStep, VirtualEdge
from retrieval.asker import asker_of
from retrieval.asking import describe_links, spent, understand
from retrieval.context import Context
from retrieval.evidence import EvidenceState, Passage, Retrieved, Seed, Step
from retrieval.facts import load_facts
from retrieval.finish import finish
from retrieval.hops import FixedHops, Hop, fact_hop
from retrieval.name_guard import name_conflict, share_a_name
from retrieval.navigators import Candidate, LlmNavigator, Navigator, NearnessNavigator, connects
from retrieval.question import Question
from retrieval.reasoner import Draft
from retrieval.shape import Shape, read_shape
from retrieval.typed_answers import find_answers, path_sentences, told, typed_draft, without_types
from retrieval.typed_paths import Explorer

_QUOTED = 12  # passages kept besides those of the selected triples


@dataclass(frozen=True, slots=True)
class InsesSettings:
    """Parameters of Algorithm 1; `iterations` and `similarity` are the published values.

    `expand_similar` and `navigate` switch off similarity expansion and navigation for ablation: without navigation the
    surest triples are taken, and no virtual edge, since nobody could pass it.
    """

    iterations: int = 6
    similarity: float = 0.8  # tau_sim, cosine from which a node is offered as a virtual edge
    similar: int = 5  # nodes looked at for one node
    initial: int = 3  # nodes taken for one name that is linked by vector
    initial_cosine: float = 0.6
    per_node: int = 30
    candidates: int = 60  # triples offered at once
    selected: int = 8  # triples selected at once
    expand_similar: bool = True
    navigate: bool = True

    def __post_init__(self) -> None:
        if self.iterations < 1 or self.selected < 1 or self.candidates < self.selected:
            raise ValueError(f"iterations and selected must be positive and candidates enough, not {self}.")
        if not 0 < self.similarity <= 1:
            raise ValueError(f"similarity must be in (0, 1], not {self.similarity}.")


@dataclass(slots=True)
class _Search:
    """State of one question: where the search stands and what was selected."""

    question: Question
    shape: Shape
    context: Context
    settings: InsesSettings
    navigator: Navigator
    current: list[str] = field(default_factory=list)  # V_current
    visited: dict[str, Entity] = field(default_factory=dict)
    path: list[Candidate] = field(default_factory=list)  # T_selected
    offered: set[str] = field(default_factory=set)  # keys of hops offered before
    edges: dict[tuple[str, str], VirtualEdge] = field(default_factory=dict)
    steps: list[TraceStep] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    calls: int = 0

    @property
    def hops(self) -> list[Hop]:
        """What was selected."""
        return [item.hop for item in self.path]


class Inses:
    """The method `inses`."""

    name = "inses"

    def __init__(self, settings: InsesSettings | None = None) -> None:
        self.settings = settings or InsesSettings()

    async def answer(self, question: str, context: Context) -> Answer:
        """Answer a question by navigating from its entities."""
        started = time.perf_counter()
        before = context.reasoner.usage()
        asked = await asyncio.to_thread(understand, question, context)
        search = _Search(asked, read_shape(asked), context, self.settings, self._navigator(context))
        await _start(search)
        stopped = await _navigate(search)
        evidence = await asyncio.to_thread(_evidence, search)
        draft = await _answer(search, evidence)
        trace = Trace(
            entities=describe_links(asked),
            terms=asked.terms,
            steps=tuple(search.steps),
            virtual_edges=tuple(search.edges.values()),
            stopped=stopped,
            notes=tuple(search.notes),
        )
        return await asyncio.to_thread(
            finish,
            asked,
            draft,
            evidence,
            context,
            method=self.name,
            trace=trace,
            usage=spent(before, context.reasoner.usage(), search.calls),
            seconds=time.perf_counter() - started,
        )

    def _navigator(self, context: Context) -> Navigator:
        asker = asker_of(context.reasoner)
        if asker is None or not self.settings.navigate:
            return NearnessNavigator(context.embedder, selected=self.settings.selected)
        return LlmNavigator(asker, selected=self.settings.selected, shown=self.settings.candidates)


async def _start(search: _Search) -> None:
    """Equation 1: nodes for the names of the question, by spelling where possible and else by vector."""
    names: list[str] = []
    if search.settings.navigate:
        try:
            names = await search.navigator.names(search.question)
            search.calls += isinstance(search.navigator, LlmNavigator)
        except LlmRefused as error:
            search.calls += 1
            search.notes.append(f"extraction of entities failed: {error}")
    found = dict.fromkeys(entity_id for link in search.question.links for entity_id in link.ids)
    known = {link.text.lower() for link in search.question.links}
    for name in names:
        if name.lower() not in known:
            found |= dict.fromkeys(await asyncio.to_thread(_named, search, name))
    if not found:
        nearest = search.context.reader.nearest(
            "entity",
            search.question.vector,
            search.settings.initial,
            threshold=search.settings.initial_cosine,
        )
        found = dict.fromkeys(hit.id for hit in nearest)
    _visit(search, found)
    search.current = [entity_id for entity_id in found if entity_id in search.visited]
    for entity_id in search.current:
        entity = search.visited[entity_id]
        search.steps.append(TraceStep("seed", f"{entity.name} ({entity_id})", "named by the question"))


def _named(search: _Search, name: str) -> list[str]:
    reader = search.context.reader
    exact = reader.find_entities(name)
    if exact:
        return exact[: search.settings.initial]
    vector = search.context.embedder.vector(name)
    near = reader.nearest("entity", vector, search.settings.initial, threshold=search.settings.initial_cosine)
    entities = reader.entities([hit.id for hit in near])
    return [entity.entity_id for entity in entities if not name_conflict(name, entity.name)]


def _visit(search: _Search, entity_ids: Iterable[str]) -> None:
    new = [entity_id for entity_id in entity_ids if entity_id not in search.visited]
    search.visited |= {entity.entity_id: entity for entity in search.context.reader.entities(new)}


async def _navigate(search: _Search) -> str:
    """Lines 5 to 17 of Algorithm 1; returns why it stopped."""
    for iteration in range(1, search.settings.iterations + 1):
        candidates = await asyncio.to_thread(_adjacent, search)
        if not candidates:
            return "no more triples"
        choice_of = candidates[: search.settings.candidates]
        sufficient = False
        if not search.settings.navigate:
            chosen = [
                (i, choice_of[i].hop.confidence) for i in range(min(search.settings.selected, len(choice_of)))
            ]
        else:
            try:
                search.calls += isinstance(search.navigator, LlmNavigator)
                choice = await search.navigator.choose(search.question, search.shape, search.path, choice_of)
                chosen, sufficient = list(choice.chosen), choice.sufficient
            except LlmRefused as error:
                search.notes.append(f"navigation failed: {error}")
                return "navigation failed"
        reached = _take(search, choice_of, chosen, iteration)
        if not isinstance(search.navigator, LlmNavigator):
            found = FixedHops(search.context.reader, search.hops)
            sufficient = await asyncio.to_thread(connects, search.question, search.shape, found, search.hops)
        if sufficient:
            return f"sufficient after {iteration} iterations"
        if not reached:
            return "nothing selected"
        search.current = reached
    return "maximum iterations"


def _take(
    search: _Search, candidates: Sequence[Candidate], chosen: Sequence[tuple[int, float]], iteration: int
) -> list[str]:
    """Add what was chosen to the path; returns the nodes reached by it."""
    picked = dict(chosen)
    reached: dict[str, None] = {}
    for i, item in enumerate(candidates):
        search.offered.add(item.hop.key)
        if item.edge is not None:
            verdict = "passed by the navigator" if i in picked else "not selected by the navigator"
            edge = replace(item.edge, accepted=i in picked, reason=verdict)
            search.edges[edge.one_id, edge.other_id] = edge
        if i not in picked:
            continue
        search.path.append(item)
        search.steps.append(
            TraceStep("select", item.text, "virtual" if item.edge else "triple", picked[i], iteration)
        )
        reached |= dict.fromkeys((item.hop.start_id, item.hop.end_id))
    _visit(search, reached)
    return [entity_id for entity_id in reached if entity_id in search.visited]


def _adjacent(search: _Search) -> list[Candidate]:
    """T_adj: triples and virtual edges next to the current nodes and to what shares a name with them, not offered before."""
    current = list(search.current)
    virtual: list[Candidate] = []
    if search.settings.expand_similar and search.settings.navigate:
        virtual, same = _similar(search, current)
        current += same
    reader = search.context.reader
    ids = reader.neighbours(current, per_node=search.settings.per_node)
    facts = load_facts(reader, [r for r in reader.relations(ids) if r.head_id != r.tail_id])
    triples = []
    for fact in facts:
        hop = fact_hop(fact)
        if fact.is_citable and not fact.relation.negated and hop.key not in search.offered:
            triples.append(Candidate(hop, fact.clause()))
    # Virtual edges first, so that a hub's triples do not crowd them out of what is offered.
    return [*virtual, *triples]


def _similar(search: _Search, current: list[str]) -> tuple[list[Candidate], list[str]]:
    """Similarity expansion (section 3.5): virtual edges to offer, and nodes that are the current ones by another name."""
    reader, settings = search.context.reader, search.settings
    offered: list[Candidate] = []
    same: list[str] = []
    for entity_id in current:
        one = search.visited[entity_id]
        vector = search.context.embedder.vector(one.name)
        hits = reader.nearest("entity", vector, settings.similar + 1, threshold=settings.similarity)
        cosines = {hit.id: hit.score for hit in hits if hit.id != entity_id and hit.id not in search.visited}
        for other in reader.entities(list(cosines)):
            pair = (entity_id, other.entity_id)
            if pair in search.edges or pair[::-1] in search.edges:
                continue
            edge = VirtualEdge(
                *(entity_id, one.name, other.entity_id, other.name, cosines[other.entity_id]),
                accepted=False,
                reason="",
            )
            if share_a_name(one, other):
                search.edges[pair] = replace(edge, accepted=True, reason="same name: one thing")
                _visit(search, [other.entity_id])
                same.append(other.entity_id)
                search.path.append(Candidate(_virtual_hop(edge), f"{one.name} is also {other.name}", edge))
            elif conflict := name_conflict(one.name, other.name):
                search.edges[pair] = replace(edge, reason=conflict)
            else:
                offered.append(Candidate(_virtual_hop(edge), f"{one.name} is like {other.name}", edge))
    return offered, same


def _virtual_hop(edge: VirtualEdge) -> Hop:
    return Hop(edge.one_id, edge.other_id, "similar", (), frozenset(), None, edge.cosine)


def _evidence(search: _Search) -> EvidenceState:
    """The selected triples with their sentences and passages, and the passages nearest to the question."""
    reader, question = search.context.reader, search.question
    facts = [hop.fact for hop in search.hops if hop.fact is not None]
    parts = {part.relation.relation_id: part for fact in facts for part in (fact, *fact.asserted())}
    quotes = {key: part.quotes for key, part in parts.items() if part.quotes}
    near = reader.nearest("chunk", question.vector, _QUOTED, threshold=search.context.search.threshold)
    scores = {hit.id: hit.score for hit in near}
    cited = sorted({quote.chunk_id for found in quotes.values() for quote in found} - set(scores))
    scores |= dict(zip(cited, reader.similarities("chunk", cited, question.vector), strict=True))
    ranked = sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))
    passages = tuple(Passage(chunk, scores[chunk.chunk_id]) for chunk in reader.chunks(ranked))
    ids = sorted(search.visited)
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
                    entities=tuple(Seed(search.visited[e], nearness[e], 0) for e in ids),
                    relations=tuple(part.relation for part in parts.values()),
                    quotes=quotes,
                    truncated=False,
                    text="\n".join(item.text for item in search.path),
                ),
            )
        ]
    )
    return state


async def _answer(search: _Search, evidence: EvidenceState) -> Draft:
    """The reasoner's answer; without a language model, what only a virtual edge connects is told where it finds nothing."""
    reason = hopeless(search.question, evidence, search.context.abstention)
    if reason:
        return Draft(reason=reason)
    search.calls += 1
    draft = await search.context.reasoner.synthesise(search.question, evidence)
    if draft.reason and asker_of(search.context.reasoner) is None and search.question.kind != "yes_no":
        bridged = await asyncio.to_thread(_bridged, search, draft.reasoner)
        return bridged or draft
    return draft


def _bridged(search: _Search, reasoner: str) -> Draft | None:
    """An answer over the selected triples and accepted virtual edges; None if they hold none."""
    question, shape = search.question, search.shape
    explorer = Explorer(question, shape, FixedHops(search.context.reader, search.hops))
    answers = told(find_answers(explorer), shape)
    if answers:
        draft = typed_draft(explorer, answers, reasoner)
        question = without_types(question, shape, answers)
        used = [hop for answer in answers for hop in answer.hops]
    elif len(question.links) >= 2:
        one, other = question.links[0], question.links[1]
        paths = explorer.to_entities(one.ids, other.ids, limit=1)
        facts = [hop.fact for path in paths for hop in path.hops if hop.fact is not None]
        sentences = [item for path in paths for item in path_sentences(path, question)]
        draft = Draft(tuple(sentences), support="chain", facts=tuple(facts), reasoner=reasoner)
        used = [hop for path in paths for hop in path.hops]
    else:
        return None
    if not draft.sentences or unsupported(question, draft, (), search.context.abstention):
        return None
    crossed = [search.edges[key] for hop in used for key in _keys(hop) if key in search.edges]
    notes = tuple(f"takes {edge.one_name} and {edge.other_name} for one thing" for edge in crossed)
    return replace(draft, notes=notes)


def _keys(hop: Hop) -> tuple[tuple[str, str], ...]:
    ends = (hop.start_id, hop.end_id)
    return (ends, ends[::-1]) if hop.source == "similar" else ()
