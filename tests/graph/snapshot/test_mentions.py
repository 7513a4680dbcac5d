from __future__ import annotations

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.graph.snapshot.mentions import containing_chunks

spans = st.lists(
    st.tuples(st.sampled_from(["A", "B", "C"]), st.integers(0, 30), st.integers(1, 12)), max_size=25
)


def table(rows):
    return pa.table(
        {
            "article_id": pa.array([article for article, *_ in rows], pa.large_string()),
            "start": pa.array([start for _, start, _ in rows], pa.int32()),
            "end": pa.array([start + length for _, start, length in rows], pa.int32()),
        }
    )


@settings(deadline=None)
@given(chunks=spans, mentions=spans, at_a_time=st.sampled_from([1, 7, 100]))
def test_a_mention_belongs_to_every_chunk_that_contains_it(chunks, mentions, at_a_time):
    """Chunks in any order, nested or overlapping: the join must not rely on how they are cut today."""
    articles = pa.array(["A", "B", "C"], pa.large_string())
    parts = containing_chunks(table(chunks), table(mentions), articles, at_a_time=at_a_time)
    expected = {
        (c, m)
        for c, (article, start, length) in enumerate(chunks)
        for m, (other, at, size) in enumerate(mentions)
        if article == other and start <= at and at + size <= start + length
    }
    found = [pair for chunk, mention in parts for pair in zip(chunk.tolist(), mention.tolist(), strict=True)]
    assert len(found) == len(set(found))
    assert set(found) == expected
