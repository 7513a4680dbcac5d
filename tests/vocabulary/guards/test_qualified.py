"""Vocabularies list narrower and opposite names under a concept; where both are written they are two things (er_overmerge)."""

from __future__ import annotations

import pytest

from kg_pipeline.normalization.standardise import Form, standardise
from kg_pipeline.vocabulary.guards.qualified import told_apart
from kg_pipeline.vocabulary.guards.vetoes import Named, veto

DISEASE = "biolink:Disease"
TWO_THINGS = [
    ("hepatitis", "chronic hepatitis"),
    ("prostate cancer", "hereditary prostate cancer"),
    ("brain cancer", "brain metastases"),
    ("inflammasome", "NLRP3 inflammasome"),
    ("diabetes mellitus", "type 2 diabetes mellitus"),
    ("incentives", "disincentives"),
    ("extracellular space", "intercellular space"),
    ("type 2 diabetes mellitus", "insulin resistance, susceptibility to"),
    ("primary hypertension", "secondary hypertension"),
    ("insulin resistance", "insulin sensitivity"),
]
ONE_THING = [
    ("heart attack", "myocardial infarction"),
    ("acute kidney failure", "acute renal failure"),
    ("UV radiation", "UV irradiation"),
    ("presynaptic terminal", "synaptic terminal"),
    ("p16INK4a", "INK4a"),
    ("interleukin 8", "CXCL8"),
    ("tumor necrosis factor", "tumour necrosis factor alpha"),
    ("anti-nuclear antibodies", "ANA"),
]


@pytest.mark.parametrize(("one", "other"), TWO_THINGS)
def test_a_qualifying_or_opposing_word_tells_names_of_one_concept_apart(one: str, other: str) -> None:
    assert told_apart(one, other) == told_apart(other, one) is not None
    assert veto(Named(one, DISEASE, "C1"), Named(other, DISEASE, "C1")) is not None


@pytest.mark.parametrize(("one", "other"), ONE_THING)
def test_synonyms_need_not_look_alike(one: str, other: str) -> None:
    assert told_apart(one, other) is told_apart(other, one) is None


@pytest.mark.parametrize(
    ("one", "other", "category"),
    [
        ("galectins", "galectin-9", "biolink:ProteinFamily"),
        ("actin", "β-actin", "biolink:GeneFamily"),
        ("histones", "histone H2B", "biolink:GeneFamily"),
        ("HIV", "HIV-2", "biolink:OrganismTaxon"),
        ("trisomy", "trisomy 13", "biolink:Disease"),
    ],
)
def test_a_number_tells_the_member_from_its_family(one: str, other: str, category: str) -> None:
    assert told_apart(one, other, category) == told_apart(other, one, category) is not None


@pytest.mark.parametrize(
    ("one", "other", "category"),
    [
        ("IDO", "IDO1", "biolink:Gene"),
        ("TNF", "TNF-α", "biolink:Gene"),
        ("Ca", "Ca2+", "biolink:ChemicalEntity"),
        ("TGF-β1", "TGF-β-1", "biolink:GeneFamily"),
    ],
)
def test_neither_a_gene_without_its_number_nor_a_charge_is_another_thing(
    one: str, other: str, category: str
) -> None:
    assert told_apart(one, other, category) is told_apart(other, one, category) is None


def test_the_general_name_keeps_the_concept_and_the_special_ones_go_together() -> None:
    counts = {"hepatitis": 1, "chronic hepatitis": 9, "Chronic Hepatitis": 2, "inflammation of the liver": 3}
    found = standardise(Form(name, DISEASE, "C1", count) for name, count in counts.items())
    by_id = {cluster.entity_id: sorted(form.name for form in cluster.forms) for cluster in found.clusters}
    assert by_id.pop("C1") == ["hepatitis", "inflammation of the liver"]
    assert list(by_id.values()) == [["Chronic Hepatitis", "chronic hepatitis"]]


def test_a_special_name_alone_stays_with_its_concept() -> None:
    [cluster] = standardise([Form("chronic hepatitis", DISEASE, "C1", 9)]).clusters
    assert cluster.entity_id == "C1"
