"""Paths from what a question names to things of the type it asks for, over relations and sentences alike.

ExpandTypedPaths, FilterOperatorPaths and RankPrunePaths of the BioWeave paper (Algorithm 3): one-hop expansion of a
frontier, at each depth cut to the best partial paths by coverage of the question's entities, agreement of relations,
consistency with the types asked for, and confidence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from kg_pipeline.graph.reader import Entity
from retrieval.evidence import Quote
from retrieval.paths.coverage import covered_links, cue_share
from retrieval.paths.hops import Hop, Hops
from retrieval.questions.question import Question
from retrieval.questions.shape import Shape, Slot
from retrieval.words.terms import stem

_SMALL_CORPUS = 30  # articles; below it no share of articles makes a hub
_HUB_SHARE = 0.3
_PARALLEL = 2  # ways to tell the same entities in the same order
_EXCESS = 0.1  # a hop more than the question has things on the way


@dataclass(frozen=True, slots=True)
class PathSettings:
    """Bounds and weights of the expansion.

    The paper names D_max and W_1 without giving numbers; 4 is the longest path of its benchmark.
    """

    max_depth: int = 4  # D_max
    per_end: int = 4  # partial paths kept to one entity
    kept: int = 64  # W_1, partial paths kept at each depth
    frontier: int = 24  # entities expanded at each depth
    per_node: int = 40  # hops looked at from one entity
    cues: float = 0.6  # share of the question's words of relation that an answer's path must express
    entity_weight: float = 0.3
    relation_weight: float = 0.35
    operator_weight: float = 0.2
    confidence_weight: float = 0.15

    def __post_init__(self) -> None:
        if self.max_depth < 1 or self.kept < 1 or self.frontier < 1:
            raise ValueError(f"max_depth, kept and frontier must be positive, not {self}.")


@dataclass(frozen=True, slots=True)
class TypedPath:
    """Hops that follow one another from an entity of the question to `end_id`."""

    hops: tuple[Hop, ...]
    score: float
    links: frozenset[int]  # links of the question that its entities or sentences name
    cues: float  # share of the question's words of relation that it expresses
    slots: float  # types on the way that it fills

    @property
    def start_id(self) -> str:
        """Where it starts."""
        return self.hops[0].start_id

    @property
    def end_id(self) -> str:
        """Where it ends: the answer, if the question asks for a type."""
        return self.hops[-1].end_id

    @property
    def entity_ids(self) -> tuple[str, ...]:
        """Entities in order."""
        return (self.start_id, *(hop.end_id for hop in self.hops))

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """A sentence for each hop, in order, each once."""
        return tuple({quote.key: quote for hop in self.hops for quote in hop.quotes[:1]}.values())


@dataclass(frozen=True, slots=True)
class Explorer:
    """Expands and ranks typed paths of one question."""

    question: Question
    shape: Shape
    finder: Hops
    settings: PathSettings = PathSettings()
    #: Links that a sentence names, and how surely entities are of the question's types: thousands of paths share few of both.
    _told: dict[Quote, frozenset[int]] = field(default_factory=dict, repr=False, compare=False)
    _close: dict[tuple[int, str, bool], float] = field(default_factory=dict, repr=False, compare=False)

    def to_type(self, sources: Sequence[str], *, limit: int) -> list[TypedPath]:
        """Best paths from the sources to entities of the type asked for, one for each answer; empty without a type."""
        answer = self.shape.answer
        if answer is None:
            return []
        asked = self.question.entity_ids
        return self._chosen(
            self._levels(sources),
            lambda end: end not in asked and answer.fits(self.finder.entities[end]),
            self.agrees,
            limit,
        )

    def agrees(self, path: TypedPath) -> bool:
        """Whether a whole path is built as the question is: as long at most, with its relations, types and direction."""
        return (
            len(path.hops) <= self._expected()
            and path.cues >= self.settings.cues
            and path.slots >= len(self.shape.inner) / 2
            and self._is_oriented(path)
        )

    def _expected(self) -> int:
        """How many steps the question describes: one to each thing that it names, by name or by type only."""
        named = len(self.question.links) - len(self.shape.setting)
        return len(self.shape.inner) + max(named, 1)

    def to_entities(self, sources: Sequence[str], targets: Sequence[str], *, limit: int) -> list[TypedPath]:
        """Best paths from the sources to the targets."""
        return self.to_each(sources, [targets], limit=limit)[0]

    def to_each(
        self, sources: Sequence[str], groups: Sequence[Sequence[str]], *, limit: int
    ) -> list[list[TypedPath]]:
        """Best paths from the sources to each group of targets; what lies between is looked through once."""
        levels = list(self._levels(sources))
        return [
            self._chosen(levels, frozenset(ids).__contains__, lambda _: True, limit, one_each=False)
            for ids in groups
        ]

    def _levels(self, sources: Sequence[str]) -> Iterator[list[TypedPath]]:
        """Paths of one hop, of two, …, best first; deterministic."""
        frontier: list[tuple[Hop, ...]] = [()]
        heads = {(): tuple(dict.fromkeys(sources))}
        for _ in range(self.settings.max_depth):
            grown: list[TypedPath] = []
            ends = [heads[()] if not hops else (hops[-1].end_id,) for hops in frontier]
            self.finder.around(list(dict.fromkeys(end for some in ends for end in some)))
            for hops, some in zip(frontier, ends, strict=True):
                grown += self._grow(hops, some)
            grown.sort(key=_order)
            yield grown
            frontier = [path.hops for path in self._pruned(grown)]
            if not frontier:
                break

    def _chosen(
        self,
        levels: Iterable[list[TypedPath]],
        fits: Callable[[str], bool],
        accepts: Callable[[TypedPath], bool],
        limit: int,
        *,
        one_each: bool = True,
    ) -> list[TypedPath]:
        """The best of the paths whose ends fit and that are accepted as a whole."""
        ends = [p for grown in levels for p in grown if fits(p.end_id)]
        found = [whole for p in ends if accepts(whole := self.measure(p.hops, complete=True))]
        found.sort(key=_order)
        if one_each:
            found = list({path.end_id: path for path in reversed(found)}.values())
            found.sort(key=_order)
        return sorted((self._with_best_hops(path) for path in found[:limit]), key=_order)

    def _with_best_hops(self, path: TypedPath) -> TypedPath:
        """The path with each hop told by the surest evidence of the same step, where nothing of the question is lost."""
        best = path
        for i, hop in enumerate(path.hops):
            for other in self.finder.around([hop.start_id])[hop.start_id]:
                if other.end_id != hop.end_id:
                    continue
                changed = self.measure((*best.hops[:i], other, *best.hops[i + 1 :]), complete=True)
                if changed.score > best.score and changed.links >= best.links and changed.cues >= best.cues:
                    best = changed
        return best

    def _grow(self, hops: tuple[Hop, ...], ends: Sequence[str]) -> list[TypedPath]:
        seen = {hops[0].start_id, *(hop.end_id for hop in hops)} if hops else set()
        grown = []
        for end, around in self.finder.around(ends).items():
            for hop in around[: self.settings.per_node]:
                if hop.end_id in seen or hop.end_id == end or hop.end_id not in self.finder.entities:
                    continue
                if hops and not _is_sound((*hops, hop)):
                    continue
                grown.append(self.measure((*hops, hop)))
        return grown

    def _pruned(self, grown: Sequence[TypedPath]) -> list[TypedPath]:
        """PruneSubgraph: the best partial paths, none through an entity too frequent to tell anything, few an entity."""
        total = self.finder.reader.manifest.counts.get("documents", 0)
        settings = {e for i in self.shape.setting for e in self.question.links[i].ids}
        kept: list[TypedPath] = []
        per_end: dict[str, int] = {}
        per_way: dict[tuple[str, ...], int] = {}
        for path in grown:
            entity = self.finder.entities[path.end_id]
            if path.end_id in settings:
                continue  # "in small cell lung cancer" says where, not by way of what
            is_hub = total >= _SMALL_CORPUS and entity.n_articles > _HUB_SHARE * total
            if is_hub and path.end_id not in self.question.entity_ids:
                continue
            if per_way.get(path.entity_ids, 0) == _PARALLEL:
                continue
            if per_end.get(path.end_id, 0) == self.settings.per_end:
                continue
            if path.end_id not in per_end and len(per_end) == self.settings.frontier:
                continue
            per_way[path.entity_ids] = per_way.get(path.entity_ids, 0) + 1
            per_end[path.end_id] = per_end.get(path.end_id, 0) + 1
            kept.append(path)
            if len(kept) == self.settings.kept:
                break
        return kept

    def measure(self, hops: tuple[Hop, ...], *, complete: bool = False) -> TypedPath:
        """A path with its score: entity coverage, agreement of relations, consistency with the operator, confidence.

        The end of a `complete` path is the answer and nothing on the way to it.
        """
        ids = {hops[0].start_id, *(hop.end_id for hop in hops)}
        quotes = [quote for hop in hops for quote in hop.quotes[:1]]
        links = covered_links(self.question, ids, ()).union(*map(self._named, quotes))
        said = frozenset(word for hop in hops for word in hop.words)
        on_the_way = [hop.end_id for hop in reversed(hops)][complete:]
        slots = self._filled(on_the_way, said)
        predicates = frozenset(name for hop in hops for name in hop.predicates)
        share = cue_share(self.shape.cues, said, predicates)
        wanted = len(self.shape.inner) + (self.shape.answer is not None)
        answer = self.shape.answer
        end = self.finder.entities[hops[-1].end_id]
        fits = self._closeness(answer, end, frozenset()) if answer is not None else 0.0
        named = frozenset(range(len(self.question.links))) - self.shape.setting
        settings = self.settings
        score = (
            settings.entity_weight * (len(links & named) / len(named) if named else 0.0)
            + settings.relation_weight * share
            + settings.operator_weight * ((slots + fits) / wanted if wanted else 1.0)
            + settings.confidence_weight * _confidence(hops)
            # A path that is longer than the question has things on the way says more than was asked.
            - _EXCESS * max(len(hops) - self._expected(), 0)
        )
        return TypedPath(hops, score, links, share, slots)

    def _named(self, quote: Quote) -> frozenset[int]:
        """Links that a sentence or its section title names."""
        if quote not in self._told:
            self._told[quote] = covered_links(self.question, (), [quote])
        return self._told[quote]

    def _closeness(self, slot: Slot, entity: Entity, said: frozenset[str]) -> float:
        """`Slot.closeness`, which asks of what is said only whether the type is among it."""
        key = (slot.start, entity.entity_id, stem(slot.word) in said)
        if key not in self._close:
            self._close[key] = slot.closeness(entity, said)
        return self._close[key]

    def _filled(self, ids: Sequence[str], said: frozenset[str]) -> float:
        """How many of the types on the way the entities fill, in the order of the question: the first is next to the answer."""
        best = [0.0] * (len(ids) + 1)  # of the slots so far with the first i entities
        entities = [self.finder.entities[entity_id] for entity_id in ids]
        for slot in self.shape.inner:
            row = [0.0]
            for i, entity in enumerate(entities):
                row.append(max(row[i], best[i + 1], best[i] + self._closeness(slot, entity, said)))
            best = row
        return best[-1]

    def _is_oriented(self, path: TypedPath) -> bool:
        """Whether the last hop says that the answer does what the question says it does."""
        last = path.hops[-1]
        lead = self.shape.lead
        if lead is None:
            return True
        return bool(last.predicates & lead.predicates) and last.forward is not True


def _order(path: TypedPath) -> tuple[float, int, tuple[str, ...], tuple[str, ...]]:
    return (-round(path.score, 9), len(path.hops), path.entity_ids, tuple(hop.key for hop in path.hops))


def _confidence(hops: Sequence[Hop]) -> float:
    return math.prod(max(hop.confidence, 0.01) for hop in hops) ** (1 / len(hops))


def _is_sound(hops: Sequence[Hop]) -> bool:
    """Whether the last two hops lead on: going up to a class and down to another member connects anything."""
    one, other = hops[-2], hops[-1]
    return not (
        "subclass_of" in one.predicates
        and "subclass_of" in other.predicates
        and one.forward is True
        and other.forward is False
    )
