from __future__ import annotations

import pytest

from kg_pipeline.graph.reader import Relation
from retrieval.layout import shown_name, specified, statement


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


@pytest.mark.parametrize(
    ("sentences", "shown"),
    [
        (["Mitochondrial RNA rises.", "This releases mitochondrial RNA."], "mitochondrial RNA"),
        (["Mitochondrial RNA rises.", "RNA rises."], "RNA"),  # not of all that is said
        (["Several viral RNA species, additional RNA and RNA rise."], "viral RNA"),
        (["Additional RNA rises."], "RNA"),
        (["HPV16-positive RNA rises."], "HPV16-positive RNA"),
        (["Total dsRNA rises."], "RNA"),
        ([], "RNA"),
    ],
)
def test_an_adjective_that_narrows_a_name_wherever_it_is_said_is_shown(
    sentences: list[str], shown: str
) -> None:
    assert specified("RNA", [(sentence, "RNA") for sentence in sentences]) == shown


def test_what_the_name_says_already_is_not_said_again() -> None:
    said = [("Mitochondrial DNA leaks.", "DNA")]
    assert specified("mitochondrial DNA", said) == "mitochondrial DNA"
