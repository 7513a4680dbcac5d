"""Triples that the trained relation model reads in parsed sentences, beside those of the rules.

The model is asked about pairs that the rules read nothing between, so the two never contradict each other about one
sentence: on BioRED's development abstracts the sign of a rule is right in 97 of 100, and that of the model less often.
Co-occurrence is not enough: words must relate the two on a dependency path, the model must be the surer the longer
the path is (and very sure where none of its words is one of the lexicon), and a sentence that denies anything on the
way gives nothing. `kg bench relations` prints precision and recall at these thresholds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kg_pipeline.extraction.grounding.triples import MentionSpan
from kg_pipeline.extraction.lexicon.inflection import singular
from kg_pipeline.extraction.lexicon.word_list import word_set
from kg_pipeline.extraction.relation_model.features import PairView, SentenceView
from kg_pipeline.extraction.relation_model.kinds import (
    ASSOCIATION,
    NEGATIVE,
    POSITIVE,
    Meant,
    of_biored,
    of_chemprot,
)
from kg_pipeline.extraction.relation_model.pairs import are_related_groups
from kg_pipeline.extraction.relation_model.weights import load_classifiers
from kg_pipeline.extraction.rules.triples import OfflineTriple, identity
from kg_pipeline.extraction.syntax.dependency import children
from kg_pipeline.extraction.syntax.phrases import is_failing
from kg_pipeline.extraction.syntax.sentence_parser import Parse
from kg_pipeline.vocabulary.categories import CHEMICAL, DISORDER, GENE, group_of
from kg_pipeline.vocabulary.domains import fits
from kg_pipeline.vocabulary.predicates import PREDICATES

if TYPE_CHECKING:
    from spacy.tokens import Token

EXTRACTOR = "model"

#: Most words between the two on the dependency path, and the least probability of a triple then.
_THRESHOLDS = ((3, 0.75), (5, 0.85), (7, 0.93))
#: The same where no word of the path is one of the lexicon. Short such paths ("X - Y", "X in Y") are names of things,
#: places and instruments more often than statements.
_UNSTATED_WORDS, _UNSTATED_THRESHOLD = (4, 7), 0.92
_ASSOCIATED, _TREATS = "associated_with", "treats"
#: Kinds of BioRED with a sign.
_SIGNED = {POSITIVE: 1, NEGATIVE: -1}
#: Least probability of a sign, and of a kind of ChemProt; what is less sure is an association. At these, 12 of 12
#: treatments and 5 of 6 causes of BioRED's development abstracts are annotated as such. In full texts half of them are
#: wrong, unless a word on the path can state them, too.
_SURE_SIGNS = {POSITIVE: 0.9, NEGATIVE: 0.8}
_SURE_KIND = 0.8
#: Most words on the path of a kind of ChemProt. "X with Y inhibitors": what comes with an inhibitor is none.
_LONGEST_OF_CHEMPROT = 3
_ACCOMPANYING = frozenset({"with", "without"})
_COMPARING = frozenset({"compared", "than", "versus", "vs"})
#: Between a comparing word and what it compares with.
_COMPARED = frozenset({"to", "with"})
#: Names of whole classes: what a sentence says of "the mRNA" it says of a gene that it named before.
_CLASSES = word_set(
    """rna mrna mirna microrna sirna shrna lncrna ncrna circrna dna cdna protein peptide gene enzyme receptor antibody
    cytokine chemokine hormone drug agent compound inhibitor vaccine tumor tumour cancer disease disorder syndrome
    infection inflammation inflammatory aa
    """
) | {"small interfering rna", "long noncoding rna", "amino acid", "transcription factor", "growth factor"}
#: A sentence of more mentions is a list.
MOST_MENTIONS = 16
#: Tokens between two mentions that are looked at.
_FARTHEST = 40


@dataclass(frozen=True, slots=True)
class ModelPair:
    """A pair of mentions of a sentence that the model is asked about, and the least probability of a triple of them."""

    view: SentenceView
    pair: PairView
    threshold: float

    @property
    def ends(self) -> tuple[MentionSpan, MentionSpan]:
        """The two mentions, the earlier one first."""
        mentions = self.view.parse.sentence.mentions
        return mentions[self.pair.first], mentions[self.pair.second]


def model_triples(read: Sequence[tuple[Parse, Sequence[OfflineTriple]]]) -> list[OfflineTriple]:
    """Triples of the model in sentences that the rules have read, each sentence with their triples."""
    asked = [each for parse, triples in read for each in _asked(parse, triples)]
    if not asked:
        return []
    classifiers = load_classifiers()
    probabilities = classifiers["sentence"].probabilities([each.pair.features for each in asked])[:, 0]
    surest: dict[tuple[int, frozenset[str]], tuple[ModelPair, float]] = {}
    for each, probability in zip(asked, probabilities.tolist(), strict=True):
        # A name and its abbreviation are one thing: the sentence says it once.
        key = each.view.parse.sentence.start, frozenset(identity(end) for end in each.ends)
        if probability >= max(each.threshold, surest[key][1] if key in surest else 0.0):
            surest[key] = each, probability
    return triples_of_pairs(list(surest.values()))


def triples_of_pairs(sure: Sequence[tuple[ModelPair, float]]) -> list[OfflineTriple]:
    """Triples of pairs that are related with these probabilities; none where the kind of the relation is no knowledge."""
    if not sure:
        return []
    classifiers = load_classifiers()
    rows = [each.pair.features for each, _ in sure]
    kinds = classifiers["kind"].probabilities(rows)
    chemprot = classifiers["chemprot"].probabilities(rows)
    triples = []
    for (each, probability), kind, chemical in zip(sure, kinds, chemprot, strict=True):
        meant = _meant(
            each,
            _best(kind, classifiers["kind"].labels),
            _best(chemical, classifiers["chemprot"].labels),
        )
        if meant is not None:
            triples.append(_triple(each, meant, probability))
    return triples


def _asked(parse: Parse, triples: Sequence[OfflineTriple]) -> Iterator[ModelPair]:
    mentions = parse.sentence.mentions
    if len(mentions) > MOST_MENTIONS:
        return
    groups = [group_of(mention.category) for mention in mentions]
    known = told_pairs(triples, mentions)
    view = SentenceView(parse, triples)
    for i, j in combinations(range(len(mentions)), 2):
        first, second = mentions[i], mentions[j]
        if (
            not are_related_groups(groups[i], groups[j])
            or not can_be_ends(first, second)
            or first.end > second.start
            or frozenset((identity(first), identity(second))) in known
            or view.distance(i, j) > _FARTHEST
        ):
            continue
        threshold = _threshold(view.words_of_path(i, j))
        if threshold is None:
            continue
        pair = view.pair(i, j)
        asked = ModelPair(view, pair, threshold)
        if not pair.is_denied and is_of_one_clause(pair.path) and not is_comparison(asked):
            yield asked


def told_pairs(triples: Iterable[OfflineTriple], mentions: Sequence[MentionSpan]) -> set[frozenset[str]]:
    """The pairs that triples relate; what they say of "resistance to X" leaves nothing to say of X."""
    told = set()
    for triple in triples:
        heads, tails = (_named_in(end, mentions) for end in (triple.head, triple.tail))
        told |= {frozenset((head, tail)) for head in heads for tail in tails}
    return told


def _named_in(end: MentionSpan, mentions: Sequence[MentionSpan]) -> set[str]:
    inside = [each for each in mentions if end.start <= each.start and each.end <= end.end]
    return {identity(end), *(identity(each) for each in inside if is_failing(end.normal_form))}


def can_be_ends(first: MentionSpan, second: MentionSpan) -> bool:
    """Whether the two are particular things, linked to concepts, and not one thing or one name."""
    names = [{singular(name.lower()) for name in (end.text, end.normal_form)} for end in (first, second)]
    return (
        first.concept_id is not None
        and second.concept_id is not None
        and first.concept_id != second.concept_id
        and names[0].isdisjoint(names[1])
        and _CLASSES.isdisjoint(names[0] | names[1])
    )


def is_of_one_clause(path: Sequence[Token]) -> bool:
    """Whether no word of the path is a clause of its own that an "and" adds: "X treats Y, and Z inhibits W"."""
    return not any(
        token.dep_ == "conj" and token.head in path and bool(children(token, "nsubj", "nsubjpass"))
        for token in path
    )


def is_comparison(each: ModelPair) -> bool:
    """Whether one treatment or molecule is only what the other is compared with: "X lowered Z compared to Y".

    An illness that is commoner with X than with Y comes with both, so it is not looked at here.
    """
    if DISORDER in {group_of(end.category) for end in each.ends}:
        return False
    words = [token.lower_ for token in each.pair.path]
    last = max((i for i, word in enumerate(words) if word in _COMPARING), default=len(words))
    rest = each.pair.path[last + 1 :]
    return last < len(words) and all(
        token.lower_ in _COMPARED or token.pos_ in ("NOUN", "PROPN", "ADJ") for token in rest
    )


def _threshold(path: tuple[int, bool] | None) -> float | None:
    """The least probability of a triple over such a path; `None` where none is sure enough."""
    if path is None:
        return None
    words, is_stated = path
    if is_stated:
        return next((least for longest, least in _THRESHOLDS if words <= longest), None)
    fewest, most = _UNSTATED_WORDS
    return _UNSTATED_THRESHOLD if fewest <= words <= most else None


def _best(probabilities: NDArray[np.float32], labels: tuple[str, ...]) -> tuple[str, float]:
    best = int(probabilities.argmax())
    return labels[best], float(probabilities[best])


def _meant(each: ModelPair, kind: tuple[str, float], chemprot: tuple[str, float]) -> Meant | None:
    """The most telling predicate of a pair that is borne out; `None` where the kind is no knowledge about the two."""
    first, second = (group_of(end.category) for end in each.ends)
    name, probability = kind
    of_kind = of_biored(name, first, second)
    if of_kind is None:
        return None
    offered: list[Meant | None] = []
    if {first, second} == {CHEMICAL, GENE} and chemprot[1] >= _SURE_KIND and _is_short(each.pair):
        offered.append(of_chemprot(chemprot[0], first))
    if probability >= _SURE_SIGNS.get(name, 0.0):
        offered.append(of_kind)
    offered.append(of_biored(ASSOCIATION, first, second))
    return next((meant for meant in offered if meant is not None and _is_borne_out(each, meant, name)), None)


def _is_short(pair: PairView) -> bool:
    words = {token.lower_ for token in pair.path}
    return len(pair.path) <= _LONGEST_OF_CHEMPROT and words.isdisjoint(_ACCOMPANYING)


def _is_borne_out(each: ModelPair, meant: Meant, kind: str) -> bool:
    """Whether the predicate can relate the two, the kind of BioRED is of its sign, and a word on the path says it.

    Any word with its sign and none with the other says a predicate with a sign; a treatment is named as one.
    """
    head, tail = each.ends[::-1] if meant.inverted else each.ends
    sign = PREDICATES[meant.predicate].sign
    if not fits(meant.predicate, head.category, tail.category) or sign * _SIGNED.get(kind, 0) < 0:
        return False
    said = each.view.predicates_of(each.pair.path)
    if meant.predicate == _ASSOCIATED or meant.predicate in said:
        return True
    signs = {PREDICATES[predicate].sign for predicate in said - {_TREATS}}
    return meant.predicate != _TREATS and sign != 0 and sign in signs and -sign not in signs


def _triple(each: ModelPair, meant: Meant, probability: float) -> OfflineTriple:
    head, tail = each.ends[::-1] if meant.inverted else each.ends
    parse = each.view.parse
    return OfflineTriple(
        head=head,
        tail=tail,
        predicate=meant.predicate,
        predicate_text=parse.text(each.pair.path),
        negated=False,
        speculative=each.pair.is_doubted,
        quote=parse.sentence.text,
        start=parse.sentence.start,
        confidence=round(probability, 4),
    )
