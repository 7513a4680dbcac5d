"""Tables that are kept from one build to the next, each with a digest of what it was worked out from.

They save work and change nothing: a table whose digest is another, or that cannot be read, is worked out again. They lie in
the cache of the workspace, one file a name, so that old ones are replaced.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from kg_pipeline.files import replacing
from kg_pipeline.settings import Settings

_SOURCE = b"source"


@dataclass(frozen=True, slots=True)
class Remembered:
    """The tables under one folder."""

    folder: Path

    def table(self, name: str, source: str, work_out: Callable[[], pl.DataFrame]) -> pl.DataFrame:
        """The table of that name if it was worked out from `source`, else a new one, which is kept."""
        kept = self.kept(name, source)
        if kept is not None:
            return kept
        fresh = work_out()
        self.keep(name, source, fresh)
        return fresh

    def kept(self, name: str, source: str) -> pl.DataFrame | None:
        """The table of that name if it was worked out from `source`."""
        path = self._path(name)
        try:
            if (pq.read_schema(path).metadata or {}).get(_SOURCE) != source.encode():
                return None
            table = pq.read_table(path, page_checksum_verification=True)
            return pl.DataFrame(table)
        except (OSError, ValueError, pa.ArrowException, pl.exceptions.PolarsError):
            return None

    def keep(self, name: str, source: str, frame: pl.DataFrame) -> None:
        """Keep a table in the place of the one of that name."""
        table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
        with replacing(self._path(name)) as aside:
            pq.write_table(
                table.replace_schema_metadata({_SOURCE: source}),
                aside,
                compression="zstd",
                write_page_checksum=True,
            )

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.parquet"


def remembered_of(settings: Settings, corpus: str) -> Remembered:
    """What is remembered between builds of the entities of a corpus."""
    return Remembered(settings.cache / "entities" / corpus)
