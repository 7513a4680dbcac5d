"""Annotated abstracts and sentences as the relation model sees them: for training it and for measuring it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from kg_pipeline.evaluation.gold import GoldArticle, GoldMention, GoldSentence
from kg_pipeline.extraction.grounding.triples import MentionSpan
from kg_pipeline.extraction.relation_model.features import SentenceView
from kg_pipeline.extraction.relation_model.neighbours import NeighbourPair, neighbour_pairs
from kg_pipeline.extraction.relation_model.pairs import are_related_groups
from kg_pipeline.extraction.relation_model.passage import EntityPair, Naming, entity_pairs
from kg_pipeline.extraction.rules.triples import OfflineTriple, read
from kg_pipeline.extraction.syntax.sentence_parser import Parse, Sentence, SentenceParser
from kg_pipeline.text.sentences import SentenceSplitter
from kg_pipeline.vocabulary.categories import group_of

#: Category of an argument whose kind the corpus does not tell.
_UNTOLD = "biolink:NamedThing"


@dataclass(frozen=True, slots=True)
class SentencePair:
    """Two annotated mentions of one sentence, and the relations of the article that may be the one it states.

    `entities` are the pairs of identifiers of the two; a mention of several genes has several.
    """

    sentence: int
    entities: tuple[tuple[str, str], ...]
    groups: tuple[str, str]
    features: tuple[str, ...]
    kind: str | None
    is_denied: bool


@dataclass(frozen=True, slots=True)
class ReadArticle:
    """An annotated abstract after parsing; `read` are its sentences with what the rules read in each."""

    article: GoldArticle
    pairs: tuple[SentencePair, ...]
    entities: tuple[EntityPair, ...]
    read: tuple[tuple[Parse, tuple[OfflineTriple, ...]], ...]

    def kind_of(self, first: str, second: str) -> str | None:
        """The relation of two identifiers in either direction; of several the first one."""
        ends = {first, second}
        return next((each.kind for each in self.article.relations if {each.head, each.tail} == ends), None)

    def neighbours(self) -> Iterator[NeighbourPair]:
        """Pairs of entities that only neighbouring sentences name together."""
        named = {_mention_id(self.article, each): each.identifiers for each in self.article.mentions}
        views = {number: SentenceView(*each) for number, each in enumerate(self.read)}
        return neighbour_pairs(views, self.entities, lambda mention: named[mention.mention_id])


def read_articles(
    articles: Iterable[GoldArticle], parser: SentenceParser, splitter: SentenceSplitter
) -> Iterator[ReadArticle]:
    """Parse annotated abstracts and look at all pairs of their entities."""
    for article in articles:
        mentions = {_mention_id(article, mention): mention for mention in article.mentions}
        sentences = gold_sentences(article, splitter)
        pairs: list[SentencePair] = []
        known: list[tuple[Parse, tuple[OfflineTriple, ...]]] = []
        for number, parse in enumerate(parser.parse(sentences)):
            found = read(parse) if len(parse.sentence.mentions) > 1 else []
            known.append((parse, tuple(found)))
            pairs += _sentence_pairs(article, number, parse, found, mentions)
        namings = [
            Naming(number, identifier, mention.category)
            for number, sentence in enumerate(sentences)
            for mention in sentence.mentions
            for identifier in mentions[mention.mention_id].identifiers
        ]
        views = [(pair.sentence, a, b, pair.features) for pair in pairs for a, b in pair.entities]
        yield ReadArticle(
            article, tuple(pairs), tuple(entity_pairs(len(sentences), namings, views)), tuple(known)
        )


def gold_sentences(article: GoldArticle, splitter: SentenceSplitter) -> list[Sentence]:
    """The sentences of an abstract with the annotated mentions that have an identifier."""
    spans = [
        MentionSpan(_mention_id(article, m), m.start, m.end, m.text, m.text, m.category, m.identifiers[0])
        for m in article.mentions
        if m.identifiers
    ]
    return [
        Sentence(
            start,
            article.text[start:end],
            tuple(span for span in spans if start <= span.start and span.end <= end),
        )
        for start, end in splitter.split(article.text)
    ]


def chemprot_features(sentences: Sequence[GoldSentence], parser: SentenceParser) -> Iterator[tuple[str, ...]]:
    """Features of the two arguments of each sentence, without those that need to know which is the gene."""
    prepared = []
    for sentence in sentences:
        spans = sorted((sentence.first, sentence.second))
        mentions = [
            MentionSpan(f"S:{a}-{b}", a, b, sentence.text[a:b], sentence.text[a:b], _UNTOLD, None)
            for a, b in spans
        ]
        prepared.append(Sentence(0, sentence.text, tuple(mentions)))
    for parse in parser.parse(prepared):
        yield SentenceView(parse, ()).pair(0, 1).features


def _sentence_pairs(
    article: GoldArticle,
    number: int,
    parse: Parse,
    triples: Sequence[OfflineTriple],
    mentions: dict[str, GoldMention],
) -> Iterator[SentencePair]:
    kinds = {frozenset((each.head, each.tail)): each.kind for each in reversed(article.relations)}
    view = SentenceView(parse, triples)
    named = parse.sentence.mentions
    for i, j in combinations(range(len(named)), 2):
        first, second = mentions[named[i].mention_id], mentions[named[j].mention_id]
        groups = group_of(first.category), group_of(second.category)
        same = {*first.identifiers} & {*second.identifiers}
        if same or first.end > second.start or not are_related_groups(*groups):
            continue
        entities = tuple(product(first.identifiers, second.identifiers))
        told = [kinds[frozenset(pair)] for pair in entities if frozenset(pair) in kinds]
        pair = view.pair(i, j)
        yield SentencePair(number, entities, groups, pair.features, told[0] if told else None, pair.is_denied)


def _mention_id(article: GoldArticle, mention: GoldMention) -> str:
    return f"{article.pmid}:{mention.start}-{mention.end}"
