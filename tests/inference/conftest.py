"""Relations written as short tuples."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl
import pytest

from kg_pipeline.datasets import empty_frame
from kg_pipeline.inference.relation_rows import relation_ids

Edge = tuple[str, str, str] | tuple[str, str, str, float]
Graph = Callable[..., pl.DataFrame]


def graph(edges: Sequence[Edge], *, negated: bool = False, speculative: bool = False) -> pl.DataFrame:
    """Asserted relations from (head, predicate, tail[, confidence]) tuples, each with one article."""
    rows = [(e[0], e[1], e[2], float(e[3]) if len(e) > 3 else 0.8) for e in edges]
    frame = pl.DataFrame(
        rows,
        schema={"head_id": pl.String, "predicate": pl.String, "tail_id": pl.String, "confidence": pl.Float32},
        orient="row",
    ).with_columns(
        kind=pl.lit("asserted"),
        negated=pl.lit(negated),
        speculative=pl.lit(speculative),
        n_articles=pl.lit(1, pl.Int32),
        n_evidence=pl.lit(1, pl.Int32),
        premises=pl.lit([], dtype=pl.List(pl.String)),
        rule=pl.lit(""),
    )
    frame = frame.with_columns(relation_ids("asserted", frame))
    return frame.select(empty_frame("relations").columns)


@pytest.fixture(name="graph", scope="session")
def graph_fixture() -> Graph:
    return graph
