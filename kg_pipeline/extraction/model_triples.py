"""Triples that the trained relation model reads in parsed sentences, beside those of the rules.

The model is asked about pairs that the rules read nothing between, so the two never contradict each other about one
sentence: on BioRED's development abstracts the sign of a rule is right in 97 of 100, and that of the model less often.
Co-occurrence is not enough: a word that can state a relation must lie on the dependency path between the two, the
path must be short, and a sentence that denies anything on the way gives nothing. `kg bench relations` prints
precision and recall at these thresholds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from kg_pipeline.extraction.grounding import MentionSpan
from kg_pipeline.extraction.inflection import singular
from kg_pipeline.extraction.offline_triples import OfflineTriple
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
from kg_pipeline.extraction.sentence_parser import Parse
from kg_pipeline.extraction.word_list import word_set
from kg_pipeline.vocabulary.categories import CHEMICAL, GENE, group_of
from kg_pipeline.vocabulary.domains import fits
from kg_pipeline.vocabulary.predicates import PREDICATES

EXTRACTOR = "model"

#: Most words between the two on the dependency path, and the least probability of a triple then.
_THRESHOLDS = ((3, 0.8), (5, 0.9))
#: Kinds of BioRED with a sign.
_SIGNED = {POSITIVE: 1, NEGATIVE: -1}
#: Least probability of a sign, and of a kind of ChemProt; what is less sure is an association.
_SURE_SIGN = 0.9
_SURE_KIND = 0.8
#: Names of whole classes: what a sentence says of "the mRNA" it says of a gene that it named before.
_CLASSES = word_set(
    """rna mrna mirna microrna sirna shrna lncrna ncrna circrna dna cdna protein peptide gene enzyme receptor antibody
    cytokine chemokine hormone drug agent compound inhibitor vaccine tumor tumour cancer disease disorder syndrome
    infection inflammation inflammatory aa
    """
) | {"small interfering rna", "long noncoding rna", "amino acid", "transcription factor", "growth factor"}
#: A sentence of more mentions is a list.
_MOST_MENTIONS = 16
#: Tokens between two mentions that are looked at.
_FARTHEST = 40


@dataclass(frozen=True, slots=True)
class _Asked:
    """A pair of mentions that the model is asked about."""

    view: SentenceView
    pair: PairView

    @property
    def ends(self) -> tuple[MentionSpan, MentionSpan]:
        mentions = self.view.parse.sentence.mentions
        return mentions[self.pair.first], mentions[self.pair.second]


def model_triples(read: Sequence[tuple[Parse, Sequence[OfflineTriple]]]) -> list[OfflineTriple]:
    """Triples of the model in sentences that the rules have read, each sentence with their triples."""
    asked = [each for parse, triples in read for each in _asked(parse, triples)]
    if not asked:
        return []
    classifiers = load_classifiers()
    probabilities = classifiers["sentence"].probabilities([each.pair.features for each in asked])[:, 0]
    sure = [
        (each, float(probability))
        for each, probability in zip(asked, probabilities, strict=True)
        if probability >= _threshold(len(each.pair.path))
    ]
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


def _asked(parse: Parse, triples: Sequence[OfflineTriple]) -> Iterator[_Asked]:
    mentions = parse.sentence.mentions
    if len(mentions) > _MOST_MENTIONS:
        return
    groups = [group_of(mention.category) for mention in mentions]
    known = {frozenset((triple.head.mention_id, triple.tail.mention_id)) for triple in triples}
    view = SentenceView(parse, triples)
    for i, j in combinations(range(len(mentions)), 2):
        first, second = mentions[i], mentions[j]
        if (
            not are_related_groups(groups[i], groups[j])
            or _is_class(first)
            or _is_class(second)
            or first.concept_id is None
            or second.concept_id is None
            or first.end > second.start
            or first.concept_id == second.concept_id
            or frozenset((first.mention_id, second.mention_id)) in known
            or view.distance(i, j) > _FARTHEST
            or not view.is_related_by_words(i, j, _THRESHOLDS[-1][0])
        ):
            continue
        pair = view.pair(i, j)
        if not pair.is_denied:
            yield _Asked(view, pair)


def _is_class(mention: MentionSpan) -> bool:
    return singular(mention.text.lower()) in _CLASSES or singular(mention.normal_form.lower()) in _CLASSES


def _threshold(words: int) -> float:
    return next(least for longest, least in _THRESHOLDS if words <= longest)


def _best(probabilities: NDArray[np.float32], labels: tuple[str, ...]) -> tuple[str, float]:
    best = int(probabilities.argmax())
    return labels[best], float(probabilities[best])


def _meant(each: _Asked, kind: tuple[str, float], chemprot: tuple[str, float]) -> Meant | None:
    """The predicate of a pair; `None` where the kind is no knowledge about the two, or cannot relate them."""
    first, second = (group_of(end.category) for end in each.ends)
    name, probability = kind
    meant = of_biored(
        name if probability >= _SURE_SIGN or name not in _SIGNED else ASSOCIATION, first, second
    )
    if {first, second} == {CHEMICAL, GENE} and chemprot[1] >= _SURE_KIND:
        exact = of_chemprot(chemprot[0], first)
        if exact is not None and PREDICATES[exact.predicate].sign * _SIGNED.get(name, 0) >= 0:
            meant = exact
    if meant is None:
        return None
    head, tail = each.ends[::-1] if meant.inverted else each.ends
    return meant if fits(meant.predicate, head.category, tail.category) else None


def _triple(each: _Asked, meant: Meant, probability: float) -> OfflineTriple:
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
