"""Groups of names through linking and standardisation together, one test for each kind of wrong or missed merge."""

from __future__ import annotations

import pytest

from kg_pipeline.normalization.standardise import Form, standardise
from kg_pipeline.vocabulary.index.lookup import Vocabulary
from tests.normalization.merge_pairs import form_of

DISEASE, CHEMICAL, GENE, CELL = (
    f"biolink:{category}" for category in ("Disease", "ChemicalEntity", "Gene", "Cell")
)

CASES = {
    # er_overmerge
    "a disease, and being prone to another one": (
        DISEASE, ["type 2 diabetes mellitus"], ["coronary artery disease, susceptibility to"], ["insulin resistance, susceptibility to"],
    ),
    "a cancer, its negation and a kind of that": (
        DISEASE, ["lung small cell carcinoma", "small-cell lung cancer", "SCLC"], ["non small cell lung carcinoma", "NSCLC"], ["lung adenocarcinoma"],
    ),
    "members of a class of drugs, and the class": (
        CHEMICAL, ["daclizumab"], ["basiliximab"], ["rituximab"], ["monoclonal antibody", "monoclonal antibodies"],
    ),
    "a family and its members": (GENE, ["ERK", "Erk"], ["MAPK1", "ERK2"], ["MAPK3", "ERK1"], ["EPHB2"]),
    "a hormone's gene, its receptor and what degrades it": (
        GENE, ["INS"], ["insulin receptor", "INSR"], ["insulin-degrading enzyme", "IDE"],
    ),
    # er_undermerge
    "plural and case, and words that only look plural": (
        CELL, ["Macrophages", "macrophage"], ["Platelets", "platelet"], ["mast cells", "Mast cell"],
    ),
    "words that only look plural": (DISEASE, ["diabetes", "Diabetes"], ["AIDS"], ["psoriasis"], ["rabies"]),
    "Greek letters in every spelling": (
        GENE, ["TNF-α", "TNF-alpha", "TNF alpha", "TNFα"], ["TGF-β", "TGF-beta"], ["TGF-alpha", "TGFα"],
    ),
    "points, accents and possessives": (
        DISEASE, ["Sjögren syndrome", "Sjogren's syndrome"], ["Behçet disease", "Behcet's disease"], ["Ménière's disease", "Meniere disease"],
    ),
    "a compound in both spellings of its letter": (GENE, ["NF-kB", "NF-κB", "NF-kappaB"], ["RELA", "NF-κB p65"]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_names_become_the_entities_a_biologist_would_make(vocabulary: Vocabulary, case: str) -> None:
    category, *expected = CASES[case]
    forms = [form_of(name, category, vocabulary) for group in expected for name in group]
    found = {frozenset(form.name for form in cluster.forms) for cluster in standardise(forms).clusters}
    assert found == {frozenset(group) for group in expected}


def test_a_chain_of_same_as_stops_where_the_kind_of_thing_changes() -> None:
    """A gene is no disease, though a database gives both one identifier; what is refused is counted (er_overmerge)."""
    forms = [Form("interleukin-10", GENE, "C1", 5), Form("rheumatoid arthritis", DISEASE, "C1", 3)]
    found = standardise(forms)
    assert {tuple(form.name for form in cluster.forms) for cluster in found.clusters} == {
        ("interleukin-10",),
        ("rheumatoid arthritis",),
    }
    assert found.vetoed["categories differ"] == 1


def test_one_word_for_a_disease_and_a_temperature_is_two_entities() -> None:
    """Types must be compatible, not equal (er_undermerge)."""
    forms = [
        Form("cold", DISEASE, None, 2), Form("cold", "biolink:EnvironmentalExposure", None, 2),
        Form("NF-kappaB", "biolink:Protein", None, 2), Form("NF-κB", "biolink:GeneFamily", None, 1),
    ]  # fmt: skip
    found = standardise(forms)
    assert sorted(len(cluster.forms) for cluster in found.clusters) == [1, 1, 2]
