"""A listing of a corpus against the one before it: what was added, updated, retracted, withdrawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from kg_pipeline.datasets import Datasets, table_from_rows

#: Told after each article how many are done, and how many there are.
Progress = Callable[[int, int], None]
#: Changes of an article, in the order in which they are told.
CHANGES = ("added", "updated", "retracted", "withdrawn", "unchanged")
WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Listing:
    """Rows of `article_index`, sorted by id.

    `unchecked` counts articles that the service did not answer for; their earlier rows stand. `warnings` are what a
    search complained about, and the files of a folder or archive that are not read.
    """

    rows: tuple[Mapping[str, Any], ...]
    unchecked: int = 0
    warnings: tuple[str, ...] = ()

    @property
    def changes(self) -> dict[str, int]:
        """How many articles changed in each way; every way is there."""
        return {change: sum(row["change"] == change for row in self.rows) for change in CHANGES}

    @property
    def statuses(self) -> Counter[str]:
        """How many articles have each status."""
        return Counter(row["status"] for row in self.rows)

    def frame(self) -> pl.DataFrame:
        """The rows as a table."""
        frame = pl.from_arrow(table_from_rows("article_index", map(dict, self.rows)))
        assert isinstance(frame, pl.DataFrame)
        return frame


def unseen(done: int, total: int) -> None:
    """Progress that nobody watches."""


def last_listing(datasets: Datasets, corpus: str) -> dict[str, dict[str, Any]]:
    """Rows of the listing before, by article."""
    frame = datasets.read_or_empty("article_index", corpus)
    return {row["article_id"]: row for row in frame.iter_rows(named=True)}


def with_change(
    row: Mapping[str, Any], previous: Mapping[str, Any] | None, compared: Sequence[str]
) -> dict[str, Any]:
    """The row with its change; `compared` are the columns that tell a new article from the one before."""
    if previous is None or previous["change"] == WITHDRAWN:
        change = "added"
    elif row["status"] == "retracted" and previous["status"] != "retracted":
        change = "retracted"
    else:
        change = "unchanged" if all(row[name] == previous[name] for name in compared) else "updated"
    return {**row, "change": change}


def withdrawn(row: Mapping[str, Any], reason: str) -> dict[str, Any]:
    """The last row of an article that is gone; it stays for one listing."""
    return {
        **row,
        "status": "not_found",
        "reason": reason,
        "change": WITHDRAWN,
        "content_sha256": "",
        "size": 0,
    }
