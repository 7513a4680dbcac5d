"""Answers of the extractive reasoner that need relations and sentences together: typed answers and bridges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from kg_pipeline.graph.reader import GraphReader
from retrieval.abstain import AbstentionSettings, unsupported
from retrieval.chains import Chain
from retrieval.evidence import Quote
from retrieval.hops import HopFinder
from retrieval.question import Question
from retrieval.reasoner import Draft
from retrieval.sentences import Splitter
from retrieval.shape import Shape
from retrieval.terms import find_name, name_keys, tokenise
from retrieval.typed_answers import find_answers, told, typed_draft, without_types
from retrieval.typed_paths import Explorer, PathSettings, TypedPath

_NAME = "extractive"
_PAIRS = 3
_NAMES_COMPARED = 20


def typed_answer(
    question: Question, shape: Shape, reader: GraphReader, split: Splitter, abstention: AbstentionSettings
) -> Draft | None:
    """Things of the type asked for, with the paths to them; None if none is shown well enough."""
    if question.kind == "yes_no" or shape.answer is None or not question.links:
        return None
    explorer = Explorer(question, shape, HopFinder(reader, split))
    answers = told(find_answers(explorer), shape)
    draft = typed_draft(explorer, answers, _NAME)
    lost = unsupported(without_types(question, shape, answers), draft, (), abstention)
    return None if lost else draft


def bridges(question: Question, shape: Shape, reader: GraphReader, split: Splitter) -> list[TypedPath]:
    """Two steps between two names asked about, one of them at most known from a sentence only.

    To ask how two things are connected a sentence may stand in for a relation that was not extracted; whether the one
    does something to the other needs more.
    """
    ends = [link for number, link in enumerate(question.links) if number not in shape.setting]
    if question.kind == "yes_no" or len(ends) < 2:
        return []
    explorer = Explorer(question, shape, HopFinder(reader, split), replace(PathSettings(), max_depth=2))
    found: list[TypedPath] = []
    for one, other in list(combinations(ends, 2))[:_PAIRS]:
        paths = explorer.to_entities(one.ids, other.ids, limit=_PAIRS)
        found += [path for path in paths if any(hop.fact is not None for hop in path.hops)]
    return sorted(found, key=lambda path: -round(path.score, 9))[:1]


def names_type(reader: GraphReader, question: Question, shape: Shape, quote: Quote) -> bool:
    """Whether a sentence names something of the type asked for, besides what the question names."""
    if shape.answer is None:
        return True
    tokens = tokenise(quote.text)
    mentioned = reader.entities_of([quote.chunk_id]).get(quote.chunk_id, [])
    others = reader.entities([entity_id for entity_id in mentioned if entity_id not in question.entity_ids])
    return any(
        shape.answer.fits(entity)
        and find_name(tokens, name_keys([entity.name, *entity.aliases[:_NAMES_COMPARED]]))
        for entity in others
    )


def distinct_chains(chains: Sequence[Chain]) -> list[Chain]:
    """Chains without those whose inferred hops only sum up relations that a chain before tells one by one."""
    kept: list[Chain] = []
    told_ids: set[str] = set()
    for chain in chains:
        parts = {part.relation.relation_id for hop in chain.facts for part in hop.asserted()}
        if parts <= told_ids:
            continue
        told_ids |= parts
        kept.append(chain)
    return kept
