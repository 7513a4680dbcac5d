from __future__ import annotations

import pytest

from kg_pipeline.evaluation.gold import GoldArticle, GoldMention, GoldRelation
from kg_pipeline.evaluation.relation_calibration import fit_scales, judge, measure_calibration
from kg_pipeline.evaluation.relation_extraction import METHODS, Found
from kg_pipeline.evaluation.relation_gold import ReadArticle
from kg_pipeline.extraction.grounding.triples import MentionSpan
from kg_pipeline.extraction.rules.triples import OfflineTriple

KINDS = {"D": "biolink:ChemicalEntity", "G": "biolink:Gene", "S": "biolink:Disease"}


def found(
    pmid: str, ends: str, kind: str | None, predicate: str = "increases", confidence: float = 0.8
) -> Found:
    """A triple between two things named by a letter each, and what the annotation says of them."""
    text = " ".join(ends)
    mentions = tuple(
        GoldMention(2 * i, 2 * i + 1, each, "kind", KINDS[each], (f"{each}{i}",))
        for i, each in enumerate(ends)
    )
    relations = (GoldRelation(kind, *(m.identifiers[0] for m in mentions), None),) if kind else ()
    spans = [
        MentionSpan(f"{pmid}:{m.start}-{m.end}", m.start, m.end, m.text, m.text, m.category, m.identifiers[0])
        for m in mentions
    ]
    triple = OfflineTriple(*spans, predicate, predicate, False, False, text, 0, confidence)
    return ReadArticle(GoldArticle(pmid, text, text, mentions, relations), (), (), ()), triple


@pytest.mark.parametrize(
    ("ends", "kind", "verdict"),
    [
        ("DG", "Positive_Correlation", [True]),
        ("DG", "Association", [True]),
        ("DG", "Negative_Correlation", [False]),
        ("DG", None, [False]),
        ("SS", None, []),  # BioRED relates no two disorders
    ],
)
def test_what_is_annotated_and_not_with_the_other_sign_is_right(
    ends: str, kind: str | None, verdict: list[bool]
) -> None:
    assert [each.is_right for each in judge([found("1", ends, kind)])] == verdict


def test_relations_are_measured_by_their_belief() -> None:
    empty = {method: [] for method in METHODS}
    rules = [found(str(i), "DG", "Association" if i % 2 else None) for i in range(2)]
    *readers, relations = measure_calibration({**empty, "rules": rules})
    assert [each.promised.triples for each in readers] == [2, 0, 0, 0]
    # Two articles state one relation; it is right, because one of them is.
    assert (relations.promised.triples, relations.promised.observed) == (1, 1.0)
    assert relations.promised.promised > 0.8


def test_a_scale_is_found_for_each_reader() -> None:
    empty = {method: [] for method in METHODS}
    bold = [found(str(i), "DG", "Association" if i % 2 else None, confidence=0.9) for i in range(40)]
    scales = fit_scales({**empty, "model": bold})
    assert scales["model"].of(0.9) == pytest.approx(0.5, abs=0.1)
    assert scales["rules"].of(0.9) == pytest.approx(0.9, abs=0.01)
