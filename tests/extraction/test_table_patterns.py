"""Rows of tables: what a column's heading says of the row."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.extraction.rules.table_patterns import cells, is_glossary, is_row
from kg_pipeline.extraction.rules.triples import extract
from kg_pipeline.extraction.syntax.sentence_parser import Sentence, load_parser
from tests.extraction.marked import MODEL, sentence_of, shown


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("Table 2, [Rituximab|c]: Class Antibody; Target [CD20|g].", {"Rituximab targets CD20"}),
        ("Table S1, [Imatinib|c]: Molecular target [ABL1|g]; Year 2001.", {"Imatinib targets ABL1"}),
        ("Table 3, [CD20|g]: Inhibitor [rituximab|c].", {"rituximab inhibits CD20"}),
        ("Table 1, [Gout|d]: Symptom [joint pain|d]; Marker [urate|c].", {"joint pain manifestation_of Gout", "urate biomarker_of Gout"}),
        ("Table 1, [Imatinib|c]: Candidate target [KIT|g].", {"maybe Imatinib targets KIT"}),
        # A tumour targets nothing; a heading of no role, a sentence in a cell and a row without a name say nothing.
        ("Table 1, [Glioma|d]: Target [EGFR|g].", set()),
        ("Table 1, [Glioma|d]: Gene [EGFR|g].", set()),
        ("Table 1, [Imatinib|c]: Target [KIT|g] was not measured.", set()),
        ("Table 1, Patient 4 with [gout|d]: Marker [urate|c].", set()),
    ],
)  # fmt: skip
def test_cells_state_what_their_heading_says(marked: str, expected: set[str]) -> None:
    assert {shown(triple) for triple in extract(load_parser(MODEL), [sentence_of(marked)])} == expected


def test_prose_about_a_table_is_no_row() -> None:
    assert is_row("Table 1, Rituximab: Target CD20.")
    assert not is_row("Table 1 shows that rituximab binds CD20.")
    assert not is_row("We list, as in Table 1, drugs: rituximab.")


@pytest.mark.parametrize(
    ("text", "is_list"),
    [
        ("PKA, protein kinase A; PKC, protein kinase C; ROCK, Rho-associated protein kinase.", True),
        ("Abbreviations: CHT: capecitabine therapy; HYT: hyperthermia therapy; ST: starvation therapy", True),
        ("AST = aspartate transaminase; ALT = alanine transaminase; GGT = glutamyl transferase", True),
        ("PKA, a kinase, phosphorylates CREB; PKC, another, does not.", False),
        ("Aspirin inhibits COX1; COX2, in contrast, is inhibited by celecoxib; IL6 is not.", False),
        ("TNF: a cytokine.", False),
    ],
)
def test_lists_of_abbreviations_are_told_from_prose(text: str, is_list: bool) -> None:
    assert is_glossary(text) == is_list


@given(st.text(st.sampled_from("Table 1, ab:;. "), max_size=50))
def test_a_row_without_mentions_states_nothing(text: str) -> None:
    assert list(cells(Sentence(0, text, ()))) == []
