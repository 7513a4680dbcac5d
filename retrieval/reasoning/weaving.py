"""Answers of the extractive reasoner that need relations and sentences together: typed answers and bridges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from kg_pipeline.graph.reader import GraphReader
from retrieval.evidence import Quote
from retrieval.passages.reporting import states_aim
from retrieval.passages.sentences import Sentence, Splitter
from retrieval.passages.topical import Topical
from retrieval.paths.chains import Chain
from retrieval.paths.coverage import covered_links, cue_share
from retrieval.paths.facts import Fact
from retrieval.paths.hop_finder import HopFinder
from retrieval.paths.hops import Hop, Hops
from retrieval.paths.typed_paths import Explorer, PathSettings, TypedPath
from retrieval.questions.mention import Reading
from retrieval.questions.question import Question
from retrieval.questions.shape import Shape
from retrieval.reasoning.abstain import AbstentionSettings, unsupported
from retrieval.reasoning.compose import best_quote, quote_sentence
from retrieval.reasoning.reasoner import Draft, DraftSentence
from retrieval.reasoning.relevance import bears_on, fits, naming, rank_facts, without_place
from retrieval.reasoning.reservations import told_elsewhere
from retrieval.reasoning.typed_answers import find_answers, told, typed_draft, without_types
from retrieval.words.cues import predicates_of
from retrieval.words.terms import STOP_WORDS, find_name, name_keys, singular, stem, tokenise

_NAME = "extractive"
_PAIRS = 3
_MENTIONS = 6
_SHOWN = 3
_NAMES_COMPARED = 20
_OF = frozenset({"against", "to", "for", "of"})
_SEVERAL = 2  # things asked about
_CUES = 0.6  # share of the question's words of relation that a sentence must express


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
        found += [
            path
            for path in paths
            if any(hop.fact is not None for hop in path.hops) and all(map(_leads_on, path.hops))
        ]
    return sorted(found, key=lambda path: -round(path.score, 9))[:1]


def _leads_on(hop: Hop) -> bool:
    """Whether a step is to no class or member, and more than the aim of an article is said of it (of like names nothing)."""
    return "subclass_of" not in hop.predicates and not (hop.quotes and all(map(states_aim, hop.quotes)))


def asks_for_other(question: Question, shape: Shape) -> bool:
    """Whether the question asks for a thing of a type that is found only by way of several relations."""
    if question.kind == "yes_no" or shape.answer is None or not question.links:
        return False
    return shape.is_nested or len(question.links) > 1


def quoted_answer(
    question: Question, rows: Sequence[Sentence], ranked: Sequence[Sentence], abstention: AbstentionSettings
) -> Draft:
    """An answer of those of `rows` that bear on the question, or of sentences of one passage that do so together.

    Sentences that only say what was studied answer nothing, however well they repeat the question.
    """
    return _quoted(question, stating(rows), stating(ranked), abstention)


def mentioned(question: Question, ranked: Sequence[Sentence], abstention: AbstentionSettings) -> Draft | None:
    """As `quoted_answer`, with sentences that say no more than that it was studied."""
    draft = _quoted(question, ranked[:_MENTIONS], ranked, abstention)
    return None if draft.reason else draft


def _quoted(
    question: Question, rows: Sequence[Sentence], ranked: Sequence[Sentence], abstention: AbstentionSettings
) -> Draft:
    chosen = tuple(quote_sentence(row.quote) for row in rows if bears_on(question, row, abstention))
    draft = Draft(chosen, support="sentences", reasoner=_NAME)
    reason = unsupported(question, draft, ranked, abstention)
    return Draft(reason=reason, reasoner=_NAME) if reason else draft


def stating(rows: Sequence[Sentence]) -> list[Sentence]:
    """Without the sentences that only say what was studied."""
    return [row for row in rows if not states_aim(row.quote)]


def placed_answer(
    question: Question,
    shape: Shape,
    reader: GraphReader,
    pool: Sequence[Fact],
    abstention: AbstentionSettings,
) -> Draft | None:
    """Facts about the one thing that a question names besides a place, of articles whose text or title is about the place."""
    narrow = without_place(question, shape.where)
    if narrow is None:
        return None
    facts = rank_facts(narrow, [fact for fact in pool if fits(fact, narrow, shape.answer)])
    beside = told_elsewhere(reader, question, shape, facts)
    told = [
        f for f in naming(question, facts) if f not in beside and f.relation.kind == "asserted" and f.quotes
    ]
    shown = told[:_SHOWN]
    sentences = tuple(quote_sentence(best_quote(fact, question)) for fact in shown)
    draft = Draft(sentences, support="facts", facts=tuple(shown), reasoner=_NAME)
    titles = [document.title for document in reader.documents(draft.articles)]
    return None if unsupported(question, draft, (), abstention, titles) else draft


def topical_answer(question: Question, shape: Shape, finder: Topical) -> Draft | None:
    """Sentences of passages that are about what is asked; a thing asked for by its type must be among what they name."""
    if shape.is_nested and question.kind not in {"yes_no", "other"}:
        return None  # what is asked for is known only by way of another thing
    quotes = finder.quotes(question)
    if question.kind != "yes_no" and shape.answer is not None:
        quotes = [quote for quote in quotes if states_type(finder.reader, question, shape, quote)]
    if _asks_for_connection(question, shape) and not any(_names_several(question, quote) for quote in quotes):
        return None
    sentences = tuple(quote_sentence(quote) for quote in quotes)
    return Draft(sentences, support="passage", reasoner=_NAME) if sentences else None


def _names_several(question: Question, quote: Quote) -> bool:
    reading = Reading([quote.text])
    return sum(map(reading.has_link, question.links)) >= _SEVERAL


def _asks_for_connection(question: Question, shape: Shape) -> bool:
    """Whether what is asked is how named things act on each other; what is said of one of them alone says nothing of it."""
    if len(question.links) - len(shape.setting) < _SEVERAL or question.kind == "yes_no":
        return False
    return question.kind in {"how", "why"} or not question.terms


def states_type(reader: GraphReader, question: Question, shape: Shape, quote: Quote) -> bool:
    """Whether a sentence says of something of the type asked for, besides what the question names, what is asked."""
    if shape.answer is None:
        return True
    if not says_asked(shape, quote):
        return False
    tokens = tokenise(quote.text)
    if any(
        singular(token.text) == shape.answer.word
        and (
            (before is not None and before.text not in STOP_WORDS)
            or (after is not None and after.text in _OF)
        )
        for before, token, after in zip((None, *tokens), tokens, (*tokens[1:], None), strict=False)
    ):
        return True  # "a TCR-T therapy", "antibodies against DNA", whether or not the graph knows it
    mentioned = reader.entities_of([quote.chunk_id]).get(quote.chunk_id, [])
    others = reader.entities([entity_id for entity_id in mentioned if entity_id not in question.entity_ids])
    return any(
        shape.answer.fits(entity)
        and find_name(tokens, name_keys([entity.name, *entity.aliases[:_NAMES_COMPARED]]))
        for entity in others
    )


def says_asked(shape: Shape, quote: Quote) -> bool:
    """Whether a sentence expresses enough of the question's words of relation."""
    words = frozenset(stem(token.text) for token in tokenise(quote.text))
    return cue_share(shape.cues, words, (name for word in words for name in predicates_of(word))) >= _CUES


def with_setting(question: Question, shape: Shape, draft: Draft, hops: Hops) -> Draft:
    """The draft with a sentence that places its facts where the question asks about ("… in small cell lung cancer").

    It must be a sentence of an article that the draft cites, about an entity of its facts; without one nothing changes.
    """
    quotes = [quote for sentence in draft.sentences for quote in sentence.quotes]
    ends = [end for fact in draft.facts for end in (fact.relation.head_id, fact.relation.tail_id)]
    articles = {quote.article_id for quote in quotes}
    known = covered_links(question, ends, quotes)
    added: list[DraftSentence] = []
    for number in sorted(shape.setting - known):
        around = [hop for found in hops.around(list(dict.fromkeys(ends))).values() for hop in found]
        said = [quote for hop in around for quote in hop.quotes if quote.article_id in articles]
        placing = next((quote for quote in said if number in covered_links(question, (), [quote])), None)
        added += [quote_sentence(placing)] if placing else []
    return replace(draft, sentences=(*draft.sentences, *added)) if added else draft


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
