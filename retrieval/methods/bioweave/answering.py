"""Verified answer generation (section 5.4): options, sets, counts and explanations from the refined evidence graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from retrieval.evidence import EvidenceState
from retrieval.methods.bioweave.exploration import Exploration
from retrieval.methods.bioweave.plan import Option
from retrieval.methods.bioweave.scoring import Scored
from retrieval.methods.naive import text_draft
from retrieval.paths.hops import Hop
from retrieval.paths.typed_paths import TypedPath
from retrieval.reasoning.abstain import unsupported
from retrieval.reasoning.compose import distinct, joined, quote_sentence
from retrieval.reasoning.reasoner import Draft, DraftSentence
from retrieval.reasoning.typed_answers import TypedAnswer, path_sentences, told, typed_draft, without_types
from retrieval.reasoning.weaving import asks_for_other
from retrieval.words.terms import find_name, name_key, tokenise

_BY = "extractive"
_QUOTES = 4
_COUNTED = 60  # things named in a counting sentence
_CROSS = 0.2  # weight of the verification of its units in the score of an answer


@dataclass(frozen=True, slots=True)
class Result:
    """A draft with what it names: the things that answer, and the option chosen."""

    draft: Draft
    items: tuple[str, ...] = ()
    option: str | None = None


def ranked_answers(exploration: Exploration, scored: Sequence[Scored]) -> list[TypedAnswer]:
    """Answers by path and by the verification of the units that their paths are made of."""
    cross = {row.unit.key: row.cross for row in scored}
    weighed = []
    for answer in exploration.answers:
        keys = [hop.key for hop in answer.hops]
        mean = sum(cross.get(key, 0.0) for key in keys) / len(keys)
        weighed.append(replace(answer, score=answer.score + _CROSS * mean))
    return sorted(weighed, key=lambda answer: (-round(answer.score, 9), answer.entity.entity_id))


async def compose(exploration: Exploration, scored: Sequence[Scored], evidence: EvidenceState) -> Result:
    """The answer without a language model; a draft with a reason where the evidence holds none."""
    plan = exploration.plan
    answers = ranked_answers(exploration, scored)
    if plan.options:
        return _option(exploration, answers, scored)
    if plan.shape.operator == "count" and plan.shape.answer is not None:
        return _count(exploration, answers)
    best = told(answers, plan.shape)
    if best:
        draft = typed_draft(exploration.explorer, best, _BY)
        reason = _lost(exploration, draft, best)
        if not reason:
            return Result(draft, tuple(answer.entity.name for answer in best))
    if "kg" in plan.sources:
        draft = await exploration.context.reasoner.synthesise(plan.question, evidence)
    else:
        draft, _ = text_draft(plan.question, exploration.sentences, exploration.context, _QUOTES)
    connects = plan.question.kind != "yes_no" and not asks_for_other(plan.question, plan.shape)
    if draft.reason and exploration.paths and connects:
        bridged = _paths_draft(exploration, exploration.paths[:1])
        if not bridged.reason:
            return Result(bridged)
    return Result(draft)


def _lost(exploration: Exploration, draft: Draft, answers: Sequence[TypedAnswer]) -> str:
    question = without_types(exploration.plan.question, exploration.plan.shape, answers)
    if exploration.description is not None:
        question = exploration.description.named(question)
    return unsupported(question, draft, (), exploration.context.abstention)


def _paths_draft(exploration: Exploration, paths: Sequence[TypedPath]) -> Draft:
    question = exploration.plan.question
    facts = [hop.fact for path in paths for hop in path.hops if hop.fact is not None]
    sentences = [item for path in paths for item in path_sentences(path, question)]
    draft = Draft(tuple(sentences), support="chain", facts=tuple(facts), reasoner=_BY)
    reason = unsupported(question, draft, (), exploration.context.abstention)
    return Draft(reason=reason, reasoner=_BY) if reason else draft


def _count(exploration: Exploration, answers: Sequence[TypedAnswer]) -> Result:
    """Distinct things after aliases are collapsed, with the sentences that show each."""
    slot = exploration.plan.shape.answer
    if not answers or slot is None:
        return Result(Draft(reason="nothing of the type asked for was found to count", reasoner=_BY))
    # What is inferred, or only named in one sentence, is enough to show, not to count beside what is stated.
    answers = [answer for answer in answers if all(map(_is_stated, answer.hops))] or answers
    names = tuple(answer.entity.name for answer in answers)
    draft = typed_draft(exploration.explorer, answers, _BY)
    noun = slot.word if len(names) == 1 else f"{slot.word}s"
    listed = joined(names[:_COUNTED]) if len(names) <= _COUNTED else ", ".join(names[:_COUNTED])
    quotes = distinct(quote for answer in answers[:_COUNTED] for quote in answer.quotes)
    head = DraftSentence(
        f"The evidence names {len(names)} {noun}: {listed}.", quotes, "finding", claim=listed
    )
    draft = replace(draft, sentences=(head, *draft.sentences))
    reason = _lost(exploration, draft, answers)
    return Result(Draft(reason=reason, reasoner=_BY) if reason else draft, () if reason else names)


def _is_stated(hop: Hop) -> bool:
    return hop.fact is not None and hop.fact.relation.kind == "asserted"


def _option(exploration: Exploration, answers: Sequence[TypedAnswer], scored: Sequence[Scored]) -> Result:
    """The option with the best evidence; none where no option has any."""
    best: tuple[float, Option, Draft] | None = None
    ways = cache(partial(_ways, exploration))  # which take long, and no option may need
    for option in exploration.plan.options:
        found = _support(exploration, option, ways, answers, scored)
        if found is not None and (best is None or found[0] > best[0]):
            best = (found[0], option, found[1])
    if best is None:
        return Result(Draft(reason="the evidence supports none of the options", reasoner=_BY))
    return Result(best[2], (best[1].text,), best[1].letter)


def _ways(exploration: Exploration) -> dict[str, list[TypedPath]]:
    """The best path to each option, by letter, from what the question names; none where it names nothing."""
    question, shape = exploration.plan.question, exploration.plan.shape
    sources = [e for i, link in enumerate(question.links) if i not in shape.setting for e in link.ids]
    find = exploration.context.reader.find_entities
    options = exploration.plan.options
    if not sources:
        return {option.letter: [] for option in options}
    found = exploration.explorer.to_each(sources, [find(option.text) for option in options], limit=1)
    return {option.letter: paths for option, paths in zip(options, found, strict=True)}


def _support(
    exploration: Exploration,
    option: Option,
    ways: Callable[[], dict[str, list[TypedPath]]],
    answers: Sequence[TypedAnswer],
    scored: Sequence[Scored],
) -> tuple[float, Draft] | None:
    """How well an option is supported and the draft that says so: by a typed path, by any path, by sentences."""
    question = exploration.plan.question
    ids = set(exploration.context.reader.find_entities(option.text))
    typed = next((answer for answer in answers if answer.entity.entity_id in ids), None)
    if typed is not None:
        draft = typed_draft(exploration.explorer, [typed], _BY)
        if not _lost(exploration, draft, [typed]):
            return 1.0 + typed.score, draft
    paths = ways()[option.letter] if ids else []
    if paths and exploration.explorer.agrees(paths[0]):
        draft = _paths_draft(exploration, paths)
        if not draft.reason:
            return paths[0].score, draft
    key = name_key(option.text)
    naming = [
        row for row in scored if row.unit.quotes and find_name(tokenise(row.unit.quotes[0].text), [key])
    ]
    draft = Draft(
        tuple(quote_sentence(row.unit.quotes[0]) for row in naming[:1]), support="sentences", reasoner=_BY
    )
    if naming and not unsupported(question, draft, (), exploration.context.abstention):
        return 0.5 * naming[0].cross, draft
    return None
