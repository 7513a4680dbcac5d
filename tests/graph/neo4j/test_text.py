"""Batches as text: what is split again as the server does it is what went in."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.graph.neo4j.text import encode, expressions

texts = st.text(
    st.one_of(st.sampled_from("\x1c\x1d\x1e\x1f\ue000\ue003\n,'\""), st.characters(codec="utf-8"))
)
rows = st.lists(
    st.tuples(
        st.none() | texts, st.lists(texts, max_size=3), st.floats(width=32, allow_nan=False), st.booleans()
    ),
    min_size=1,
    max_size=5,
)
SCHEMA = {"text": pl.String, "texts": pl.List(pl.String), "number": pl.Float32, "flag": pl.Boolean}


def split_like_the_server(batch):
    for line in batch.text.split(batch.record):
        text, items, number, flag = line.split(batch.field)
        yield (
            None if text == batch.null else text,
            items.split(batch.item)[1:],
            float(number),
            flag == "true",
        )


@given(rows)
def test_any_text_comes_back(written):
    frame = pl.DataFrame(written, schema=SCHEMA, orient="row")
    batch = encode(frame)
    assert list(split_like_the_server(batch)) == written
    assert batch.n_rows == len(written)


def test_values_are_read_by_their_type():
    schema = pl.Schema({**SCHEMA, "year": pl.Int32, "vector": pl.Array(pl.Float32, 2)})
    assert expressions(schema, {"year"}) == {
        "text": "f[0]",
        "texts": "split(f[1], $item)[1..]",
        "number": "toFloat(f[2])",
        "flag": "f[3] = 'true'",
        "year": "CASE f[4] WHEN $null THEN null ELSE toInteger(f[4]) END",
        "vector": "[x IN split(f[5], $item)[1..] | toFloat(x)]",
    }
