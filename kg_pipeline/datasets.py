"""Stage tables on disk: one Parquet file a dataset, corpus and shard, checked against `kg_pipeline.schema`.

Stages meet only here. A file is replaced atomically, so a reader or a killed run never sees half of one,
and a corpus is scanned lazily, so no stage holds it in memory. Machines that share an object store meet there, and
keep copies of what they read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from kg_pipeline.errors import DatasetError
from kg_pipeline.files import remove_leftovers, replacing, write_text
from kg_pipeline.object_store import ObjectStore, open_store
from kg_pipeline.schema import DATASETS, STAGE_STATUS

if TYPE_CHECKING:
    from kg_pipeline.settings import Settings

#: Stands for the shard in the file name of a dataset that has none.
ALL = "all"
#: Rows that are read, and written, at a time.
ROW_GROUP = 65_536
#: A table that grows batch by batch may not have been written to for long; see `files.GRACE_SECONDS`.
_GRACE_SECONDS = 3600.0


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


def compact(frame: pl.DataFrame) -> pl.DataFrame:
    """The same rows in memory of their own: strings picked out of another frame keep all of its text alive."""
    return pl.DataFrame(frame.to_arrow(compat_level=pl.CompatLevel.oldest()))


@cache
def empty_frame(name: str) -> pl.DataFrame:
    """A frame with the dataset's columns and no rows; the same one each time, as stages ask for it with every shard."""
    frame = pl.from_arrow(schema_of(name).empty_table())
    assert isinstance(frame, pl.DataFrame)
    return frame


