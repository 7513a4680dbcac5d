"""When to answer "no information available": what a question asks must be covered by the evidence, and related by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retrieval.evidence import EvidenceState
from retrieval.layout import type_name
from retrieval.passages.topical import TopicSettings, windows
from retrieval.questions.links import Link
from retrieval.questions.mention import Reading
from retrieval.questions.question import Question
from retrieval.questions.shape import names_a_type, read_shape
from retrieval.words.species import species_in
from retrieval.words.terms import content_stems, find_name, stem, tokenise

if TYPE_CHECKING:
    from retrieval.passages.sentences import Sentence
    from retrieval.reasoning.reasoner import Draft


_PAIR = 2  # with two entities linked, a word more or less is how the question is put


@dataclass(frozen=True, slots=True)
class AbstentionSettings:
    """Shares and cosines below which the evidence does not answer; measured with MiniLM on questions of both sorts."""

    terms: float = (
        0.5  # of the question's other content words, where it names an entity; all of them for "is X …?"
    )
    terms_without_entities: float = 0.75
    cosine_without_entities: float = 0.4
    entities: float = 0.6  # of the question's entities, where it names more than two; of one or two, all
    topic: TopicSettings = field(default_factory=TopicSettings)


def beyond_corpus(question: Question) -> str:
    """Why no search can answer: a word of the question is in no passage, and no two entities say enough without it."""
    foreign = [word for word in question.foreign if not names_a_type(word)]
    if foreign and len(question.links) < _PAIR:
        words = "word" if len(foreign) == 1 else "words"
        return f"no passage of the corpus has the {words} {', '.join(foreign)}"
    return ""


def hopeless(question: Question, evidence: EvidenceState, settings: AbstentionSettings) -> str:
    """Why no reasoner could answer from this evidence; empty if one might.

    A name the question uses must occur in what was found, and so must every word somewhere in the corpus, unless two
    entities say well enough what is asked. A question without any entity must share most words with one passage.
    Passages that are about what is asked may differ from it by a word.
    """
    if evidence.is_empty:
        return "nothing in the graph is similar to the question"
    if windows(question, list(evidence.passages.values()), settings.topic):
        return ""
    texts = [passage.chunk.text for passage in evidence.passages.values()]
    texts += [quote.text for quotes in evidence.quotes.values() for quote in quotes]
    reading = Reading(texts)
    missing = [name for name in question.unknown_names if not reading.has_name(name)]
    if missing:
        return f"the evidence does not mention {', '.join(missing)}"
    if beyond := beyond_corpus(question):
        return beyond
    if question.links:
        return ""
    best = max((question.coverage(content_stems(text)) for text in texts), default=0.0)
    if not question.terms or best < settings.terms_without_entities:
        return "the question names no entity of the graph and no passage covers its words"
    return ""


def unsupported(
    question: Question,
    draft: Draft,
    ranked: Sequence[Sentence],
    settings: AbstentionSettings,
    titles: Sequence[str] = (),
) -> str:
    """Why a draft made of quotes does not answer the question; empty if it does.

    `titles` are those of the articles it cites: where a question only says where, they may say so for their sentences.
    """
    if not draft.sentences:
        return _nothing_found(question, ranked)
    quotes = {quote.key: quote.text for sentence in draft.sentences for quote in sentence.quotes}
    texts = list(quotes.values())
    headed = {
        quote.key: f"{quote.section_path} . {quote.text}" for s in draft.sentences for quote in s.quotes
    }
    reading = Reading(texts)
    missing = [name for name in question.unknown_names if not reading.has_name(name)]
    if missing:
        return f"no evidence that answers the question mentions {', '.join(missing)}"
    ends = {end for relation in draft.relations for end in (relation.head_id, relation.tail_id)}
    placed = {number for row in ranked if row.quote.key in quotes for number in row.links}
    placed |= {
        number
        for number in read_shape(question).where
        if any(find_name(tokenise(title), question.links[number].names) for title in titles)
    }
    uncovered = [
        link.text
        for number, link in enumerate(question.links)
        if number not in placed
        and not ends.intersection(link.ids)
        and not any(find_name(tokenise(text), link.names) for text in headed.values())
    ]
    lenient = len(question.links) > 3 or (len(question.links) == 3 and question.kind != "yes_no")
    allowed = int(len(question.links) * (1 - settings.entities)) if lenient else 0
    if len(uncovered) > allowed or any(
        link.text in uncovered and _is_species(link) for link in question.links
    ):
        return f"no evidence relates {', '.join(uncovered)} to the rest of the question"
    stems = {word for text in texts for word in content_stems(text)}
    # An article in whose title a species stands does not name it in each sentence.
    stems |= {stem(token.text) for title in titles for token in tokenise(title) if species_in(token.text)}
    wanted = settings.terms if question.links else settings.terms_without_entities
    if question.kind == "yes_no" and len(question.links) == 1 and settings.terms:
        wanted = 1.0  # the second thing asked about is among the words
    if question.coverage(stems) < wanted:
        lost = [word for word in question.terms if word not in stems and word not in question.asides]
        return f"the evidence does not cover the question's words ({', '.join(lost)})"
    return ""


def _is_species(link: Link) -> bool:
    """Whether a name is of a living being: what is said of people answers nothing about horses."""
    return all(type_name(entity.category) == "OrganismTaxon" for entity in link.entities)


def _nothing_found(question: Question, ranked: Sequence[Sentence]) -> str:
    names = " and ".join(link.text for link in question.links)
    if len(question.links) >= 2:
        return f"no stated relation, chain of relations or sentence connects {names} as asked"
    if question.links:
        return f"nothing that was found about {names} answers what is asked"
    return "no sentence that was found covers the question" if ranked else "no sentences were found"
