from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.vocabulary.linking.rewrites import MAX_COST, MAX_FORMS, rewrites

DISEASE, CHEMICAL, GENE = "biolink:Disease", "biolink:ChemicalEntity", "biolink:Gene"


def forms(name: str, category: str) -> dict[str, str]:
    return {rewrite.form: rewrite.rule for rewrite in rewrites(name, category)}


@pytest.mark.parametrize(
    ("name", "category", "form", "rule"),
    [
        ("anemia, aplastic", DISEASE, "aplastic anemia", "word order"),
        ("cancer of the lung", DISEASE, "lung cancer", "word order"),
        ("renal failure", DISEASE, "kidney failure", "organ"),
        ("hypertensive", DISEASE, "hypertension", "adjective"),
        ("diabetic patients", DISEASE, "diabetes", "adjective"),
        ("asthma patients", DISEASE, "asthma", "empty word"),
        ("renal cell carcinomas of adults", DISEASE, "renal cell carcinoma of adult", "plural"),
        ("lung carcinoma", DISEASE, "lung cancer", "head synonym"),
        ("severe asthma", DISEASE, "asthma", "qualifier"),
        ("drug-induced hepatitis", DISEASE, "hepatitis", "broader"),
        ("breast and ovarian cancer", DISEASE, "ovarian cancer", "coordination"),
        ("b-thalassemia", DISEASE, "beta-thalassemia", "Greek letter"),
        ("Ca2+", CHEMICAL, "calcium", "ion"),
        ("glutamate", CHEMICAL, "glutamic acid", "anion"),
        ("(+)-pentazocine", CHEMICAL, "pentazocine", "stereochemistry"),
        ("morphine sulfate", CHEMICAL, "morphine", "salt"),
        ("foxapride", CHEMICAL, "foxapride hydrochloride", "salt"),
        ("sgk1", GENE, "SGK1", "case"),
        ("HIF-1a", GENE, "HIF-1-alpha", "Greek letter"),
        ("hTERT", GENE, "TERT", "species prefix"),
        ("p53 protein", GENE, "p53", "empty word"),
        ("hepatocyte nuclear factor (HNF)-6", GENE, "hepatocyte nuclear factor-6", "bracket"),
        ("CB(1)", GENE, "CB1", "bracket"),
    ],
)
def test_a_name_is_asked_for_in_another_way_by_its_rule(
    name: str, category: str, form: str, rule: str
) -> None:
    found = forms(name, category)
    assert found.get(form) == rule, found


@pytest.mark.parametrize(
    ("name", "category", "never"),
    [
        ("renal cell carcinoma", GENE, "kidney cell carcinoma"),
        ("Trp53", CHEMICAL, "TRP53"),
        ("insulin receptor", GENE, "insulin"),
        ("IL-10", GENE, "IL-1"),
        ("hypothyroidism", DISEASE, "thyroidism"),
    ],
)
def test_a_rule_keeps_to_its_kind_and_cuts_no_word(name: str, category: str, never: str) -> None:
    assert never not in forms(name, category)


@given(st.text(st.sampled_from("renal of the cancer(1),-s β"), max_size=40), st.sampled_from([DISEASE, GENE]))
def test_forms_come_cheapest_first_each_once_and_not_without_end(name: str, category: str) -> None:
    found = list(rewrites(name, category))
    assert found[0].form == name
    assert found[0].cost == 0
    assert len({rewrite.form for rewrite in found}) == len(found) <= MAX_FORMS
    costs = [rewrite.cost for rewrite in found]
    assert costs == sorted(costs)
    assert costs[-1] <= MAX_COST
