"""Stage tables on disk: one Parquet file a dataset, corpus and shard, checked against `kg_pipeline.schema`.

Stages meet only here. A file is replaced atomically, so a reader or a killed run never sees half of one,
and a corpus is scanned lazily, so no stage holds it in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from kg_pipeline.errors import DatasetError
from kg_pipeline.files import replacing
from kg_pipeline.schema import DATASETS, STAGE_STATUS

#: Stands for the shard in the file name of a dataset that has none.
ALL = "all"
#: Rows that are read, and written, at a time.
ROW_GROUP = 65_536


def schema_of(name: str) -> pa.Schema:
    """Arrow schema of a dataset; `<stage>.status` is the status table of a stage."""
    if name.endswith(".status"):
        return STAGE_STATUS
    try:
        return DATASETS[name]
    except KeyError:
        raise DatasetError(
            f"There is no dataset named {name!r}; kg_pipeline.schema.DATASETS lists them."
        ) from None


def table_from_rows(name: str, rows: Iterable[dict[str, Any]]) -> pa.Table:
    """Arrow table of a dataset from row dictionaries, in the order given."""
    return pa.Table.from_pylist(list(rows), schema=schema_of(name))


def to_table(name: str, frame: pl.DataFrame | pa.Table) -> pa.Table:
    """Cast a frame to the dataset's schema: its columns, in its order, with its types.

    Raises
    ------
    DatasetError
        If a column is missing, cannot be cast, or is null where the schema forbids it.

    """
    schema = schema_of(name)
    table = frame.to_arrow(compat_level=pl.CompatLevel.oldest()) if isinstance(frame, pl.DataFrame) else frame
    missing = [column for column in schema.names if column not in table.column_names]
    if missing:
        raise DatasetError(f"A table for dataset {name!r} lacks the columns {', '.join(missing)}.")
    try:
        cast = table.select(schema.names).cast(schema)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError) as error:
        raise DatasetError(f"A table does not fit the schema of dataset {name!r}: {error}") from error
    nulls = [f.name for f in schema if not f.nullable and cast.column(f.name).null_count]
    if nulls:
        raise DatasetError(
            f"A table for dataset {name!r} has nulls in {', '.join(nulls)}, which must have none."
        )
    return cast.replace_schema_metadata(None)


def empty_frame(name: str) -> pl.DataFrame:
    """A frame with the dataset's columns and no rows."""
    frame = pl.from_arrow(schema_of(name).empty_table())
    assert isinstance(frame, pl.DataFrame)
    return frame


@dataclass(frozen=True, slots=True)
class Datasets:
    """The stage tables under one folder: `<root>/<corpus>/<dataset>/<shard or all>.parquet`."""

    root: Path

    def path(self, name: str, corpus: str, shard: str | None = None) -> Path:
        """Where the table lies, whether or not it exists."""
        return self.root / corpus / name / f"{shard or ALL}.parquet"

    def exists(self, name: str, corpus: str, shard: str | None = None) -> bool:
        """Whether the table has been written."""
        return self.path(name, corpus, shard).is_file()

    def shards(self, name: str, corpus: str) -> list[str]:
        """Shards (or `all`) that have been written, sorted."""
        folder = self.root / corpus / name
        return sorted(path.stem for path in folder.glob("*.parquet") if not path.name.startswith("."))

    def write(self, name: str, corpus: str, frame: pl.DataFrame | pa.Table, shard: str | None = None) -> None:
        """Replace the table atomically. The bytes depend on the rows only."""
        self.write_batches(name, corpus, [frame], shard)

    def write_batches(
        self, name: str, corpus: str, batches: Iterable[pl.DataFrame | pa.Table], shard: str | None = None
    ) -> None:
        """Replace the table atomically by batches laid end to end, of which one is in memory at a time."""
        schema = schema_of(name).remove_metadata()
        with (
            replacing(self.path(name, corpus, shard)) as aside,
            pq.ParquetWriter(aside, schema, compression="zstd", store_schema=True) as writer,
        ):
            for batch in batches:
                writer.write_table(to_table(name, batch), row_group_size=ROW_GROUP)

    def scan(self, name: str, corpus: str) -> pl.LazyFrame:
        """All shards of the dataset, lazily, in shard order; an empty frame where nothing is written yet."""
        schema_of(name)
        paths = [self.root / corpus / name / f"{shard}.parquet" for shard in self.shards(name, corpus)]
        if not paths:
            return empty_frame(name).lazy()
        return pl.scan_parquet(paths)

    def read(self, name: str, corpus: str, shard: str | None = None) -> pl.DataFrame:
        """One table.

        Raises
        ------
        DatasetError
            If it is not there or cannot be read.

        """
        path = self.path(name, corpus, shard)
        if not path.is_file():
            where = f"shard {shard} of corpus {corpus!r}" if shard else f"corpus {corpus!r}"
            raise DatasetError(f"Dataset {name!r} of {where} is not built yet. Run: kg build {corpus}")
        try:
            return pl.read_parquet(path)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise DatasetError(
                f"{path} is damaged ({error}). Delete it and run: kg build {corpus}"
            ) from error

    def read_or_empty(self, name: str, corpus: str, shard: str | None = None) -> pl.DataFrame:
        """One table, or an empty one where it is not built; a damaged one raises like `read`."""
        return self.read(name, corpus, shard) if self.exists(name, corpus, shard) else empty_frame(name)

    def is_usable(self, name: str, corpus: str, shard: str | None = None) -> bool:
        """Whether the table is there, whole (its footer is) and of today's schema."""
        try:
            return list(pq.read_schema(self.path(name, corpus, shard)).names) == list(schema_of(name).names)
        except (FileNotFoundError, pa.ArrowInvalid):
            return False

    def batches(self, name: str, corpus: str) -> Iterator[tuple[str, pl.DataFrame]]:
        """Each written shard with its rows, one at a time, so that memory stays at one shard."""
        for shard in self.shards(name, corpus):
            yield shard, self.read(name, corpus, shard)
