"""The tables of a version that grow with the text of its articles: documents, chunks and mentions.

They are the bulk of a corpus, so none of them is ever in memory: rows are read from the stage datasets some at a time,
sorted by id through files, and given out in that order, some at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from kg_pipeline.datasets import Datasets, empty_frame
from kg_pipeline.graph.assembly.sorted_runs import SortedRuns, in_step

#: Mentions are found by two stages.
MENTION_DATASETS = ("mentions", "triple_mentions")
#: Rows that are read at a time: a document is as much text as hundreds of mentions.
_READ_ROWS = {"documents": 512, "chunks": 16_384}
_OTHER_ROWS = 131_072


@dataclass(frozen=True, slots=True)
class ArticleTables:
    """Rows of the articles of a version; `articles` and `entities` are one column of ids, those that are in it."""

    datasets: Datasets
    corpus: str
    articles: pl.DataFrame
    entities: pl.DataFrame

    def rows(self, name: str, columns: tuple[str, ...], scratch: Path) -> Iterator[pl.DataFrame]:
        """Rows of `documents`, `chunks` or `mentions` sorted by id, of several with one id the first.

        Parameters
        ----------
        name
            The table.
        columns
            Its columns, of which the first is the id.
        scratch
            A folder for files, which is the caller's to remove.

        """
        if name == "mentions":
            yield from self._mentions(columns, scratch)
            return
        key = columns[0]
        for (part,) in in_step(key, self._collected((name,), columns, scratch)):
            yield part.unique(key, keep="first", maintain_order=True)

    def _mentions(self, columns: tuple[str, ...], scratch: Path) -> Iterator[pl.DataFrame]:
        """Mentions that were standardised, with their entity."""
        own = tuple(column for column in columns if column != "entity_id")
        found = self._collected(MENTION_DATASETS, own, scratch / "found")
        named = SortedRuns(scratch / "named", "mention_id")
        for frame in self._read("entity_mentions", ("mention_id", "entity_id")):
            named.add(frame.join(self.entities, on="entity_id", how="semi", maintain_order="left"))
        for mentions, entities in in_step("mention_id", found, named):
            once = mentions.unique("mention_id", keep="first", maintain_order=True)
            yield once.join(entities, on="mention_id", maintain_order="left_right").select(columns)

    def _collected(self, names: tuple[str, ...], columns: tuple[str, ...], scratch: Path) -> SortedRuns:
        """Rows of datasets whose article is in the version."""
        runs = SortedRuns(scratch, columns[0])
        for name in names:
            for frame in self._read(name, columns):
                runs.add(frame.join(self.articles, on="article_id", how="semi", maintain_order="left"))
        return runs

    def _read(self, name: str, columns: tuple[str, ...]) -> Iterator[pl.DataFrame]:
        """The dataset's shards, some rows at a time; an empty frame comes first."""
        blank = empty_frame(name).select(columns)
        yield blank
        for batch in self.datasets.parts(name, self.corpus, columns, _READ_ROWS.get(name, _OTHER_ROWS)):
            yield pl.DataFrame(batch).select(columns).cast(blank.schema)
