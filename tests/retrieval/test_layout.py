from __future__ import annotations

import pytest

from kg_pipeline.graph.reader import Relation
from retrieval.layout import statement


def said(head: str, predicate: str) -> str:
    relation = Relation("r", "asserted", "h", predicate, "t", False, False, 0.9, 1, 1, (), "")
    return statement(relation, {"h": head, "t": "flares"})


@pytest.mark.parametrize(
    ("head", "predicate", "text"),
    [
        ("T cells", "regulates", "T cells regulate flares"),
        ("mutations in TREX1", "causes", "mutations in TREX1 cause flares"),
        ("Anti-dsDNA antibodies", "associated_with", "Anti-dsDNA antibodies are associated with flares"),
        ("inhibition of kinases", "causes", "inhibition of kinases causes flares"),
        ("type 2 diabetes", "causes", "type 2 diabetes causes flares"),
        ("monocytes", "expresses", "monocytes express flares"),
        ("monocytes", "biomarker_of", "monocytes are a biomarker of flares"),
        ("virus", "causes", "virus causes flares"),
        ("KRAS", "activates", "KRAS activates flares"),
        ("apoptosis", "causes", "apoptosis causes flares"),
    ],
)
def test_the_verb_agrees_with_its_subject(head: str, predicate: str, text: str) -> None:
    assert said(head, predicate) == text
