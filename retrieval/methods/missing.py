"""Why a sentence that is true answers nothing, and what to say of a word that the graph does not have."""

from __future__ import annotations

from kg_pipeline.graph.reader import GraphReader
from kg_pipeline.vocabulary.linking.taxa import HUMAN
from retrieval.methods.context import Context
from retrieval.questions.near_names import near_names
from retrieval.questions.question import Question
from retrieval.reasoning.reasoner import Draft, DraftSentence
from retrieval.words.species import species_in
from retrieval.words.terms import asks_what_is_denied, is_negated

_AFFIRMS = "the question asks what is denied, and this affirms it"
_OTHER_SPECIES = "the question asks about another species"
_NO_NUMBER = "the question asks for a number that this does not give"
MISSES = frozenset({_AFFIRMS, _OTHER_SPECIES, _NO_NUMBER})


def miss_of(question: Question, draft: Draft, sentence: DraftSentence, reader: GraphReader) -> str:
    """Why a sentence, true as it is, cannot answer the question; empty if it can."""
    # What is inferred is never a denial; its "not stated in any article" only looks like one.
    denies = sentence.kind != "inference" and is_negated(sentence.text)
    if asks_what_is_denied(question.text) and not denies:
        return _AFFIRMS
    if _is_of_another_species(question, sentence, reader):
        return _OTHER_SPECIES
    # Things that were counted are the answer themselves.
    if question.quantity and not draft.items and not question.quantity.is_in(sentence.text):
        return _NO_NUMBER
    return ""


def _is_of_another_species(question: Question, sentence: DraftSentence, reader: GraphReader) -> bool:
    linked = [entity for link in question.links for entity in link.entities]
    asked = species_in(question.text, linked)
    if not asked:
        return False
    chunk_ids = sorted({quote.chunk_id for quote in sentence.quotes})
    ids = sorted({entity_id for ids in reader.entities_of(chunk_ids).values() for entity_id in ids})
    known = [*linked, *reader.entities(ids)]
    told = species_in(sentence.text, known)
    if told or HUMAN in asked:
        return bool(told) and asked.isdisjoint(told)
    # What is told of no species in particular was found in animals only where its passage or its title says so.
    documents = reader.documents(sorted({quote.article_id for quote in sentence.quotes}))
    around = [document.title for document in documents] + [chunk.text for chunk in reader.chunks(chunk_ids)]
    return all(asked.isdisjoint(species_in(text, known)) for text in around)


def with_near_names(reason: str, question: Question, context: Context) -> str:
    """The reason of a refusal, and for each word that it says is not there the names of the graph that are near it."""
    said = set(reason.replace(",", " ").split())
    lost = [word for word in (*question.unknown_names, *question.foreign) if said.issuperset(word.split())]
    hints = [
        f"near names in the graph for {word}: {', '.join(names)}"
        for word in dict.fromkeys(lost)
        if (names := near_names(context.reader, context.embedder, question, word))
    ]
    return "; ".join([reason, *hints])
