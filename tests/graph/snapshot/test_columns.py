from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.graph.snapshot.columns import KeyedTable, SortedStrings

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=6)


@given(st.sets(texts), st.lists(texts) | st.lists(texts, min_size=17, max_size=30))
def test_search_agrees_with_a_dictionary(values, wanted):
    ordered = sorted(values, key=lambda value: value.encode())
    column = SortedStrings(pa.chunked_array([pa.array(ordered, pa.large_string())]))
    position = {value: number for number, value in enumerate(ordered)}
    assert column.ordinals(wanted).tolist() == [position.get(text, -1) for text in wanted]
    bounds = [sum(value.encode() < text.encode() for value in ordered) for text in wanted]
    assert column.lower_bounds(wanted).tolist() == bounds


def test_rows_come_in_the_order_of_the_ordinals():
    table = KeyedTable(pa.table({"id": pa.array(["a", "b", "c"], pa.large_string()), "n": [1, 2, 3]}), "id")
    assert table.rows(np.array([2, 0, 2]), ["n"]) == [{"n": 3}, {"n": 1}, {"n": 3}]
    assert table.known(["c", "z", "a"]).tolist() == [2, 0]
