"""Answers of the type a question asks for, each with the paths that show it, and the draft made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kg_pipeline.graph.reader import Entity
from retrieval.evidence import Quote
from retrieval.paths.chains import Chain
from retrieval.paths.coverage import covered_links
from retrieval.paths.facts import Fact, load_facts
from retrieval.paths.hops import Hop
from retrieval.paths.typed_paths import Explorer, TypedPath
from retrieval.questions.question import Question
from retrieval.questions.shape import Shape
from retrieval.reasoning.compose import (
    best_quote,
    chain_sentences,
    conflict_sentence,
    find_conflicts,
    inference_sentence,
    quote_sentence,
)
from retrieval.reasoning.reasoner import Draft, DraftSentence
from retrieval.words.terms import content_stems, name_keys, stem

_CANDIDATES = 40
_NEAR_BEST = 0.02  # answers whose score is this close to the best are told with it
_NEAR_LISTED = 0.15  # where a set is asked for
_LISTED = 6
_FEW = 2
_NEIGHBOURS = 60


@dataclass(frozen=True, slots=True)
class TypedAnswer:
    """An entity of the type asked for with the paths that lead to it."""

    entity: Entity
    paths: tuple[TypedPath, ...]
    score: float

    @property
    def hops(self) -> tuple[Hop, ...]:
        """Hops of all paths, each once."""
        return tuple({hop.key: hop for path in self.paths for hop in path.hops}.values())

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """A sentence for each hop."""
        return tuple({quote.key: quote for path in self.paths for quote in path.quotes}.values())


def find_answers(explorer: Explorer, *, limit: int = _CANDIDATES) -> list[TypedAnswer]:
    """Answers by (-score, id); aliases of one entity count once."""
    question, shape = explorer.question, explorer.shape
    if shape.answer is None or not question.links:
        return []
    if shape.operator in {"intersection", "shared_neighbour"}:
        found = _common(explorer)
        if found or not shape.setting:
            return _collapsed(found)[:limit]
    sources = [
        entity_id
        for number, link in enumerate(question.links)
        if number not in shape.setting
        for entity_id in link.ids
    ]
    if shape.operator in {"aggregation", "count"} and not shape.inner:
        explorer = replace(explorer, settings=replace(explorer.settings, max_depth=1))
    answers = [
        TypedAnswer(explorer.finder.entities[path.end_id], paths, path.score)
        for path in explorer.to_type(sources, limit=limit)
        if (paths := _with_context(explorer, path)) is not None
    ]
    return _collapsed(answers)


def _common(explorer: Explorer) -> list[TypedAnswer]:
    """Entities of the type that every name of the question is one hop away from (a setting counts where it is said)."""
    question, shape = explorer.question, explorer.shape
    answer = shape.answer
    assert answer is not None
    best: list[dict[str, TypedPath]] = []
    for link in question.links:
        reached: dict[str, TypedPath] = {}
        for hops in explorer.finder.around(link.ids).values():
            for hop in hops:
                entity = explorer.finder.entities.get(hop.end_id)
                if entity is None or entity.entity_id in question.entity_ids or not answer.fits(entity):
                    continue
                path = explorer.measure((hop,))
                known = reached.get(hop.end_id)
                if known is None or path.score > known.score:
                    reached[hop.end_id] = path
        best.append(reached)
    found = []
    for entity_id in sorted(set.intersection(*(set(reached) for reached in best))):
        paths = tuple(reached[entity_id] for reached in best)
        whole = explorer.measure(tuple(path.hops[0] for path in paths))
        if whole.cues >= explorer.settings.cues:
            found.append(TypedAnswer(explorer.finder.entities[entity_id], paths, whole.score))
    return sorted(found, key=lambda found: (-round(found.score, 9), found.entity.entity_id))


def _with_context(explorer: Explorer, path: TypedPath) -> tuple[TypedPath, ...] | None:
    """The path, and for each name of the question it does not touch a hop from one of its entities; None if there is none.

    The hop from the answer is preferred to one from a thing on the way.
    """
    question = explorer.question
    paths = [path]
    for number, link in enumerate(question.links):
        if number in path.links:
            continue
        hop = next(
            (
                hop
                for entity_id in reversed(path.entity_ids)
                for hop in explorer.finder.around([entity_id])[entity_id]
                if hop.end_id in link.ids or number in covered_links(question, (), hop.quotes[:1])
            ),
            None,
        )
        if hop is None:
            return None
        paths.append(explorer.measure((hop,)))
    return tuple(paths)


def _collapsed(answers: Sequence[TypedAnswer]) -> list[TypedAnswer]:
    """One answer for each thing: entities that share a name are one."""
    kept: list[TypedAnswer] = []
    names: set[tuple[str, ...]] = set()
    for answer in answers:
        keys = set(name_keys([answer.entity.name, *answer.entity.aliases]))
        if keys.isdisjoint(names):
            kept.append(answer)
        names |= keys
    return kept


def told(answers: Sequence[TypedAnswer], shape: Shape) -> list[TypedAnswer]:
    """Answers to tell: the best and those about as good; more where a set is asked for."""
    if not answers:
        return []
    listed = shape.operator in {"aggregation", "count"}
    floor = answers[0].score - (_NEAR_LISTED if listed else _NEAR_BEST)
    return [answer for answer in answers if answer.score >= floor][: _LISTED if listed else _FEW]


def typed_draft(explorer: Explorer, answers: Sequence[TypedAnswer], reasoner: str) -> Draft:
    """A draft that tells the answers hop by hop, with both sides where the evidence disagrees."""
    question = explorer.question
    sentences: list[DraftSentence] = []
    for answer in answers:
        for path in answer.paths:
            sentences += path_sentences(path, question)
    facts = [hop.fact for answer in answers for hop in answer.hops if hop.fact is not None]
    conflicts = find_conflicts([*facts, *contesting(explorer, facts)])
    sentences += [conflict_sentence(conflict, question) for conflict in conflicts]
    used = [*facts, *(fact for conflict in conflicts for fact in (conflict.stated, conflict.opposed))]
    return Draft(
        sentences=tuple({item.text: item for item in sentences}.values()),
        support="chain",
        facts=tuple({fact.relation.relation_id: fact for fact in used}.values()),
        conflicts=tuple(conflicts),
        reasoner=reasoner,
        items=tuple(answer.entity.name for answer in answers),
    )


def path_sentences(path: TypedPath, question: Question) -> list[DraftSentence]:
    """The path told from end to end: as one statement where all hops are relations, and a quote for each hop."""
    facts = [hop.fact for hop in path.hops]
    stated = [fact for fact in facts if fact is not None]
    if len(stated) == len(facts) and len(facts) > 1:
        return chain_sentences(Chain(path.entity_ids, tuple(stated), path.score, through_hub=False), question)
    sentences = []
    for hop in path.hops:
        if not hop.quotes:
            continue  # a step between like names: told in the trace, no sentence states it
        if hop.fact is None:
            sentences.append(quote_sentence(hop.quotes[0]))
        elif hop.fact.relation.kind == "asserted":
            sentences.append(quote_sentence(best_quote(hop.fact, question)))
        else:
            sentences.append(inference_sentence(hop.fact, question))
    return sentences


def contesting(explorer: Explorer, facts: Sequence[Fact]) -> list[Fact]:
    """Relations between the same two entities as one of the facts, denied ones included."""
    pairs = {frozenset((fact.relation.head_id, fact.relation.tail_id)) for fact in facts}
    reader = explorer.finder.reader
    ends = sorted({end for pair in pairs for end in pair})
    around = reader.relations(reader.neighbours(ends, per_node=_NEIGHBOURS)) if ends else []
    return load_facts(reader, [r for r in around if frozenset((r.head_id, r.tail_id)) in pairs])


def without_types(question: Question, shape: Shape, answers: Sequence[TypedAnswer]) -> Question:
    """The question without the words that its types and the paths account for, so that they are not demanded again."""
    slots = {
        stem(word)
        for slot in (shape.answer, *shape.inner)
        if slot is not None
        for word in (slot.word, slot.word + "s")
    }
    said = frozenset(
        word for answer in answers for quote in answer.quotes for word in content_stems(quote.text)
    )
    return replace(
        question, terms=tuple(word for word in question.terms if word not in slots or word in said)
    )
