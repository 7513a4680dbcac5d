"""Cells of TSV files: every text comes back, and none is a formula or breaks its row."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.graph.exchange import cells

texts = st.text(alphabet=st.one_of(st.sampled_from("=+-@'\\|\t\n\rtnu07c"), st.characters(codec="utf-8")))


@given(texts)
def test_a_text_comes_back_and_stays_one_harmless_cell(text):
    cell = cells.encode(text)
    assert cells.decode(cell) == text
    assert not set(cell) & set("\t\n\r|")
    assert not cell.startswith(("=", "+", "-", "@"))


@given(st.lists(texts.filter(bool)))
def test_a_list_comes_back(values):
    assert [cells.decode(value) for value in cells.split_list(cells.encode_list(values))] == values
