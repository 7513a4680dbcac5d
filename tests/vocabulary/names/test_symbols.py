from __future__ import annotations

import pytest

from kg_pipeline.vocabulary.names.symbols import (
    OTHER_CASE_COST,
    UPPER_CASE_COST,
    case_cost,
    case_form,
    is_symbol,
)


@pytest.mark.parametrize(
    "name", ["TP53", "cGAS", "pH", "p53", "AIDS", "IL-10", "NF-κB", "miR-21", "SARS-CoV-2", "5-HT"]
)
def test_symbols(name: str) -> None:
    assert is_symbol(name)


@pytest.mark.parametrize("name", ["Insulin", "lupus", "interleukin 10", "Erdheim-Chester", "cat"])
def test_words_are_no_symbols(name: str) -> None:
    assert not is_symbol(name)


@pytest.mark.parametrize(
    ("name", "surface", "cost"),
    [
        ("EGFR", "EGFR", 0.0), ("EGFR", "eGFR", None), ("eGFR", "EGFR", None), ("CAT", "cat", None), ("CAT", "Cat", None),
        ("IMPACT", "impact", None), ("AIDS", "aids", None), ("TREX1", "Trex1", OTHER_CASE_COST), ("p53", "P53", UPPER_CASE_COST),
        ("OS3", "OS 3", None), ("IL-10", "IL10", 0.0), ("CA2", "Ca2", None), ("STAT1", "STAT1s", 0.0), ("insulin", "Insulin", 0.0),
        ("Ana", "ANA", None), ("systemic lupus", "SYSTEMIC LUPUS", 0.0),
    ],
)  # fmt: skip
def test_case_cost(name: str, surface: str, cost: float | None) -> None:
    assert case_cost(name, surface) == cost


def test_a_symbol_that_is_called_like_a_greek_letter_keeps_its_case() -> None:
    assert case_cost("RHO", "Rho") is None
    assert case_cost("RHO", "\u03c1") is None
    assert case_cost("RHO", "RHO") == case_cost("TAU", "tau") == 0.0
    assert case_form("TGF-\u03b2") == case_form("TGF-beta")
