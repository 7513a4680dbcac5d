from __future__ import annotations

import pytest

from kg_pipeline.graph.reader import Relation
from retrieval.layout import shown_name, statement


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
        ("microRNAs", "inhibits", "microRNAs inhibit flares"),
        ("MDSCs", "produces", "MDSCs produce flares"),
        ("virus", "causes", "virus causes flares"),
        ("KRAS", "activates", "KRAS activates flares"),
        ("apoptosis", "causes", "apoptosis causes flares"),
    ],
)
def test_the_verb_agrees_with_its_subject(head: str, predicate: str, text: str) -> None:
    assert said(head, predicate) == text


@pytest.mark.parametrize(
    ("name", "mentions", "shown"),
    [
        ("prosocial behaviour", ["altruism"], "altruism (prosocial behaviour)"),
        ("tumor", ["cancers", "tumours"], "tumor"),
        ("tumor necrosis factor", ["TNF"], "tumor necrosis factor"),
        ("anaemia", ["anemia"], "anaemia"),
        ("T cells", ["activated T cells"], "T cells"),
        ("proliferation", ["growth of cells", "growth"], "growth of cells (proliferation)"),
        ("proliferation", ["", "proliferation"], "proliferation"),
        ("proliferation", [], "proliferation"),
    ],
)
def test_the_authors_word_is_shown_where_it_is_another_one(
    name: str, mentions: list[str], shown: str
) -> None:
    assert shown_name(name, mentions) == shown
