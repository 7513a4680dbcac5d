"""Hold brought-in relations to the article: the sentence that states each, and the mentions that are its ends.

A relation with a quote stands where its quote stands. One without (PubTator's and BioRED's are said of an abstract as a
whole) stands in the one sentence that names both ends: of those between two marked mentions, else of title and
abstract, else, where a word says the predicate, of the rest of the text. A sentence that has no word for the predicate,
quoted or not, or only words of the opposite sign, bears only that the two are associated. One that denies or only suggests the relation is taken where no other names both,
and makes it denied or suggested.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kg_pipeline.extraction.annotations.anchoring import Anchoring
from kg_pipeline.extraction.annotations.hedges import is_suggested
from kg_pipeline.extraction.annotations.kinds import meant_by
from kg_pipeline.extraction.annotations.records import BroughtEntity, BroughtRelation
from kg_pipeline.extraction.annotations.telling import ASSOCIATED, needs_words, tells
from kg_pipeline.extraction.grounding.quotes import find_quote
from kg_pipeline.extraction.grounding.triples import (
    NAMED_THING,
    CandidateTriple,
    GroundedTriple,
    MentionSpan,
    Rejected,
    Span,
    ground_ends,
)
from kg_pipeline.extraction.rules.negation import is_question

_TITLE, _TABLE = "title", "table"
#: Words of a quote; fewer stand anywhere.
_LEAST_QUOTE = 3
_ABSTRACT = (_TITLE, "abstract")
#: What is wrong with a relation wherever one looks; the other reasons are about one sentence.
_ABOUT_THE_TYPE = ("unknown_predicate", "no_knowledge", "unfit_categories")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the article by its offsets, and the kind of its section."""

    start: int
    end: int
    section_kind: str

    @property
    def span(self) -> Span:
        """Its offsets."""
        return self.start, self.end


@dataclass(frozen=True, slots=True)
class AnnotatedArticle:
    """An article as relations are looked for in it; sentences in document order, each once."""

    anchoring: Anchoring
    sentences: tuple[Sentence, ...]

    @property
    def text(self) -> str:
        """The article's text."""
        return self.anchoring.document_text


def ground_relation(relation: BroughtRelation, article: AnnotatedArticle) -> GroundedTriple | Rejected:
    """The triple that the article bears out, or why it bears out none.

    Reasons besides those of `grounding.triples`: `unknown_predicate`, `no_knowledge` (a comparison of two treatments,
    say) and `unfit_categories` (the predicate cannot relate such ends) are about the type; `no_sentence_names_both`.
    """
    meant = meant_by(relation.relation, NAMED_THING, NAMED_THING)
    if isinstance(meant, str):
        return _rejected(meant, relation)
    if relation.is_quoted:
        return _where_quoted(relation, article)
    why = "no_sentence_names_both"
    for places in _tiers(relation, article):
        found = [_grounded(relation, article, place) for place in places]
        triples = [each for each in found if isinstance(each, GroundedTriple)]
        if triples:
            return _best(relation, article, triples)
        why = next((e.reason for e in found if isinstance(e, Rejected) and e.reason in _ABOUT_THE_TYPE), why)
    return _rejected(why, relation)


def _where_quoted(relation: BroughtRelation, article: AnnotatedArticle) -> GroundedTriple | Rejected:
    if relation.quotes and not any(len(quote.split()) >= _LEAST_QUOTE for quote in relation.quotes):
        return _rejected("quote_too_short", relation)
    places = _quoted(relation, article)
    if relation.quotes and not places:
        return _rejected("quote_not_found", relation)
    found = [_grounded(relation, article, place) for place in places]
    triples = [each for each in found if isinstance(each, GroundedTriple)]
    if triples:
        return _best(relation, article, triples)
    rejected = [each for each in found if isinstance(each, Rejected)]
    return rejected[0] if rejected else _rejected("no_sentence_names_both", relation)


def _tiers(relation: BroughtRelation, article: AnnotatedArticle) -> list[list[Span]]:
    """Sentences to look at, those where the relation is likeliest stated first."""
    naming = [
        each
        for each in _naming_both(relation, article)
        if not is_question(article.text[each.start : each.end])
    ]
    single = {each.span for each in naming}
    rest = [each for each in naming if each.section_kind not in (*_ABSTRACT, _TABLE)]
    return [
        [place for place in _quoted(relation, article) if place in single],
        [each.span for each in naming if each.section_kind in _ABSTRACT],
        [each.span for each in rest if _says(relation, article.text[each.start : each.end])],
    ]


