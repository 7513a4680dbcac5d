"""The numbered evidence that a language model may cite."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from retrieval.evidence import EvidenceState, Quote
from retrieval.paths.facts import Fact
from retrieval.questions.question import Question
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.reasoning.reasoner import Draft
from retrieval.words.guard import addresses_reader

_MOST = 40
_SENTENCES = 24


@dataclass(frozen=True, slots=True)
class Offer:
    """One piece of evidence: a quote, or an inferred relation with the quotes of its premises."""

    text: str
    quotes: tuple[Quote, ...]
    note: str = ""
    fact: Fact | None = None


def collect_offers(
    question: Question, plan: Draft, evidence: EvidenceState, extractive: ExtractiveReasoner, characters: int
) -> list[Offer]:
    """Evidence in order of use: facts and chains of the extractive plan, sentences, then other relations retrieved.

    At most 40 pieces and about `characters` of text; no quote twice.
    """
    offers: list[Offer] = []
    seen: set[tuple[str, int, int]] = set()
    room = characters
    for offer in _candidates(question, plan, evidence, extractive):
        keys = {quote.key for quote in offer.quotes}
        if not offer.quotes or (offer.fact is None and keys <= seen):
            continue
        room -= len(offer.text) + 40
        if room < 0 or len(offers) == _MOST:
            break
        seen |= keys
        offers.append(offer)
    return offers


def _candidates(
    question: Question, plan: Draft, evidence: EvidenceState, extractive: ExtractiveReasoner
) -> Iterator[Offer]:
    for fact in plan.facts:
        if fact.relation.kind == "asserted":
            yield from (_quoted(quote) for quote in fact.quotes[:1])
            continue
        premises = fact.asserted()
        yield from (_quoted(quote) for premise in premises for quote in premise.quotes[:1])
        quotes = tuple(quote for premise in premises for quote in premise.quotes[:1])
        because = "; ".join(premise.clause() for premise in premises)
        yield Offer(f"{fact.clause()} (premises: {because})", quotes, f"inferred, {fact.relation.kind}", fact)
    yield from (_quoted(row.quote) for row in extractive.rank(question, evidence, _SENTENCES))
    for relation_id in evidence.relations:
        for quote in evidence.quotes.get(relation_id, ())[:1]:
            if not addresses_reader(quote.text):
                yield _quoted(quote)


def _quoted(quote: Quote) -> Offer:
    return Offer(quote.text, (quote,))
