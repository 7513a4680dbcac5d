"""How far the confidences of offline triples, and the beliefs of the relations they make, hold on BioRED.

Each reader is measured three times: by what it promises itself, on the scale that is shipped
(`extraction.relation_model.calibration`), and on scales found on the other abstracts. The shipped scale was found on the
development abstracts, so there the last is the figure to expect elsewhere. Relations of all abstracts are measured the
same way, by their belief.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from kg_pipeline.evaluation.relation_extraction import Found, FoundTriples, identifiers_of
from kg_pipeline.evaluation.relation_gold import ReadArticle
from kg_pipeline.evaluation.reliability import Judged, Reliability, cross_fitted, fit_scale, rescaled
from kg_pipeline.extraction.relation_model.calibration import Reader, Scale, load_scales
from kg_pipeline.extraction.relation_model.pairs import are_related_groups
from kg_pipeline.extraction.rules.triples import OfflineTriple
from kg_pipeline.inference.belief import beliefs
from kg_pipeline.vocabulary.categories import group_of
from kg_pipeline.vocabulary.predicates import PREDICATES

READERS: tuple[Reader, ...] = ("rules", "model", "abstract", "neighbours")
#: Readers in the table of triples.
_EXTRACTORS: Mapping[Reader, str] = {
    "rules": "offline", "model": "model", "abstract": "model", "neighbours": "neighbours",
}  # fmt: skip
RELATIONS = "relations"
_KEY = ["first", "second", "predicate", "speculative"]


@dataclass(frozen=True, slots=True)
class Calibration:
    """Reliability of one reader, or of the relations: of what it promises itself, as shipped, and on other scales."""

    promised: Reliability
    shipped: Reliability
    cross_fitted: Reliability


def measure_calibration(triples: FoundTriples) -> list[Calibration]:
    """The calibration of each reader, and of the relations that their triples make."""
    judged = {reader: judge(triples[reader]) for reader in READERS}
    shipped = {reader: rescaled(judged[reader], load_scales()[reader]) for reader in READERS}
    crossed = {reader: cross_fitted(judged[reader]) for reader in READERS}
    stages = (judged, shipped, crossed)
    found = [Calibration(*(Reliability.of(reader, stage[reader]) for stage in stages)) for reader in READERS]
    known = {reader: [each for each in triples[reader] if _is_judged(*each)] for reader in READERS}
    return [*found, Calibration(*(Reliability.of(RELATIONS, _relations(known, stage)) for stage in stages))]


def fit_scales(triples: FoundTriples) -> dict[Reader, Scale]:
    """The scale of each reader on which what it promised gives what was observed."""
    return {reader: fit_scale(judge(triples[reader])) for reader in READERS}


def judge(found: Sequence[Found]) -> list[Judged]:
    """The triples that the annotation can judge."""
    return [
        Judged(triple.confidence, _is_right(article, triple), article.article.pmid, triple.confidence)
        for article, triple in found
        if _is_judged(article, triple)
    ]


def _is_judged(article: ReadArticle, triple: OfflineTriple) -> bool:
    """Whether BioRED annotates relations between things of these groups, and both ends have identifiers."""
    groups = (group_of(end.category) for end in (triple.head, triple.tail))
    return are_related_groups(*groups) and bool(identifiers_of(article, triple))


def _is_right(article: ReadArticle, triple: OfflineTriple) -> bool:
    """Whether the annotation relates the ends, and not with the opposite sign."""
    _, pair = identifiers_of(article, triple)[0]
    kind = article.kind_of(*sorted(pair))
    sign = PREDICATES[triple.predicate].sign
    is_opposite = kind is not None and kind == {1: "Negative_Correlation", -1: "Positive_Correlation"}.get(
        sign
    )
    return kind is not None and not is_opposite


def _relations(
    found: Mapping[Reader, Sequence[Found]], judged: Mapping[Reader, Sequence[Judged]]
) -> list[Judged]:
    """Each relation with its belief; right if any article's annotation says so."""
    rows = [
        (
            *sorted(identifiers_of(article, triple)[0][1]),
            triple.predicate,
            triple.speculative,
            _EXTRACTORS[reader],
            article.article.pmid,
            verdict.confidence,
            verdict.is_right,
        )
        for reader in READERS
        for (article, triple), verdict in zip(found[reader], judged[reader], strict=True)
    ]
    names = [*_KEY, "extractor", "article_id", "confidence", "is_right"]
    evidence = pl.DataFrame(rows, schema=names, orient="row")
    right = evidence.group_by(_KEY).agg(pl.col("is_right").any(), pl.col("article_id").min())
    told = beliefs(evidence, _KEY).join(right, on=_KEY).sort(_KEY)
    return [
        Judged(confidence, is_right, article, confidence)
        for confidence, is_right, article in told.select("confidence", "is_right", "article_id").iter_rows()
    ]
