"""BioRED end to end: our own mentions and links, compared with the annotated relations by cross-references.

An annotated relation counts as found where a pair of our concepts answers to its two identifiers; two pairs that
answer to one relation count once. A pair of concepts that answers to no annotated pair is wrong, also where its
entities are not annotated at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kg_pipeline.evaluation.entity_linking import References, gold_identifiers
from kg_pipeline.evaluation.gold import GoldArticle
from kg_pipeline.evaluation.relation_extraction import PASSAGE_THRESHOLD, Counts, Score
from kg_pipeline.extraction.grounding.triples import MentionSpan
from kg_pipeline.extraction.mentions.ner.recogniser import NameRecogniser
from kg_pipeline.extraction.mentions.reading import Mention, find_mentions
from kg_pipeline.extraction.relation_model.abstract_triples import Abstract, abstract_triples
from kg_pipeline.extraction.relation_model.features import SentenceView
from kg_pipeline.extraction.relation_model.pairs import linked_pairs
from kg_pipeline.extraction.relation_model.passage import Naming, entity_pairs
from kg_pipeline.extraction.relation_model.sentence_triples import model_triples
from kg_pipeline.extraction.relation_model.weights import load_classifiers
from kg_pipeline.extraction.rules.triples import is_prose, read, sentences_of
from kg_pipeline.extraction.syntax.sentence_parser import Sentence, SentenceParser
from kg_pipeline.text.abbreviations import find_definitions
from kg_pipeline.text.sentences import SentenceSplitter
from kg_pipeline.vocabulary.index.lookup import Vocabulary

Span = tuple[int, int]
Concepts = frozenset[str]


@dataclass(frozen=True, slots=True)
class Linked:
    """An article with the sentences and the mentions that our own stages find in it."""

    article: GoldArticle
    sentences: tuple[Span, ...]
    mentions: tuple[Mention, ...]


def link_articles(
    articles: Iterable[GoldArticle],
    splitter: SentenceSplitter,
    vocabulary: Vocabulary,
    recogniser: NameRecogniser | None = None,
) -> Iterator[Linked]:
    """What the stages before this one find in annotated abstracts, the annotations left aside."""
    for article in articles:
        spans = splitter.split(article.text)
        mentions = find_mentions(
            article.text, spans, find_definitions(article.text), {}, vocabulary, recogniser
        )
        yield Linked(article, tuple(spans), tuple(mentions))


def score_end_to_end(
    articles: Iterable[Linked], parser: SentenceParser, references: References
) -> dict[str, Score]:
    """Scores of whole abstracts (`passage`) and of the triples that go into a graph (`triples`)."""
    counts: dict[str, list[Counts]] = {"passage": [], "triples": []}
    for article in articles:
        gold = _gold_pairs(article.article)
        for name, found in _found(article, parser).items():
            ends = [tuple(references.of(concept) for concept in sorted(pair)) for pair in found]
            matches = [[pair for pair in gold if _answers(each, pair)] for each in ends]
            recalled = {pair for each in matches for pair in each}
            wrong = sum(not each for each in matches)
            counts[name].append((len(recalled), wrong + len(recalled), len(gold)))
    return {name: Score.of_articles(rows) for name, rows in counts.items()}


def _answers(ends: Sequence[set[str]], pair: Concepts) -> bool:
    """Whether one end answers to one identifier of the pair and the other end to the other one."""
    first, *rest = sorted(pair)
    second = rest[0] if rest else first
    return (first in ends[0] and second in ends[1]) or (second in ends[0] and first in ends[1])


def _found(article: Linked, parser: SentenceParser) -> Mapping[str, set[Concepts]]:
    sentences = _sentences(article)
    parses = [
        (parse, tuple(read(parse))) for parse in parser.parse([each for each in sentences if is_prose(each)])
    ]
    triples = [triple for _, found in parses for triple in found] + model_triples(parses)
    abstract = Abstract(article.article.text, sentences, {each[0].sentence.start: each for each in parses})
    of_abstract = abstract_triples(abstract, triples)
    triples += [*of_abstract.within, *of_abstract.across]
    pairs = {
        frozenset((triple.head.concept_id, triple.tail.concept_id))
        for triple in triples
        if not triple.negated and triple.head.concept_id and triple.tail.concept_id
    }
    namings, views = [], []
    numbers = {sentence.start: number for number, sentence in enumerate(sentences)}
    for parse, found in parses:
        number = numbers[parse.sentence.start]
        mentions = parse.sentence.mentions
        namings += [Naming(number, m.concept_id, m.category) for m in mentions if m.concept_id]
        view = SentenceView(parse, found)
        views += [
            (number, first, second, view.pair(i, j).features)
            for i, j, first, second in linked_pairs(mentions)
        ]
    entities = list(entity_pairs(len(sentences), namings, views))
    scores = load_classifiers()["passage"].probabilities([pair.features for pair in entities])[:, 0]
    return {
        "triples": {frozenset(each for each in pair if each) for pair in pairs},
        "passage": {
            frozenset((pair.first, pair.second))
            for pair, score in zip(entities, scores, strict=True)
            if score >= PASSAGE_THRESHOLD
        },
    }


def _sentences(article: Linked) -> list[Sentence]:
    mentions = [
        MentionSpan(
            f"{article.article.pmid}:{m.start}-{m.end}",
            m.start,
            m.end,
            m.text,
            m.normal_form,
            m.category,
            m.concept_id,
        )
        for m in article.mentions
    ]
    return list(sentences_of(article.article.text, article.sentences, mentions))


def _gold_pairs(article: GoldArticle) -> list[Concepts]:
    """Annotated pairs by prefixed identifiers, each once."""
    prefixed = {
        identifier: next(iter(gold_identifiers(replace(mention, identifiers=(identifier,)))))
        for mention in article.mentions
        for identifier in mention.identifiers
    }
    pairs = [
        frozenset((prefixed.get(each.head, each.head), prefixed.get(each.tail, each.tail)))
        for each in article.relations
    ]
    return list(dict.fromkeys(pairs))
