"""What the stage `triples` reads, written by hand for a shard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kg_pipeline.datasets import Datasets, table_from_rows

SHARD = "00"


def write_inputs(
    datasets: Datasets, texts: Mapping[str, str], tables: Mapping[str, Sequence[dict[str, Any]]]
) -> None:
    """Write tables of the corpus `c`, each with a status for every article that says its text is what it was made from."""
    statuses = [
        {
            "article_id": article,
            "input_digest": text,
            "status": "ok",
            "reason": "",
            "rows": 1,
            "rejected": 0,
        }
        for article, text in texts.items()
    ]
    for name, rows in tables.items():
        datasets.write(name, "c", table_from_rows(name, rows), SHARD)
        datasets.write(f"{name}.status", "c", table_from_rows(f"{name}.status", statuses), SHARD)
