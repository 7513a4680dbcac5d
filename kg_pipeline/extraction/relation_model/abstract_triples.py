"""Triples that the trained model reads over a whole title and abstract, beside those of single sentences.

An abstract says a thing more than once: where an entity is named, how often, and what its other sentences say of it
make the model of whole abstracts (`relation_model.passage`) twice as telling as that of one sentence. A pair that it
relates becomes a triple of the sentence that says so most plainly. Two entities that no sentence names together may
still be related by two sentences that follow one another (`relation_model.neighbours`); the quote is then both of them,
and the reader is named `neighbours`, so that nobody takes it for one statement.

A pair that any sentence of the abstract denies gives nothing here. Which thresholds give which precision,
`kg bench relations` prints.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_pipeline.extraction.relation_model.features import SentenceView
from kg_pipeline.extraction.relation_model.neighbours import NeighbourPair, neighbour_pairs
from kg_pipeline.extraction.relation_model.pairs import linked_pairs
from kg_pipeline.extraction.relation_model.passage import EntityPair, Naming, entity_pairs
from kg_pipeline.extraction.relation_model.sentence_triples import (
    MOST_MENTIONS,
    ModelPair,
    can_be_ends,
    is_comparison,
    is_of_one_clause,
    told_pairs,
    triples_of_pairs,
)
from kg_pipeline.extraction.relation_model.weights import load_classifiers
from kg_pipeline.extraction.rules.negation import is_speculative
from kg_pipeline.extraction.rules.triples import OfflineTriple, identity
from kg_pipeline.vocabulary.domains import fits

if TYPE_CHECKING:
    from kg_pipeline.extraction.grounding.triples import MentionSpan
    from kg_pipeline.extraction.syntax.sentence_parser import Parse, Sentence

#: Reader of pairs that two neighbouring sentences relate.
NEIGHBOURS = "neighbours"

#: Least probability that an abstract relates a pair, and that the sentence does that is quoted for it.
_LEAST_OF_ABSTRACT, _LEAST_OF_SENTENCE = 0.8, 0.5
#: Least probability of a pair of neighbouring sentences.
_LEAST_OF_NEIGHBOURS = 0.6
#: What two sentences that name no relation between their entities can say of them.
_ASSOCIATED = "associated_with"

Ends = frozenset[str]
Read = Mapping[int, "tuple[Parse, Sequence[OfflineTriple]]"]


@dataclass(frozen=True, slots=True)
class Abstract:
    """A title (the first sentence) and an abstract; `read` are parses, with the triples of the rules, by offset.

    Sentences that name nothing need no parse.
    """

    text: str
    sentences: Sequence[Sentence]
    read: Read


@dataclass(frozen=True, slots=True)
class AbstractTriples:
    """Triples of single sentences, and triples of two neighbouring sentences."""

    within: list[OfflineTriple]
    across: list[OfflineTriple]


def abstract_triples(abstract: Abstract, known: Iterable[OfflineTriple]) -> AbstractTriples:
    """Triples of pairs of entities of which nothing is known yet from this abstract."""
    starts = {sentence.start for sentence in abstract.sentences}
    named = [mention for sentence in abstract.sentences for mention in sentence.mentions]
    told = told_pairs([triple for triple in known if triple.start in starts], named)
    views = {
        number: SentenceView(*abstract.read[sentence.start])
        for number, sentence in enumerate(abstract.sentences)
        if sentence.start in abstract.read
    }
    places = _places(views)
    told |= {ends for ends, found in places.items() if any(each.pair.is_denied for _, each in found)}
    pairs = list(
        entity_pairs(
            len(abstract.sentences),
            [
                Naming(number, mention.concept_id, mention.category)
                for number, sentence in enumerate(abstract.sentences)
                for mention in sentence.mentions
                if mention.concept_id
            ],
            [
                (number, first, second, each.pair.features)
                for (first, second), found in ((sorted(ends), found) for ends, found in places.items())
                for number, each in found
            ],
        )
    )
    return AbstractTriples(
        list(_within(pairs, places, told)),
        list(_across(abstract, neighbour_pairs(views, pairs, _entities), views, told)),
    )


def _places(views: Mapping[int, SentenceView]) -> dict[Ends, list[tuple[int, ModelPair]]]:
    """The number of the sentence and the two mentions, wherever a sentence names two linked entities."""
    found: dict[Ends, list[tuple[int, ModelPair]]] = defaultdict(list)
    for number, view in views.items():
        for i, j, first, second in linked_pairs(view.parse.sentence.mentions):
            asked = ModelPair(view, view.pair(i, j), _LEAST_OF_SENTENCE)
            found[frozenset((first, second))].append((number, asked))
    return dict(found)


def _within(
    pairs: Sequence[EntityPair], places: Mapping[Ends, Sequence[tuple[int, ModelPair]]], told: set[Ends]
) -> Iterator[OfflineTriple]:
    classifiers = load_classifiers()
    related = classifiers["passage"].probabilities([pair.features for pair in pairs])[:, 0]
    sure: list[tuple[ModelPair, float]] = []
    for pair, probability in zip(pairs, related, strict=True):
        ends = frozenset((pair.first, pair.second))
        if probability < _LEAST_OF_ABSTRACT or ends in told:
            continue
        offered = [each for _, each in places.get(ends, ()) if _can_be_quoted(each)]
        if not offered:
            continue
        telling = classifiers["sentence"].probabilities([each.pair.features for each in offered])[:, 0]
        best = int(telling.argmax())
        if telling[best] >= offered[best].threshold:
            sure.append((offered[best], float(probability)))
    yield from triples_of_pairs(sure)


def _can_be_quoted(each: ModelPair) -> bool:
    """Whether the sentence is no list, and words of one clause lead from one of the two to the other."""
    is_list = len(each.view.parse.sentence.mentions) > MOST_MENTIONS
    path = each.pair.path
    is_stated = bool(path) and is_of_one_clause(path) and not is_comparison(each)
    return not is_list and is_stated and can_be_ends(*each.ends)


def _across(
    abstract: Abstract, pairs: Iterable[NeighbourPair], views: Mapping[int, SentenceView], told: set[Ends]
) -> Iterator[OfflineTriple]:
    offered = [
        pair for pair in pairs if not pair.is_denied and frozenset((pair.first, pair.second)) not in told
    ]
    probabilities = load_classifiers()[NEIGHBOURS].probabilities([pair.features for pair in offered])[:, 0]
    surest: dict[Ends, tuple[float, OfflineTriple]] = {}
    for pair, probability in zip(offered, probabilities.tolist(), strict=True):
        if probability < _LEAST_OF_NEIGHBOURS:
            continue
        triple = _of_neighbours(abstract, pair, views[pair.sentence], views[pair.sentence + 1], probability)
        ends = frozenset((pair.first, pair.second))
        if triple is not None and probability > surest.get(ends, (0.0, triple))[0]:
            surest[ends] = probability, triple
    for _, triple in surest.values():
        yield triple


def _of_neighbours(
    abstract: Abstract, pair: NeighbourPair, first: SentenceView, second: SentenceView, probability: float
) -> OfflineTriple | None:
    """The triple whose quote is both sentences; `None` where they are two paragraphs or no word of them relates anything."""
    sentences = first.parse.sentence, second.parse.sentence
    head, tail = sentences[0].mentions[pair.mentions[0]], sentences[1].mentions[pair.mentions[1]]
    start, end = sentences[0].start, sentences[1].start + len(sentences[1].text)
    words = [view.parse.text(view.stating) for view in (first, second) if view.stating]
    is_one_paragraph = not abstract.text[start + len(sentences[0].text) : sentences[1].start].strip(" ")
    if not words or not is_one_paragraph or not can_be_ends(head, tail):
        return None
    if not fits(_ASSOCIATED, head.category, tail.category):
        return None
    return OfflineTriple(
        head=head,
        tail=tail,
        predicate=_ASSOCIATED,
        predicate_text=" ".join(words),
        negated=False,
        speculative=any(
            is_speculative(view.parse, word) for view in (first, second) for word in view.stating
        ),
        quote=abstract.text[start:end],
        start=start,
        confidence=round(probability, 4),
    )


def _ends(first: MentionSpan, second: MentionSpan) -> Ends:
    return frozenset((identity(first), identity(second)))


def _entities(mention: MentionSpan) -> tuple[str, ...]:
    return (mention.concept_id,) if mention.concept_id else ()
