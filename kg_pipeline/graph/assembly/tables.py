"""The logical tables of a version, made from the stage datasets one at a time, and each of them column by column.

A corpus has more in its tables than a machine may have memory, so no two of them are ever held at once, and those that
grow with the text of the articles come in parts (`kg_pipeline.graph.assembly.article_tables`). Of the others,
`kg_pipeline.graph.assembly.selection` says which rows belong into the version, and a column is read, brought into their order and
turned into Arrow before the next is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

from kg_pipeline.datasets import Datasets, empty_frame
from kg_pipeline.graph.assembly.article_tables import ArticleTables
from kg_pipeline.graph.assembly.selection import Rows, Selection, select_rows
from kg_pipeline.schema import EMBEDDING_DIMENSIONS
from kg_pipeline.vocabulary.names.variants import normal_key

_COLUMNS = {
    "documents": (
        "article_id",
        "version",
        "pmcid",
        "pmid",
        "doi",
        "title",
        "journal",
        "year",
        "article_type",
        "language",
        "license_class",
        "text",
    ),
    "chunks": (
        "chunk_id",
        "article_id",
        "ordinal",
        "section_path",
        "section_kind",
        "start",
        "end",
        "text",
        "n_tokens",
    ),
    "mentions": ("mention_id", "article_id", "entity_id", "start", "end", "text", "category", "source"),
    **{name: tuple(empty_frame(name).columns) for name in ("entities", "relations", "evidence", "merges")},
}
#: Tables that come in parts, since they grow with the text of the articles.
IN_PARTS = ("documents", "chunks", "mentions")
_MERGE_ORDER = ("entity_id", "name_a", "name_b", "rule", "evidence")
_VECTOR_ROWS = 8_192


@dataclass(frozen=True, slots=True)
class LogicalTables:
    """What a version is made of: its tables, sorted by id, and the vectors of its chunks and entities."""

    datasets: Datasets
    corpus: str
    selection: Selection

    @classmethod
    def of(cls, datasets: Datasets, corpus: str) -> LogicalTables:
        """The tables that the corpus's datasets describe now."""
        return cls(datasets, corpus, select_rows(datasets, corpus))

    def empty(self) -> list[str]:
        """Those of documents, chunks and entities of which there is none."""
        chunks = self.datasets.scan("chunks", self.corpus).select("article_id")
        kept = chunks.join(self.selection.articles.lazy(), on="article_id", how="semi").head(1)
        numbers = {
            "documents": self.selection.articles.height,
            "chunks": kept.collect(engine="streaming").height,
            "entities": self.selection.entities.height,
        }
        return [name for name, number in numbers.items() if not number]

    def parts(self, name: str, scratch: Path) -> Iterator[pa.Table]:
        """One of `IN_PARTS` in pieces, of which at least one; `scratch` is a folder for files, the caller's to remove."""
        articles, entities = self.selection.articles, self.selection.entities
        rows = ArticleTables(self.datasets, self.corpus, articles, entities)
        for frame in rows.rows(name, _COLUMNS[name], scratch):
            yield _arrow(self._permitted(name, frame))

    def table(self, name: str) -> pa.Table:
        """Another of the tables of `kg_pipeline.graph.layout.TABLE_KEYS`."""
        if name == "names":
            return _arrow(_names(self._entities(), self.datasets.scan("synonyms", self.corpus).collect()))
        if name == "merges":
            merges = self.datasets.scan("merges", self.corpus).collect()
            kept = merges.join(self.selection.gone, on="entity_id", how="anti")
            return _arrow(kept.sort(_MERGE_ORDER))
        rows = self.selection.tables[name]
        return pa.table({column: self._column(rows, column) for column in _COLUMNS[name]})

    def n_withdrawn(self, mentions: int) -> dict[str, int]:
        """Rows of the datasets that a version with so many mentions leaves out, where there are any."""
        standardised = self.datasets.scan("entity_mentions", self.corpus).select(pl.len()).collect().item()
        every = {"withdrawn_mentions": standardised - mentions, **self.selection.withdrawn}
        return {name: count for name, count in every.items() if count}

    def embedded(self) -> pl.DataFrame:
        """Which texts have a vector: kind, id, text_sha256 and position in the dataset, sorted by kind and id."""
        scan = self.datasets.scan("embeddings", self.corpus).select("kind", "id", "text_sha256")
        return scan.with_row_index("position").collect().sort("kind", "id", "position")

    def vectors(self) -> Iterator[tuple[int, npt.NDArray[np.float32]]]:
        """Vectors in the order of the dataset, some at a time, with the position of the first."""
        start = 0
        for part in self.datasets.parts("embeddings", self.corpus, ["vector"], _VECTOR_ROWS):
            values = part.column("vector").flatten().to_numpy()
            yield start, values.reshape(-1, EMBEDDING_DIMENSIONS).astype(np.float32, copy=False)
            start += part.num_rows

    def _entities(self) -> pl.DataFrame:
        rows = self.selection.tables["entities"]
        columns = {name: self._column(rows, name) for name in ("entity_id", "name", "aliases")}
        return pl.DataFrame(columns)

    def _permitted(self, name: str, frame: pl.DataFrame) -> pl.DataFrame:
        """Rows of one of `IN_PARTS` as they may be in the version."""
        return frame

    def _column(self, rows: Rows, column: str) -> pa.Array:
        if column in rows.made.columns:
            values = rows.made[column]
        else:
            scans = [self.datasets.scan(name, self.corpus).select(column) for name in rows.datasets]
            values = pl.concat(scans).select(pl.col(column).gather(rows.positions)).collect().to_series()
        return values.to_arrow(compat_level=pl.CompatLevel.oldest())


def _names(entities: pl.DataFrame, synonyms: pl.DataFrame) -> pl.DataFrame:
    """Folded names of entities, each once an entity: `is_name` where it is the canonical one, `is_said` where articles use it.

    What an article calls an entity comes before what the vocabulary calls another.
    """
    said = _folded(entities).with_columns(is_said=pl.lit(value=True))
    known = synonyms.join(entities, on="entity_id", how="semi")
    unsaid = _folded(known.with_columns(aliases=pl.lit(None, pl.List(pl.String))))
    unsaid = unsaid.join(said, on="key", how="anti").with_columns(
        is_name=pl.lit(value=False), is_said=pl.lit(value=False)
    )
    return pl.concat([said, unsaid]).sort("key", "entity_id")


def _folded(entities: pl.DataFrame) -> pl.DataFrame:
    canonical = entities.select("entity_id", "name", is_name=True)
    aliases = entities.select("entity_id", name="aliases", is_name=False).explode("name", empty_as_null=False)
    every = pl.concat([canonical, aliases]).filter(pl.col("name").is_not_null())
    spellings = every["name"].unique(maintain_order=True)
    folded_names = pl.Series("key", [normal_key(name) for name in spellings], pl.String)
    keys = pl.DataFrame({"name": spellings, "key": folded_names})
    folded = every.join(keys, on="name").filter(pl.col("key") != "")
    return folded.group_by("key", "entity_id").agg(pl.col("is_name").any()).sort("key", "entity_id")


def _arrow(frame: pl.DataFrame) -> pa.Table:
    return frame.to_arrow(compat_level=pl.CompatLevel.oldest()).combine_chunks()
