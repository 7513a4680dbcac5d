"""How good offline relation extraction is: BioRED given its entities and end to end, and ChemProt.

BioRED annotates which entities of an abstract are related, how, and in neither direction; so figures are of pairs of
identifiers of an abstract. `passage` reads whole abstracts (Luo et al. 2022, doi:10.1093/bib/bbac282). The others are
the triples that go into a graph, which need a quote that states them and are asked for precision: those of `rules`, of
the `model` of sentences, of the model of a whole `abstract`, of two `neighbours` among its sentences, and `all` of them.
ChemProt is the distribution of SciBERT (Beltagy et al. 2019), 13 labels, related pairs only, so that micro F1 is
accuracy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from kg_pipeline.evaluation.gold import GoldSentence
from kg_pipeline.evaluation.relation_gold import ReadArticle, chemprot_features
from kg_pipeline.extraction.relation_model.abstract_triples import Abstract, abstract_triples
from kg_pipeline.extraction.relation_model.features import GROUPED
from kg_pipeline.extraction.relation_model.sentence_triples import model_triples
from kg_pipeline.extraction.relation_model.weights import load_classifiers
from kg_pipeline.extraction.rules.triples import OfflineTriple
from kg_pipeline.extraction.syntax.sentence_parser import SentenceParser
from kg_pipeline.vocabulary.predicates import PREDICATES
from retrieval.evaluation.intervals import bootstrap_f1

#: Least probability of a pair of an abstract; the best one for F1 on held-out abstracts of the training split.
PASSAGE_THRESHOLD = 0.34
METHODS = ("rules", "model", "abstract", "neighbours", "all")

Pair = tuple[str, frozenset[str]]  # PMID and two identifiers
Found = tuple[ReadArticle, OfflineTriple]
FoundTriples = Mapping[str, Sequence[Found]]  # by method
Counts = tuple[int, int, int]  # right, found and annotated of one article


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and F1 of `found` against `gold` pairs; `low` and `high` are the interval of F1, where there is one."""

    found: int
    gold: int
    right: int
    low: float | None = field(default=None, compare=False)
    high: float | None = field(default=None, compare=False)

    @classmethod
    def of_articles(cls, counts: Sequence[Counts]) -> Score:
        """The score over some articles, with a bootstrap of F1 over them."""
        if not counts:
            return cls(0, 0, 0)
        right, found, gold = (sum(column) for column in zip(*counts, strict=True))
        interval = bootstrap_f1(counts)
        return cls(found, gold, right, interval.low, interval.high)

    @property
    def precision(self) -> float:
        """Right of found; 0 where nothing was found."""
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """Right of gold."""
        return self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of the two."""
        return 2 * self.right / (self.found + self.gold) if self.found + self.gold else 0.0


@dataclass(frozen=True, slots=True)
class BioredFigures:
    """Figures on BioRED given its entities; `signs` are right signs of signed triples whose pair has one."""

    pairs: Mapping[str, Score]
    typed: Score
    signs: Mapping[str, Score]


def read_triples(articles: Iterable[ReadArticle]) -> FoundTriples:
    """What would go into a graph of abstracts with their annotated entities, by method; denied ones are left out."""
    triples: dict[str, list[Found]] = {method: [] for method in METHODS}
    for article in articles:
        for method, found in _graph_triples(article).items():
            triples[method] += [(article, triple) for triple in found if not triple.negated]
    return triples


def score_biored(articles: Sequence[ReadArticle], triples: FoundTriples) -> BioredFigures:
    """Score abstracts of BioRED with their annotated entities, and the triples read from them."""
    gold = {
        (each.article.pmid, frozenset((relation.head, relation.tail))): relation.kind
        for each in articles
        for relation in reversed(each.article.relations)
    }
    passage = _passage_kinds(articles)
    pmids = [each.article.pmid for each in articles]
    pairs = {"passage": _score(passage, gold, pmids)}
    pairs |= {method: _score(_pairs(found), gold, pmids) for method, found in triples.items()}
    right = {pair for pair, kind in passage.items() if gold.get(pair) == kind}
    return BioredFigures(
        pairs=pairs,
        typed=_by_article(right, passage, gold, pmids),
        signs={method: _signs(found, gold) for method, found in triples.items()},
    )


def score_chemprot(sentences: Sequence[GoldSentence], parser: SentenceParser) -> dict[str, Score]:
    """Score of each label and, as `micro`, of all."""
    classifier = load_classifiers()["chemprot"]
    rows = [
        [each for each in features if GROUPED not in each]
        for features in chemprot_features(sentences, parser)
    ]
    best = classifier.probabilities(rows).argmax(axis=1)
    found = [classifier.labels[i] for i in best]
    gold = [sentence.label for sentence in sentences]
    pairs = list(zip(found, gold, strict=True))
    scores = {
        label: Score.of_articles([(a == b == label, a == label, b == label) for a, b in pairs])
        for label in sorted({*gold, *found})
    }
    return {**scores, "micro": Score.of_articles([(a == b, 1, 1) for a, b in pairs])}


def _graph_triples(article: ReadArticle) -> dict[str, list[OfflineTriple]]:
    """What would go into a graph, by method."""
    rules = [triple for _, found in article.read for triple in found]
    model = model_triples(article.read)
    abstract = Abstract(
        article.article.text,
        [parse.sentence for parse, _ in article.read],
        {parse.sentence.start: (parse, found) for parse, found in article.read},
    )
    of_abstract = abstract_triples(abstract, [*rules, *model])
    found = {"rules": rules, "model": model, "abstract": of_abstract.within, "neighbours": of_abstract.across}
    return {**found, "all": [triple for triples in found.values() for triple in triples]}


def _passage_kinds(articles: Sequence[ReadArticle]) -> dict[Pair, str]:
    """Pairs that the model of whole abstracts relates, and how."""
    classifiers = load_classifiers()
    pairs = [(article, pair) for article in articles for pair in article.entities]
    rows = [pair.features for _, pair in pairs]
    related = classifiers["passage"].probabilities(rows)[:, 0] >= PASSAGE_THRESHOLD
    kinds = classifiers["passage_kind"]
    best = kinds.scores(rows).argmax(axis=1)
    return {
        (article.article.pmid, frozenset((pair.first, pair.second))): kinds.labels[kind]
        for (article, pair), is_related, kind in zip(pairs, related, best, strict=True)
        if is_related
    }


def _pairs(found: Iterable[Found]) -> set[Pair]:
    """One pair of identifiers a pair of mentions: an annotated one if there is any."""
    pairs = set()
    for article, triple in found:
        told = identifiers_of(article, triple)
        if told:
            pairs.add(told[0])
    return pairs


def identifiers_of(article: ReadArticle, triple: OfflineTriple) -> list[Pair]:
    """Pairs of identifiers of the two ends, those that are annotated as related first."""
    named = {f"{article.article.pmid}:{m.start}-{m.end}": m.identifiers for m in article.article.mentions}
    pairs = [
        frozenset((a, b))
        for a in named.get(triple.head.mention_id, ())
        for b in named.get(triple.tail.mention_id, ())
        if a != b
    ]
    annotated = {frozenset((each.head, each.tail)) for each in article.article.relations}
    ordered = sorted(pairs, key=lambda pair: (pair not in annotated, sorted(pair)))
    return [(article.article.pmid, pair) for pair in ordered]


def _score(found: Iterable[Pair], gold: Mapping[Pair, str], pmids: Sequence[str]) -> Score:
    pairs = set(found)
    return _by_article(pairs & gold.keys(), pairs, gold, pmids)


def _by_article(
    right: Iterable[Pair], found: Iterable[Pair], gold: Iterable[Pair], pmids: Sequence[str]
) -> Score:
    columns = [Counter(pmid for pmid, _ in pairs) for pairs in (right, found, gold)]
    return Score.of_articles([(columns[0][pmid], columns[1][pmid], columns[2][pmid]) for pmid in pmids])


def _signs(found: Iterable[Found], gold: Mapping[Pair, str]) -> Score:
    signed = right = 0
    for article, triple in found:
        sign = PREDICATES[triple.predicate].sign
        kinds = [gold[pair] for pair in identifiers_of(article, triple)[:1] if pair in gold]
        if sign and kinds and kinds[0].endswith("_Correlation"):
            signed += 1
            right += (sign > 0) == kinds[0].startswith("Positive")
    return Score(signed, signed, right)
