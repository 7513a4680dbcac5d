"""Multi-hop chains of relations between the entities of a question, each hop with its sentence."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kg_pipeline.graph.reader import ALL_KINDS, ASSERTED, GraphReader, Path, Relation, Vector
from retrieval.passages.sentences import is_heading
from retrieval.paths.facts import Fact, load_facts
from retrieval.words.cues import ANY_RELATION

_PATHS_ASKED = 12
_OTHERS_ASKED = 100  # relations looked through for one that is not denied
_SMALL_CORPUS = 10  # articles; below it no share of articles makes a hub
_HUB_SHARE = 0.3
_LOOSE = 0.15  # off the score of a chain of which no hop says more than that two things are connected


@dataclass(frozen=True, slots=True)
class Chain:
    """Facts that lead from one entity to another; entities has one more element than facts."""

    entity_ids: tuple[str, ...]
    facts: tuple[Fact, ...]
    score: float
    through_hub: bool  # a stop on the way is mentioned in so many articles that it connects anything

    def __len__(self) -> int:
        return len(self.facts)

    @property
    def inner_ids(self) -> tuple[str, ...]:
        """Entities between the ends."""
        return self.entity_ids[1:-1]

    @property
    def runs_forward(self) -> bool:
        """Whether every hop reads from the first entity towards the last."""
        return all(self._reads(i, self.entity_ids[i]) for i in range(len(self.facts)))

    @property
    def runs_backward(self) -> bool:
        """Whether every hop reads from the last entity towards the first."""
        return all(self._reads(i, self.entity_ids[i + 1]) for i in range(len(self.facts)))

    @property
    def generalises(self) -> bool:
        """Whether it goes by way of a class: what holds of tumours need not hold of pancreatic cancer.

        An end may be a class itself, of which the chain goes to a member.
        """
        ends = (self.entity_ids[0], self.entity_ids[-1])
        return len(self.facts) > 1 and any(
            fact.relation.predicate == "subclass_of" and fact.relation.tail_id not in ends
            for fact in self.facts
        )

    @property
    def sign(self) -> int:
        """Product of the directions of effect; 0 as soon as one hop has none."""
        return math.prod(fact.sign for fact in self.facts)

    def _reads(self, i: int, start: str) -> bool:
        fact = self.facts[i]
        return fact.symmetric or fact.relation.head_id == start


def find_chains(
    reader: GraphReader,
    sources: Sequence[str],
    targets: Sequence[str],
    vector: Vector,
    *,
    max_hops: int = 4,
    limit: int = 3,
    kinds: Collection[str] = ALL_KINDS,
) -> list[Chain]:
    """The best chains, each hop citable and none negated; chains of stated relations come before those with inferred ones.

    Ranked by confidence of the hops, what they say ("causes" before "is associated with"), nearness of the stops to the
    question (`vector`) and rarity of the stops. A chain whose stops another chain of the list already has is left out.
    """
    paths: dict[tuple[str, ...], Path] = {}
    asserted = frozenset(kinds) & ASSERTED
    for some in (asserted, frozenset(kinds)):
        if not some:
            continue
        for source in sources:
            for target in targets:
                if source != target:
                    found = reader.paths(source, target, max_length=max_hops, k=_PATHS_ASKED, kinds=some)
                    paths |= {path.relation_ids: path for path in found if path.relation_ids not in paths}
    chains = _chains(reader, list(paths.values()), vector, kinds)
    chains.sort(key=lambda chain: (not _all_stated(chain), -chain.score, len(chain), chain.entity_ids))
    kept: list[Chain] = []
    for chain in chains:
        if any(set(chain.inner_ids) == set(other.inner_ids) for other in kept):
            continue
        kept.append(chain)
        if len(kept) == limit:
            break
    return kept


def is_titled(fact: Fact) -> bool:
    """Whether only titles of sections state a fact."""
    return fact.relation.kind == "asserted" and all(
        is_heading(quote.text, quote.section_path) for quote in fact.quotes
    )


def _all_stated(chain: Chain) -> bool:
    return all(fact.relation.kind == "asserted" for fact in chain.facts)


def _facts(reader: GraphReader, paths: Sequence[Path], kinds: Collection[str]) -> dict[frozenset[str], Fact]:
    """The fact to tell for each pair of entities on a path: stated before inferred, then the most specific and surest.

    A path may name a relation that is denied, that no sentence can be cited for, or that only connects; another one of
    the same pair is told then, if there is one.
    """
    pairs = {frozenset(pair) for path in paths for pair in pairwise(path.entity_ids)}
    named = reader.relations(sorted({relation_id for path in paths for relation_id in path.relation_ids}))
    facts = _best(reader, named)
    wanting = {pair for pair in pairs if pair not in facts or _is_loose(facts[pair])}
    if wanting:
        ends = sorted({end for pair in wanting for end in pair})
        around = reader.relations(reader.neighbours(ends, kinds=kinds, per_node=_OTHERS_ASKED))
        others = {r.relation_id: r for r in around if frozenset((r.head_id, r.tail_id)) in wanting}
        facts |= _best(reader, [*others.values(), *(r for r in named if r.relation_id not in others)])
    return facts


def _is_loose(fact: Fact) -> bool:
    """Whether a fact says no more than that two things have to do with each other."""
    return fact.relation.predicate in ANY_RELATION


def _best(reader: GraphReader, relations: Iterable[Relation]) -> dict[frozenset[str], Fact]:
    ranked = sorted(
        relations,
        key=lambda r: (
            *(r.kind != "asserted", r.speculative, r.predicate in ANY_RELATION),
            *(-r.confidence, -r.n_articles, r.relation_id),
        ),
    )
    best: dict[frozenset[str], Fact] = {}
    for fact in load_facts(reader, ranked):
        if fact.is_citable and not fact.relation.negated and not is_titled(fact):
            best.setdefault(frozenset((fact.relation.head_id, fact.relation.tail_id)), fact)
    return best


def _chains(
    reader: GraphReader, paths: Sequence[Path], vector: Vector, kinds: Collection[str]
) -> list[Chain]:
    facts = _facts(reader, paths, kinds)
    inner = sorted({entity_id for path in paths for entity_id in path.entity_ids[1:-1]})
    nearness = dict(zip(inner, reader.similarities("entity", inner, vector), strict=True))
    articles = {entity.entity_id: entity.n_articles for entity in reader.entities(inner)}
    total = reader.manifest.counts.get("documents", 0)
    chains = []
    for path in paths:
        hops = [facts[pair] for pair in map(frozenset, pairwise(path.entity_ids)) if pair in facts]
        if len(hops) != len(path.relation_ids):
            continue
        stops = path.entity_ids[1:-1]
        confidence = math.prod(
            hop.relation.confidence * (0.7 if hop.relation.speculative else 1.0) for hop in hops
        ) ** (1 / len(hops))
        near = sum(nearness[stop] for stop in stops) / len(stops) if stops else 1.0
        common = max((articles.get(stop, 0) for stop in stops), default=0)
        loose = sum(map(_is_loose, hops)) / len(hops)
        hub = total >= _SMALL_CORPUS and common > _HUB_SHARE * total
        score = confidence + near - 0.1 * math.log1p(common) - 0.1 * len(hops) - (0.5 if hub else 0.0)
        score -= _LOOSE * loose
        chains.append(Chain(path.entity_ids, tuple(hops), score, through_hub=hub))
    return chains
