"""Take out of a version what the licences of its articles do not let it hold (rule 7 of the design).

Relations, names of entities and offsets are facts and stay at every level, so that each edge still leads to its place in
its article. Of a text that is not kept, chunks stay as places without text, and are found neither by words nor by vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl
import pyarrow as pa

from kg_pipeline.graph.assembly.tables import LogicalTables
from kg_pipeline.graph.withheld import KEPT
from kg_pipeline.rights import Level, RightsPolicy


@dataclass(frozen=True, slots=True)
class LicensedTables(LogicalTables):
    """The tables of a version without what is withheld; `levels` names the articles whose text is not kept."""

    levels: Mapping[str, Level] = field(default_factory=dict)

    @classmethod
    def under(cls, tables: LogicalTables, rights: RightsPolicy) -> LicensedTables:
        """The tables under a policy."""
        documents = (
            tables.datasets.scan("documents", tables.corpus).select("article_id", "license_class").collect()
        )
        levels = {article: rights.level(license_class) for article, license_class in documents.iter_rows()}
        kept = {article: level for article, level in sorted(levels.items()) if level != "text"}
        return cls(tables.datasets, tables.corpus, tables.selection, kept)

    def table(self, name: str) -> pa.Table:
        """See `LogicalTables`."""
        table = LogicalTables.table(self, name)
        if name != "evidence" or not self.levels:
            return table
        permitted = _changed(table, self._permission(name, "quote"))
        return self._with_denials(permitted, self._articles_without(name, "quote"))

    def embedded(self) -> pl.DataFrame:
        """See `LogicalTables`; a vector of a text tells what is in it."""
        embedded = LogicalTables.embedded(self)
        if not self.levels:
            return embedded
        chunks = self.datasets.scan("chunks", self.corpus).filter(pl.col("article_id").is_in([*self.levels]))
        withheld = chunks.select(id="chunk_id", kind=pl.lit("chunk")).collect()
        return embedded.join(withheld, on=["kind", "id"], how="anti", maintain_order="left")

    def _permitted(self, name: str, frame: pl.DataFrame) -> pl.DataFrame:
        """See `LogicalTables`."""
        columns = [column for table, column in KEPT if table == name] if self.levels else []
        return frame.with_columns(self._permission(name, column) for column in columns)

    def _permission(self, name: str, column: str) -> pl.Expr:
        """A column, empty in the rows of articles that withhold it."""
        is_withheld = pl.col("article_id").is_in(self._articles_without(name, column))
        return pl.when(is_withheld).then(pl.lit("")).otherwise(column).alias(column)

    def _articles_without(self, name: str, column: str) -> list[str]:
        kept = KEPT[name, column]
        return [article for article, level in self.levels.items() if level not in kept]

    def _with_denials(self, evidence: pa.Table, articles: list[str]) -> pa.Table:
        """Where the sentence is not kept, the words for the relation have to say themselves that it is denied."""
        relations = (
            self.datasets.scan("relations", self.corpus).filter(pl.col("negated")).select("relation_id")
        )
        denied = relations.unique().collect()["relation_id"].to_list()
        words = pl.col("predicate_text")
        is_denied = pl.col("article_id").is_in(articles) & pl.col("relation_id").is_in(denied)
        return _changed(
            evidence,
            pl.when(is_denied).then(pl.format("not {}", words)).otherwise(words).alias("predicate_text"),
        )


def _changed(table: pa.Table, values: pl.Expr) -> pa.Table:
    """The table with one column made again; the others are the same buffers."""
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    made = frame.select(values).to_series()
    place = table.schema.get_field_index(made.name)
    array = made.to_arrow(compat_level=pl.CompatLevel.oldest()).cast(table.schema.field(place).type)
    return table.set_column(place, table.schema.field(place), array)
