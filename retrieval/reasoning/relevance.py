"""Which facts, chains and sentences answer a question, as opposed to being merely near it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from retrieval.layout import type_name
from retrieval.passages.reporting import states_aim
from retrieval.passages.sentences import Sentence
from retrieval.paths.chains import Chain
from retrieval.paths.facts import Fact
from retrieval.questions.links import Link
from retrieval.questions.question import Question
from retrieval.questions.shape import Slot, named_slot
from retrieval.reasoning.abstain import AbstentionSettings
from retrieval.words.direction import acts, reverses
from retrieval.words.terms import content_stems, coverage

_SHORT = 2  # hops that lead through one thing only


def bears_on(question: Question, row: Sentence, settings: AbstentionSettings) -> bool:
    """Whether a free sentence says something about what is asked: its entities together, with a word that relates them."""
    says_all = bool(row.words) and row.terms == 1.0  # of what is asked besides names and relation
    if len(question.links) >= 2:
        focused = question.focus is None or question.focus in row.links
        related = row.relates or (says_all and not question.predicates)
        return len(row.links) >= 2 and related and focused and not _turns(question, row)
    if question.links:
        cued = not question.predicates or row.relates or says_all
        cued = cued and row.role in (None, question.role)
        return bool(row.links) and cued and row.terms >= settings.terms
    return row.terms >= settings.terms_without_entities and row.cosine >= settings.cosine_without_entities


def _turns(question: Question, row: Sentence) -> bool:
    """Whether a sentence plainly has the things of a yes/no question act the other way round."""
    if question.kind != "yes_no" or not question.predicates:
        return False
    names = [link.names for link in question.links]
    return reverses(acts(question.text, names), acts(row.quote.text, names))


def focused(question: Question, facts: Sequence[Fact]) -> list[Fact]:
    """Of facts between three or more things asked about, those that say something of the rarest, where there are any."""
    if question.focus is None:
        return list(facts)
    ids = set(question.links[question.focus].ids)
    kept = [fact for fact in facts if ids & {fact.relation.head_id, fact.relation.tail_id}]
    return kept or list(facts)


def joins(fact: Fact, links: Sequence[Link]) -> bool:
    """Whether the fact relates two different things of the question."""
    ends = [
        {i for i, link in enumerate(links) if end in link.ids}
        for end in (fact.relation.head_id, fact.relation.tail_id)
    ]
    return bool(ends[0]) and bool(ends[1]) and len(ends[0] | ends[1]) >= 2


def names_all(question: Question, entity_ids: Sequence[str]) -> bool:
    """Whether one entity of each name of the question is among the entities."""
    return all(not set(link.ids).isdisjoint(entity_ids) for link in question.links)


def fits(fact: Fact, question: Question, answer: Slot | None) -> bool:
    """Whether a fact about the one entity asked about is of the asked relation, and of the type `answer`."""
    asked = question.entity_ids
    ends = {fact.relation.head_id: fact.head, fact.relation.tail_id: fact.tail}
    if not asked & set(ends):
        return False
    if question.predicates and fact.relation.predicate not in question.predicates:
        return False
    others = [entity for entity_id, entity in ends.items() if entity_id not in asked]
    if question.role and not fact.symmetric:
        end = fact.relation.head_id if question.role == "head" else fact.relation.tail_id
        if end not in asked:
            return False
    if answer is not None and question.kind != "yes_no" and not any(map(answer.fits, others)):
        return False
    return not question.categories or any(
        type_name(entity.category) in question.categories for entity in others
    )


def naming(question: Question, facts: Sequence[Fact]) -> list[Fact]:
    """The facts, unless a question asks for things and all that is known of them is denied."""
    asks = question.kind in {"which", "what"} and not question.negated
    return [] if asks and all(fact.relation.negated for fact in facts) else list(facts)


def without_place(question: Question, where: Collection[int]) -> Question | None:
    """The question about one thing without the names that only say where ("what causes rash in dogs?")."""
    links = tuple(link for number, link in enumerate(question.links) if number not in where)
    if question.kind == "yes_no" or len(links) != 1 or len(links) == len(question.links):
        return None
    return replace(question, links=links)


def told_by_action(question: Question) -> Question:
    """The question with what also tells what an antibody binds: that which it blocks or targets, since it does so by binding."""
    antibody = named_slot("antibody")
    if question.predicates != {"binds"} or question.kind == "yes_no" or antibody is None:
        return question
    if not any(antibody.is_named_by(entity) for link in question.links for entity in link.entities):
        return question
    return replace(question, predicates=question.predicates | {"inhibits", "targets"})


def contests(fact: Fact, shown: Sequence[Fact]) -> bool:
    """Whether a fact is about the same two entities as one that is shown."""
    ends = {fact.relation.head_id, fact.relation.tail_id}
    return any(ends == {other.relation.head_id, other.relation.tail_id} for other in shown)


def answers(chain: Chain, question: Question) -> bool:
    """Whether a chain answers the question.

    To ask how two things are connected a chain will do, through an entity that connects everything if it is short or each
    step of it acts on the next; not by way of a class of one of them. A yes/no question asks for an effect: the chain must run in
    one direction, have the asked sign where one is asked, and not lead through an entity that connects everything.
    """
    if len(chain) < 2 and chain.facts[0].relation.kind == "asserted":
        return False  # told as a direct fact
    if chain.generalises:
        return False
    if question.kind != "yes_no":
        mechanism = question.kind == "how" and chain.runs_forward  # each step acts on the next one
        return not chain.through_hub or len(chain) <= _SHORT or mechanism
    if chain.through_hub:
        return False
    forward = chain.runs_backward if question.passive else chain.runs_forward
    if question.predicates:
        return forward and (chain.sign == question.sign if question.sign else chain.sign != 0)
    return (chain.runs_forward or chain.runs_backward) and len(chain) <= 3


def leads_through(chain: Chain, categories: Collection[str]) -> bool:
    """Whether a thing of one of the categories stands between the ends of a chain."""
    ends = {end.entity_id: end for fact in chain.facts for end in (fact.head, fact.tail)}
    return any(type_name(ends[stop].category) in categories for stop in chain.inner_ids if stop in ends)


def rank_facts(question: Question, facts: Sequence[Fact]) -> list[Fact]:
    """Asserted first, what holds before what does not, and findings before aims; then the asked predicate, the asked type, the question's words in the quotes, and confidence."""
    return sorted(
        facts,
        key=lambda fact: (
            fact.relation.kind != "asserted",
            question.kind != "yes_no" and fact.relation.negated != question.negated,
            all(states_aim(quote) for quote in fact.quotes),
            -_weight(question, fact),
            fact.relation.relation_id,
        ),
    )


def _weight(question: Question, fact: Fact) -> float:
    stems = content_stems(" ".join(quote.text for quote in fact.quotes))
    return (
        2.0 * (fact.relation.predicate in question.predicates)
        + 2.0 * (question.coverage(stems) if question.terms else 0)
        + (
            coverage(content_stems(question.text), stems)
            + float(fact.relation.confidence)
            - 0.3 * fact.relation.speculative
        )
    )
