"""Answers to a description: the things of the type asked for where all that is told of them holds.

Relations alone are joined first, by the very predicates that are told and in their direction; where nothing satisfies
that, by what the words may mean, in either direction; then with the sentences of passages too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from kg_pipeline.graph.reader import Relation
from kg_pipeline.vocabulary.predicates import PREDICATES
from retrieval.layout import type_name
from retrieval.paths.facts import load_facts
from retrieval.paths.hop_finder import HopFinder
from retrieval.paths.hops import Hop, fact_hop
from retrieval.paths.typed_paths import Explorer, TypedPath
from retrieval.questions.description import Description, Statement
from retrieval.reasoning.typed_answers import TypedAnswer

_PER_NODE = 400  # relations looked at from one entity
_FRONTIER = 400  # entities that a thing on the way may be
_WAYS = 8  # from one name to an answer, of which the surest is told
_FINDING = "PhenotypicFeature"


@dataclass(frozen=True, slots=True)
class _Step:
    """A hop or a relation between two entities; `forward` where it is told from `start` to `end`, None if both ways."""

    start: str
    end: str
    predicates: frozenset[str]
    forward: bool | None
    confidence: float
    of: Relation | Hop


Way = tuple[_Step, ...]
Arms = list[Way]  # one from every name
Steps = Callable[[Collection[str]], list[_Step]]  # from entities, in both directions
Ways = Mapping[str, list[Way]]  # by entity, the ways from a name to it


def described_answers(
    explorer: Explorer, finder: HopFinder, description: Description, *, limit: int
) -> list[TypedAnswer]:
    """Answers by (-score, id), from the strictest reading of the statements that has any."""
    sources: list[tuple[Steps, bool]] = []
    if finder.use_graph:
        steps = _of_relations(finder)
        sources += [(steps, True), (steps, False)]
    if finder.use_text:
        sources.append((_of_hops(finder), False))
    for steps, is_strict in sources:
        found = _Join(explorer, description, steps, is_strict=is_strict).ways()
        if found:
            sure = _of_the_type(finder, found)
            answers = [_answer(explorer, finder, end, arms) for end, arms in sure.items()]
            answers.sort(key=lambda answer: (-round(answer.score, 9), answer.entity.entity_id))
            return answers[:limit]
    return []


def _of_the_type(finder: HopFinder, found: Mapping[str, Arms]) -> Mapping[str, Arms]:
    """Without findings where diseases answer: "insulin sensitivity" may pass for a disease, but not be counted beside some."""
    entities = finder.reader.entities(sorted(found))
    sure = [e.entity_id for e in entities if type_name(e.category) != _FINDING]
    return {entity_id: found[entity_id] for entity_id in sure} if sure else found


def _of_relations(finder: HopFinder) -> Steps:
    reader = finder.reader

    def steps(ids: Collection[str]) -> list[_Step]:
        found = []
        for relation in reader.relations(reader.neighbours(sorted(ids), per_node=_PER_NODE)):
            if relation.negated or relation.head_id == relation.tail_id:
                continue
            names = frozenset({relation.predicate})
            both = PREDICATES[relation.predicate].symmetric
            ends = relation.head_id, relation.tail_id
            for (start, end), forward in ((ends, True), (ends[::-1], False)):
                if start in ids:
                    way = None if both else forward
                    found.append(_Step(start, end, names, way, relation.confidence, relation))
        return found

    return steps


def _of_hops(finder: HopFinder) -> Steps:
    def steps(ids: Collection[str]) -> list[_Step]:
        around = finder.around(sorted(ids))
        return [
            _Step(start, hop.end_id, hop.predicates, hop.forward, hop.confidence, hop)
            for start, hops in around.items()
            for hop in hops
        ]

    return steps


class _Join:
    """The statements of a description joined from its names towards what is asked."""

    def __init__(
        self, explorer: Explorer, description: Description, steps: Steps, *, is_strict: bool
    ) -> None:
        self._explorer = explorer
        self._description = description
        self._steps = steps
        self._is_strict = is_strict

    def ways(self) -> dict[str, Arms]:
        """For each answer, the surest way to it from every name, over entities that are all different."""
        asked = self._description.asked
        arms = self._arms(asked, frozenset({asked}))
        found: dict[str, Arms] = {}
        for end in sorted(set.intersection(*(set(arm) for arm in arms)) if arms else ()):
            for chosen in product(*(arm[end] for arm in arms)):
                inner = [step.start for way in chosen for step in way]
                if len(set(inner)) == len(inner) and end not in inner:
                    found[end] = list(chosen)
                    break
        return found

    def _arms(self, place: int, seen: frozenset[int]) -> list[Ways]:
        """What leads to a thing from the names on each side of it."""
        arms: list[Ways] = []
        for statement in self._description.statements:
            if place not in (statement.source, statement.target):
                continue
            other = statement.target if statement.source == place else statement.source
            if other not in seen:
                arm = self._arm(statement, other, place, seen | {other})
                if arm is not None:
                    arms.append(arm)
        return arms

    def _arm(self, statement: Statement, other: int, place: int, seen: frozenset[int]) -> Ways | None:
        """Ways over `other` to the thing at `place`; None if no name lies that way, so that it says nothing."""
        thing = self._description.things[other]
        further = self._arms(other, seen)
        if thing.link is not None:
            before: Ways = {entity_id: [()] for entity_id in self._explorer.question.links[thing.link].ids}
        elif not further:
            return None
        else:
            before = further[0]
        kept = {end for end in before if all(end in arm for arm in further if thing.link is None)}
        chosen = sorted(kept, key=lambda end: (-_surest(before[end]), end))[:_FRONTIER]
        found: dict[str, list[Way]] = {}
        is_forward = statement.source == other
        for step in self._steps(chosen) if chosen else ():
            if self._holds(statement, step, is_forward=is_forward):
                found.setdefault(step.end, []).extend((*way, step) for way in before[step.start])
        fitting = self._fitting(place, found)
        return {end: sorted(found[end], key=_order)[:_WAYS] for end in fitting}

    def _holds(self, statement: Statement, step: _Step, *, is_forward: bool) -> bool:
        if self._is_strict and statement.stated:
            turned = step.forward is not None and step.forward != is_forward
            return bool(step.predicates & statement.stated) and not turned
        meant = statement.meant
        return not meant or bool(step.predicates & (meant | statement.stated))

    def _fitting(self, place: int, ends: Collection[str]) -> list[str]:
        """Those of some entities that may be the thing at a place."""
        thing = self._description.things[place]
        if thing.link is not None:
            return sorted(set(ends) & set(self._explorer.question.links[thing.link].ids))
        slot = thing.slot
        assert slot is not None
        named = self._explorer.question.entity_ids
        reader = self._explorer.finder.reader
        return sorted(e.entity_id for e in reader.entities(sorted(set(ends) - named)) if slot.fits(e))


def _surest(ways: Sequence[Way]) -> float:
    return max((min((step.confidence for step in way), default=1.0) for way in ways), default=0.0)


def _order(way: Sequence[_Step]) -> tuple[float, tuple[str, ...]]:
    return (-min(step.confidence for step in way), tuple(step.start for step in way))


def _answer(explorer: Explorer, finder: HopFinder, end: str, arms: Sequence[Way]) -> TypedAnswer:
    """An answer with a path of hops from every name."""
    paths = tuple(_path(explorer, finder, arm) for arm in arms)
    score = sum(path.score for path in paths) / len(paths)
    return TypedAnswer(finder.entities[end], paths, score)


def _path(explorer: Explorer, finder: HopFinder, steps: Sequence[_Step]) -> TypedPath:
    relations = [step.of for step in steps if isinstance(step.of, Relation)]
    facts = {fact.relation.relation_id: fact_hop(fact) for fact in load_facts(finder.reader, relations)}
    ids = sorted({step.start for step in steps} | {step.end for step in steps})
    new = [entity_id for entity_id in ids if entity_id not in finder.entities]
    finder.entities |= {entity.entity_id: entity for entity in finder.reader.entities(new)}
    hops = []
    for step in steps:
        hop = facts[step.of.relation_id] if isinstance(step.of, Relation) else step.of
        hops.append(hop if hop.start_id == step.start else hop.turned())
    return explorer.measure(tuple(hops), complete=True)
