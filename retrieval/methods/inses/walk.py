"""The walk of INSES: where it starts, which triples and virtual edges it is offered, when it stops (sections 3.3 to 3.5)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from kg_pipeline.errors import LlmRefused
from kg_pipeline.graph.reader import Entity
from retrieval.methods.context import Context
from retrieval.methods.inses.navigators import Candidate, LlmNavigator, Navigator, connects
from retrieval.paths.facts import load_facts
from retrieval.paths.hops import FixedHops, Hop, fact_hop
from retrieval.questions.question import Question
from retrieval.questions.shape import Shape
from retrieval.trace import Dropped, TraceStep, VirtualEdge
from retrieval.words.name_guard import name_conflict, share_a_name

_SHOWN_BEYOND = 3
_PASSED_OVER = 5  # triples of an iteration that the trace names among those not selected


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
class Walk:
    """State of one question: where the search stands and what was selected."""

    question: Question
    shape: Shape
    context: Context
    settings: InsesSettings
    navigator: Navigator
    current: list[str] = field(default_factory=list)  # V_current
    visited: dict[str, Entity] = field(default_factory=dict)
    path: list[Candidate] = field(default_factory=list)  # T_selected
    taken: set[str] = field(default_factory=set)  # keys of the hops of the path
    edges: dict[tuple[str, str], VirtualEdge] = field(default_factory=dict)
    steps: list[TraceStep] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    passed_over: dict[str, Dropped] = field(default_factory=dict)  # by key of the hop
    calls: int = 0

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """Triples that were offered and never selected."""
        return tuple(item for key, item in self.passed_over.items() if key not in self.taken)

    @property
    def hops(self) -> list[Hop]:
        """What was selected."""
        return [item.hop for item in self.path]


async def start(walk: Walk) -> None:
    """Equation 1: nodes for the names of the question, by spelling where possible and else by vector."""
    names: list[str] = []
    if walk.settings.navigate:
        try:
            names = await walk.navigator.names(walk.question)
            walk.calls += isinstance(walk.navigator, LlmNavigator)
        except LlmRefused as error:
            walk.calls += 1
            walk.notes.append(f"extraction of entities failed: {error}")
    found = dict.fromkeys(entity_id for link in walk.question.links for entity_id in link.ids)
    known = {link.text.lower() for link in walk.question.links}
    for name in names:
        if name.lower() not in known:
            found |= dict.fromkeys(await asyncio.to_thread(_named, walk, name))
    if not found:
        nearest = walk.context.reader.nearest(
            "entity",
            walk.question.vector,
            walk.settings.initial,
            threshold=walk.settings.initial_cosine,
        )
        found = dict.fromkeys(hit.id for hit in nearest)
    _visit(walk, found)
    walk.current = [entity_id for entity_id in found if entity_id in walk.visited]
    for entity_id in walk.current:
        entity = walk.visited[entity_id]
        walk.steps.append(TraceStep("seed", f"{entity.name} ({entity_id})", "named by the question"))


def _named(walk: Walk, name: str) -> list[str]:
    reader = walk.context.reader
    exact = reader.find_entities(name)
    if exact:
        return exact[: walk.settings.initial]
    vector = walk.context.embedder.vector(name)
    near = reader.nearest("entity", vector, walk.settings.initial, threshold=walk.settings.initial_cosine)
    entities = reader.entities([hit.id for hit in near])
    return [entity.entity_id for entity in entities if not name_conflict(name, entity.name)]


def _visit(walk: Walk, entity_ids: Iterable[str]) -> None:
    new = [entity_id for entity_id in entity_ids if entity_id not in walk.visited]
    walk.visited |= {entity.entity_id: entity for entity in walk.context.reader.entities(new)}


async def navigate(walk: Walk) -> str:
    """Lines 5 to 17 of Algorithm 1; returns why it stopped."""
    for iteration in range(1, walk.settings.iterations + 1):
        candidates = await asyncio.to_thread(_adjacent, walk)
        if not candidates:
            return "no more triples"
        choice_of = candidates[: walk.settings.candidates]
        sufficient = False
        if not walk.settings.navigate:
            chosen = [
                (i, choice_of[i].hop.confidence) for i in range(min(walk.settings.selected, len(choice_of)))
            ]
        else:
            try:
                walk.calls += isinstance(walk.navigator, LlmNavigator)
                choice = await walk.navigator.choose(walk.question, walk.shape, walk.path, choice_of)
                chosen, sufficient = list(choice.chosen), choice.sufficient
            except LlmRefused as error:
                walk.notes.append(f"navigation failed: {error}")
                return "navigation failed"
        reached = _take(walk, choice_of, chosen, iteration)
        if not isinstance(walk.navigator, LlmNavigator):
            found = FixedHops(walk.context.reader, walk.hops)
            sufficient = await asyncio.to_thread(connects, walk.question, walk.shape, found, walk.hops)
        if sufficient:
            return f"sufficient after {iteration} iterations"
        if not reached:
            return "nothing selected"
        walk.current = reached
    return "maximum iterations"


def _take(
    walk: Walk, candidates: Sequence[Candidate], chosen: Sequence[tuple[int, float]], iteration: int
) -> list[str]:
    """Add what was chosen to the path; returns the nodes reached by it."""
    picked = dict(chosen)
    virtual = sum(item.edge is not None for item in candidates)
    walk.steps.append(
        TraceStep(
            "offer",
            f"{len(candidates) - virtual} triples and {virtual} like names beside {len(walk.current)} nodes",
            f"{len(picked)} selected",
            iteration=iteration,
        )
    )
    beaten = [item for i, item in enumerate(candidates) if i not in picked and item.edge is None]
    for item in beaten[:_PASSED_OVER]:
        reason = f"not selected by the navigator in iteration {iteration}"
        walk.passed_over.setdefault(item.hop.key, Dropped("triple", item.text, reason))
    reached: dict[str, None] = {}
    for i, item in enumerate(candidates):
        if item.edge is not None:
            verdict = "passed by the navigator" if i in picked else "not selected by the navigator"
            edge = replace(item.edge, accepted=i in picked, reason=verdict)
            walk.edges[edge.one_id, edge.other_id] = edge
        if i not in picked:
            continue
        walk.taken.add(item.hop.key)
        walk.path.append(item)
        walk.steps.append(
            TraceStep("select", item.text, "virtual" if item.edge else "triple", picked[i], iteration)
        )
        reached |= dict.fromkeys((item.hop.start_id, item.hop.end_id))
    _visit(walk, reached)
    return [entity_id for entity_id in reached if entity_id in walk.visited]


def _adjacent(walk: Walk) -> list[Candidate]:
    """T_adj: triples and virtual edges next to the current nodes and to what shares a name with them, not taken yet."""
    current = list(walk.current)
    virtual: list[Candidate] = []
    if walk.settings.expand_similar and walk.settings.navigate:
        virtual, same = _similar(walk, current)
        current += same
    reader = walk.context.reader
    ids = reader.neighbours(current, per_node=walk.settings.per_node)
    facts = load_facts(reader, [r for r in reader.relations(ids) if r.head_id != r.tail_id])
    triples = []
    for fact in facts:
        hop = fact_hop(fact)
        if fact.is_citable and not fact.relation.negated and hop.key not in walk.taken:
            triples.append(Candidate(hop, fact.clause()))
    virtual = [replace(item, beyond=_beyond(walk, item)) for item in virtual]
    # Virtual edges first, so that a hub's triples do not crowd them out of what is offered.
    return [*virtual, *triples]


def _similar(walk: Walk, current: list[str]) -> tuple[list[Candidate], list[str]]:
    """Similarity expansion (section 3.5): virtual edges to offer, and nodes that are the current ones by another name."""
    reader, settings = walk.context.reader, walk.settings
    offered: list[Candidate] = []
    same: list[str] = []
    for entity_id in current:
        one = walk.visited[entity_id]
        vector = walk.context.embedder.vector(one.name)
        hits = reader.nearest("entity", vector, settings.similar + 1, threshold=settings.similarity)
        cosines = {hit.id: hit.score for hit in hits if hit.id != entity_id}
        for other in reader.entities(list(cosines)):
            pair = (entity_id, other.entity_id)
            if pair in walk.edges or pair[::-1] in walk.edges:
                continue
            edge = VirtualEdge(
                *(entity_id, one.name, other.entity_id, other.name, cosines[other.entity_id]),
                accepted=False,
                reason="",
            )
            if share_a_name(one, other):
                walk.edges[pair] = replace(edge, accepted=True, reason="same name: one thing")
                _visit(walk, [other.entity_id])
                same.append(other.entity_id)
                walk.path.append(Candidate(_virtual_hop(edge), f"{one.name} is also {other.name}", edge))
            elif conflict := name_conflict(one.name, other.name):
                walk.edges[pair] = replace(edge, reason=conflict)
            else:
                walk.edges[pair] = replace(edge, reason="not offered: too many candidates")
                offered.append(Candidate(_virtual_hop(edge), f"{one.name} is like {other.name}", edge))
    return offered, same


def _beyond(walk: Walk, item: Candidate) -> tuple[str, ...]:
    """The surest triples on the other side of a virtual edge, by which a navigator can tell whether it leads anywhere."""
    reader = walk.context.reader
    ids = reader.neighbours([item.hop.end_id], per_node=_SHOWN_BEYOND)
    facts = load_facts(reader, reader.relations(ids))
    return tuple(fact.clause() for fact in facts if fact.is_citable)[:_SHOWN_BEYOND]


def _virtual_hop(edge: VirtualEdge) -> Hop:
    return Hop(edge.one_id, edge.other_id, "similar", (), frozenset(), None, edge.cosine)