@dataclass(frozen=True, slots=True)
class Datasets:
    """The stage tables under one folder: `<root>/<corpus>/<dataset>/<shard or all>.parquet`.

    With a `store` the tables are there, under the same names in `datasets/`, and the folder holds copies, which are
    brought up to date before they are read.
    """

    root: Path
    store: ObjectStore | None = None

    @classmethod
    def of(cls, settings: Settings) -> Datasets:
        """The tables that the settings name."""
        return cls(settings.datasets, open_store(settings.store))

    def path(self, name: str, corpus: str, shard: str | None = None) -> Path:
        """Where the table, or this machine's copy of it, lies, whether or not it exists."""
        return self.root / corpus / name / _file(shard)

    def fetched(self, name: str, corpus: str, shard: str | None = None) -> Path:
        """The same, up to date with the store."""
        path = self.path(name, corpus, shard)
        if self.store is not None:
            self.store.fetch(_key(name, corpus, shard), path)
        return path

    def exists(self, name: str, corpus: str, shard: str | None = None) -> bool:
        """Whether the table has been written."""
        if self.store is not None:
            return self.store.has(_key(name, corpus, shard))
        return self.path(name, corpus, shard).is_file()

    def shards(self, name: str, corpus: str) -> list[str]:
        """Shards (or `all`) that have been written, sorted."""
        if self.store is not None:
            return [Path(file).stem for file in self.store.list(_folder(name, corpus)) if _is_table(file)]
        folder = self.root / corpus / name
        return sorted(path.stem for path in folder.glob(f"*{_SUFFIX}") if not path.name.startswith("."))

    def write(self, name: str, corpus: str, frame: pl.DataFrame | pa.Table, shard: str | None = None) -> None:
        """Replace the table atomically. The bytes depend on the rows only."""
        self.write_batches(name, corpus, [frame], shard)

    def write_batches(
        self, name: str, corpus: str, batches: Iterable[pl.DataFrame | pa.Table], shard: str | None = None
    ) -> None:
        """Replace the table atomically by batches laid end to end, of which one is in memory at a time."""
        schema = schema_of(name).remove_metadata()
        with replacing(self.path(name, corpus, shard)) as aside:
            with pq.ParquetWriter(aside, schema, compression="zstd", store_schema=True) as writer:
                for batch in batches:
                    writer.write_table(to_table(name, batch), row_group_size=ROW_GROUP)
            if self.store is not None:
                self.store.send(aside, _key(name, corpus, shard))

    def scan(self, name: str, corpus: str) -> pl.LazyFrame:
        """All shards of the dataset, lazily, in shard order; an empty frame where nothing is written yet."""
        schema_of(name)
        folder = self.root / corpus / name
        if self.store is None:
            files = [_file(shard) for shard in self.shards(name, corpus)]
        else:
            listed = self.store.list(_folder(name, corpus))
            files = [file for file in listed if _is_table(file)]
            self.store.fetch_all(_folder(name, corpus), {file: listed[file] for file in files}, folder)
        if not files:
            return empty_frame(name).lazy()
        return pl.scan_parquet([folder / file for file in files])

    def read(self, name: str, corpus: str, shard: str | None = None) -> pl.DataFrame:
        """One table.

        Raises
        ------
        DatasetError
            If it is not there or cannot be read.

        """
        path = self.fetched(name, corpus, shard)
        if not path.is_file():
            where = f"shard {shard} of corpus {corpus!r}" if shard else f"corpus {corpus!r}"
            raise DatasetError(f"Dataset {name!r} of {where} is not built yet. Run: kg build {corpus}")
        try:
            return pl.read_parquet(path)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise self._damaged(name, corpus, shard, error) from error

    def read_or_empty(self, name: str, corpus: str, shard: str | None = None) -> pl.DataFrame:
        """One table, or an empty one where it is not built; a damaged one raises like `read`."""
        return self.read(name, corpus, shard) if self.exists(name, corpus, shard) else empty_frame(name)

    def is_usable(self, name: str, corpus: str, shard: str | None = None) -> bool:
        """Whether the table is there, whole (its footer is) and of today's schema."""
        path = self.fetched(name, corpus, shard)
        try:
            found = list(pq.read_schema(path).names)
        except (OSError, ValueError, pa.ArrowException):
            return False
        return found == list(schema_of(name).names)

    def batches(self, name: str, corpus: str) -> Iterator[tuple[str, pl.DataFrame]]:
        """Each written shard with its rows, one at a time, so that memory stays at one shard."""
        for shard in self.shards(name, corpus):
            yield shard, self.read(name, corpus, shard)

    def parts(self, name: str, corpus: str, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        """Columns of all shards in shard order, at most `rows` rows at a time, so that memory stays at those.

        Raises
        ------
        DatasetError
            If a shard is damaged.

        """
        for shard in self.shards(name, corpus):
            path = self.fetched(name, corpus, shard)
            try:
                with pq.ParquetFile(path) as file:
                    yield from file.iter_batches(rows, columns=list(columns))
            except (OSError, ValueError, pa.ArrowException) as error:
                raise self._damaged(name, corpus, shard, error) from error

    def sweep(self, corpus: str, *, grace_seconds: float = _GRACE_SECONDS) -> None:
        """Remove the tables and notes that killed processes left unfinished on this machine's disk."""
        folder = self.root / corpus
        for place in (folder, *(child for child in folder.glob("[!.]*") if child.is_dir())):
            remove_leftovers(place, grace_seconds)

    def note(self, name: str, corpus: str) -> str | None:
        """What was noted about the tables of a corpus under that name, or None."""
        try:
            if self.store is not None:
                return self.store.read(_note(name, corpus)).decode()
            return (self.root / corpus / name).read_text(encoding="utf-8")
        except (FileNotFoundError, UnicodeDecodeError):
            return None

    def write_note(self, name: str, corpus: str, content: str) -> None:
        """Note something about the tables of a corpus, where everybody who reads them finds it."""
        if self.store is not None:
            self.store.write(_note(name, corpus), content.encode())
        else:
            write_text(self.root / corpus / name, content)

    def delete_note(self, name: str, corpus: str) -> None:
        """Take a note back."""
        if self.store is not None:
            self.store.delete(_note(name, corpus))
        else:
            (self.root / corpus / name).unlink(missing_ok=True)

    def _damaged(self, name: str, corpus: str, shard: str | None, error: Exception) -> DatasetError:
        place = str(self.path(name, corpus, shard))
        if self.store is not None:  # where it is damaged; the copy would come back
            place = f"{self.store.address}/{_key(name, corpus, shard)}"
        return DatasetError(f"{place} is damaged ({error}). Delete it and run: kg build {corpus}")


_SUFFIX = ".parquet"


def _file(shard: str | None) -> str:
    return f"{shard or ALL}{_SUFFIX}"


def _is_table(file: str) -> bool:
    return file.endswith(_SUFFIX)


def _folder(name: str, corpus: str) -> str:
    """Name of a dataset's folder in a store."""
    return f"datasets/{corpus}/{name}"


def _note(name: str, corpus: str) -> str:
    return f"datasets/{corpus}/{name}"


def _key(name: str, corpus: str, shard: str | None) -> str:
    return f"{_folder(name, corpus)}/{_file(shard)}"
