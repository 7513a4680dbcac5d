"""Draft sentences from facts, chains and quotes, in the words of the articles and of the closed set of predicates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from retrieval.answer import Verdict
from retrieval.evidence import Quote
from retrieval.passages.reporting import states_aim
from retrieval.passages.sentences import is_heading
from retrieval.paths.chains import Chain
from retrieval.paths.facts import Fact, between_ends
from retrieval.questions.question import Question
from retrieval.reasoning.reasoner import Conflict, DraftSentence
from retrieval.words.cues import EFFECTS
from retrieval.words.limits import compares, leaves_out
from retrieval.words.terms import content_stems, coverage, directions


def best_quote(fact: Fact, question: Question) -> Quote:
    """The quote of an asserted fact that shares most words with the question; titles and aims only where nothing else states it."""
    wanted = content_stems(question.text)
    return max(
        fact.quotes,
        key=lambda quote: (
            not is_heading(quote.text, quote.section_path),
            not states_aim(quote),
            coverage(wanted, content_stems(quote.text)),
            -len(quote.text),
        ),
    )


def quote_sentence(quote: Quote) -> DraftSentence:
    """A quote as a sentence of the answer."""
    text = " ".join(quote.text.split())
    return DraftSentence(text if text[-1:] in ".!?" else text + ".", (quote,), "quote")


def joined(clauses: Sequence[str]) -> str:
    """Clauses as one clause."""
    return clauses[0] if len(clauses) == 1 else f"{', '.join(clauses[:-1])}, and {clauses[-1]}"


def sentence(clause: str) -> str:
    """A clause with a capital and a full stop; names such as mTOR keep their case."""
    first = clause.split(maxsplit=1)[0]
    capital = clause[:1].upper() + clause[1:] if first.islower() else clause
    return capital + "."


def chain_sentences(chain: Chain, question: Question) -> list[DraftSentence]:
    """What the chain says in one sentence with a quote for each hop; an inferred hop with its premises.

    A chain of one inferred hop is told by `inference_sentence` alone.
    """
    hops = reading_order(chain)
    quotes = [best_quote(fact, question) for hop in hops for fact in hop.asserted()]
    sentences = []
    stated = [hop for hop in hops if hop.relation.kind == "asserted"]
    if len(chain) > 1:
        text = sentence(
            joined([hop.clause() if hop in stated else f"{hop.clause()} (inferred)" for hop in hops])
        )
        claim = joined([fact.plain() for hop in hops for fact in hop.asserted()])
        sentences.append(DraftSentence(text, distinct(quotes), "finding", claim))
    sentences += [quote_sentence(best_quote(hop, question)) for hop in stated]
    sentences += [inference_sentence(hop, question) for hop in hops if hop.relation.kind != "asserted"]
    return sentences


def reading_order(chain: Chain) -> list[Fact]:
    """The hops as they follow one another: from the end where every hop reads onwards, if there is one.

    A relation that can be read both ways is told from the stop that was reached.
    """
    turned = chain.runs_backward and not chain.runs_forward
    stops = chain.entity_ids[::-1] if turned else chain.entity_ids
    hops = chain.facts[::-1] if turned else chain.facts
    return [hop.read_from(stop) for hop, stop in zip(hops, stops, strict=False)]


def inference_sentence(fact: Fact, question: Question) -> DraftSentence:
    """An inferred fact, called so, with the facts it was derived from."""
    premises = fact.asserted()
    because = joined([premise.clause() for premise in premises])
    text = f"Inferred, not stated in any article ({fact.relation.kind} rule {fact.rule or 'unnamed'}): {fact.clause()}, because {because}."
    return DraftSentence(
        text,
        distinct(best_quote(premise, question) for premise in premises),
        "inference",
        joined([premise.plain() for premise in premises]),
    )


def find_conflicts(facts: Iterable[Fact]) -> list[Conflict]:
    """Asserted facts that deny each other, or state opposite directions of effect of the same head on the same tail."""
    known = {
        fact.relation.relation_id: fact
        for fact in facts
        if fact.relation.kind == "asserted" and fact.is_citable
    }
    conflicts = []
    for one, other in combinations(
        sorted(known.values(), key=lambda fact: (fact.relation.negated, fact.relation.relation_id)), 2
    ):
        a, b = one.relation, other.relation
        same = (a.head_id, a.tail_id) == (b.head_id, b.tail_id)
        turned = one.symmetric and (a.head_id, a.tail_id) == (b.tail_id, b.head_id)
        if a.predicate == b.predicate and (same or turned) and a.negated != b.negated:
            conflicts.append(Conflict(one, other, "denied"))
        elif (
            same
            and one.sign * other.sign == -1
            and not a.negated
            and not b.negated
            and not a.speculative
            and not b.speculative
        ):
            conflicts.append(Conflict(one, other, "opposite_direction"))
    return conflicts


def conflict_sentence(conflict: Conflict, question: Question) -> DraftSentence:
    """Both sides, each with its quote."""
    stated, opposed = best_quote(conflict.stated, question), best_quote(conflict.opposed, question)
    text = f"The evidence disagrees: one source states that {conflict.stated.clause()}, another that {conflict.opposed.clause()}."
    return DraftSentence(text, distinct([stated, opposed]), "contradiction", "")


def verdict_of(question: Question, facts: Sequence[Fact], chains: Sequence[Chain]) -> Verdict | None:
    """Yes, no or maybe to a yes/no question, from stated facts between the things asked about; None for other questions.

    Chains, reservations, exceptions and comparisons never give more than maybe; what one sentence states is not less sure
    where another one doubts it.
    """
    if question.kind != "yes_no":
        return None
    told = [fact for fact in facts if not fact.relation.speculative and _holds_as_asked(fact, question)]
    votes = {vote for fact in told if (vote := vote_of(question, fact))}
    if question.negated or compares(question.text) or len(votes) != 1:
        return "maybe" if facts or chains else None
    return "yes" if votes == {1} else "no"


def _holds_as_asked(fact: Fact, question: Question) -> bool:
    """Whether a sentence that states the fact makes no exception of what the question asks about."""
    return not fact.quotes or not all(leaves_out(quote.text, question.text) for quote in fact.quotes)


def vote_of(question: Question, fact: Fact) -> int:
    """+1 if the fact says what is asked, -1 if it says the contrary, 0 if it says something else."""
    relation = fact.relation
    if relation.kind != "asserted" or not in_asked_direction(question, fact):
        return 0
    agrees = (
        not question.predicates
        or relation.predicate in question.predicates
        or (question.sign != 0 and fact.sign == question.sign)
    )
    if agrees and relation.negated:
        return -1
    vote = 1 if agrees else -1 if fact.sign == -question.sign and not relation.negated else 0
    if not question.sign or not fact.quotes or (agrees and relation.predicate in EFFECTS):
        return 1 if agrees else 0
    # A word of the other direction beside it ("inhibits B cells to produce X") leaves open which of the two is meant.
    other = -vote * question.sign
    return 0 if all(other in directions(between_ends(quote)[1]) for quote in fact.quotes) else vote


def in_asked_direction(question: Question, fact: Fact) -> bool:
    """Whether what does and what undergoes are those of the question; always where it asks for neither."""
    if fact.symmetric or not question.predicates or len(question.links) < 2:
        return True
    first = question.links[-1 if question.passive else 0]
    return fact.relation.head_id in first.ids


def distinct(quotes: Iterable[Quote]) -> tuple[Quote, ...]:
    """Quotes in order, each span once."""
    return tuple({quote.key: quote for quote in quotes}.values())