def _naming_both(relation: BroughtRelation, article: AnnotatedArticle) -> list[Sentence]:
    """Sentences in which both ends may be named."""
    heads, tails = (article.anchoring.places(end) for end in (relation.head, relation.tail))
    return [each for each in article.sentences if _any_within(heads, each) and _any_within(tails, each)]


def _any_within(offsets: Sequence[int], sentence: Sentence) -> bool:
    at = bisect_left(offsets, sentence.start)
    return at < len(offsets) and offsets[at] < sentence.end


def _says(relation: BroughtRelation, sentence: str) -> bool:
    """Whether a word of the sentence expresses one of the predicates that the relation may have."""
    meant = meant_by(relation.relation, relation.head.category, relation.tail.category)
    return not isinstance(meant, str) and tells(meant.predicate, sentence)


def _quoted(relation: BroughtRelation, article: AnnotatedArticle) -> list[Span]:
    """The sentences that hold a quote, best quote first; from the first to the last that it touches, if several."""
    found: dict[Span, None] = {}
    for quote in relation.quotes:
        for start, end in find_quote(article.text, quote):
            touched = [each for each in article.sentences if each.start < end and start < each.end]
            if touched:
                found[touched[0].start, touched[-1].end] = None
    return list(found)


def _grounded(relation: BroughtRelation, article: AnnotatedArticle, place: Span) -> GroundedTriple | Rejected:
    heads = article.anchoring.find(relation.head, place)
    if not heads:
        return _rejected("head_not_anchored", relation)
    tails = article.anchoring.find(relation.tail, place)
    if not tails:
        return _rejected("tail_not_anchored", relation)
    meant = meant_by(relation.relation, _category(relation.head, heads), _category(relation.tail, tails))
    if isinstance(meant, str):
        return _rejected(meant, relation)
    if meant.inverted:
        heads, tails = tails, heads
    predicate = meant.predicate
    if needs_words(predicate) and not tells(predicate, article.text[slice(*place)]):
        predicate = ASSOCIATED
    triple = ground_ends(
        CandidateTriple(
            head=heads[0].text,
            predicate=predicate,
            tail=tails[0].text,
            quote="",
            negated=relation.negated,
            speculative=relation.speculative,
            predicate_text=relation.relation,
        ),
        heads=heads,
        tails=tails,
        quotes=[place],
        document_text=article.text,
        mentions=article.anchoring.mentions,
        sentences=[each.span for each in article.sentences if place[0] < each.end and each.start < place[1]],
    )
    return triple if isinstance(triple, Rejected) else _as_hedged(triple)


def _category(entity: BroughtEntity, mentions: Sequence[MentionSpan]) -> str:
    return mentions[0].category if entity.category == NAMED_THING else entity.category


def _as_hedged(triple: GroundedTriple) -> GroundedTriple:
    spans = [(each.start - triple.start, each.end - triple.start) for each in (triple.head, triple.tail)]
    return replace(triple, speculative=triple.speculative or is_suggested(triple.quote, *spans))


def _best(
    relation: BroughtRelation, article: AnnotatedArticle, triples: Sequence[GroundedTriple]
) -> GroundedTriple:
    """The sentence that says it as the source does, with words for it, sooner in the text than in the title."""
    titles = {each.start for each in article.sentences if each.section_kind == _TITLE}
    meant = meant_by(relation.relation, relation.head.category, relation.tail.category)
    wanted = meant.predicate if not isinstance(meant, str) else ASSOCIATED
    return min(
        triples,
        key=lambda triple: (
            triple.negated != relation.negated,
            triple.speculative != relation.speculative,
            not tells(wanted, triple.quote),
            triple.start in titles,
            triple.start,
        ),
    )


def _rejected(reason: str, relation: BroughtRelation) -> Rejected:
    ends = (relation.head, relation.tail)
    head, tail = ((*each.names, *each.identifiers, "")[0] for each in ends)
    said = f"{head} | {relation.relation} | {tail}"
    quote = f" | {relation.quotes[0]}" if reason.startswith("quote") and relation.quotes else ""
    return Rejected(reason, f"{said}{quote} ({relation.record})")
