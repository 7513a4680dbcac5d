"""What a yes/no question must be told beside a quote: that it is a suggestion, a denial, or about something else."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kg_pipeline.graph.reader import GraphReader
from retrieval.answer import Verdict
from retrieval.evidence import titles_of
from retrieval.paths.facts import Fact
from retrieval.questions.question import Question
from retrieval.questions.shape import Shape
from retrieval.reasoning.compose import best_quote, in_asked_direction, sentence, vote_of
from retrieval.reasoning.reasoner import DraftSentence
from retrieval.words.terms import find_name, tokenise


def reservation_sentences(
    facts: Sequence[Fact], question: Question, elsewhere: Collection[Fact], verdict: Verdict | None
) -> list[DraftSentence]:
    """What a yes/no question must be told of its best fact where it is no plain yes, at most one sentence.

    The fact may be suggested only or denied, run the other way, be of another relation, or be told of another place than
    the question asks for (`elsewhere`).
    """
    if question.kind != "yes_no" or verdict == "yes" or not facts or facts[0].relation.kind != "asserted":
        return []
    fact, relation = facts[0], facts[0].relation
    if fact in elsewhere:
        text = f"What is stated is not said of the place that is asked about: {fact.clause()}."
    elif not in_asked_direction(question, fact):
        text = f"What is stated runs the other way: {fact.clause()}."
    elif relation.speculative or relation.negated:
        claim = f"not {fact.plain()}" if relation.negated else fact.plain()
        return [DraftSentence(sentence(fact.clause()), (best_quote(fact, question),), "finding", claim)]
    elif verdict is None or not vote_of(question, fact):
        text = f"What is stated is another relation: {fact.clause()}."
    else:
        return []
    return [DraftSentence(text, (best_quote(fact, question),), "finding", "")]


def told_elsewhere(
    reader: GraphReader, question: Question, shape: Shape, facts: Sequence[Fact]
) -> list[Fact]:
    """Facts that a question asks about in one place ("in hepatocytes") and that no sentence or title tells of it."""
    if not shape.where:
        return []
    articles = {quote.article_id for fact in facts for part in fact.asserted() for quote in part.quotes}
    titles = titles_of(reader.documents(sorted(articles)))
    names = [name for number in sorted(shape.where) for name in question.links[number].names]
    ids = {entity_id for number in shape.where for entity_id in question.links[number].ids}
    elsewhere = []
    for fact in facts:
        quotes = [quote for part in fact.asserted() for quote in part.quotes]
        texts = [f"{titles.get(q.article_id, '')} . {q.section_path} . {q.text}" for q in quotes]
        is_end = not ids.isdisjoint((fact.relation.head_id, fact.relation.tail_id))
        if not is_end and not any(find_name(tokenise(text), names) for text in texts):
            elsewhere.append(fact)
    return elsewhere
