"""Vectors by digest of text and model: parts on disk that all corpora share, and those of one corpus in a mapped file.

What is in memory at a time is a part and the digests, not the vectors of a corpus.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from kg_pipeline.files import TEMPORARY_PREFIX, replacing
from kg_pipeline.fingerprint import short_digest
from kg_pipeline.schema import EMBEDDING_DIMENSIONS

STORED = pl.Schema({"text_sha256": pl.String(), "vector": pl.Array(pl.Float32, EMBEDDING_DIMENSIONS)})
_BATCH_ROWS = 16_384
_FLOAT_BYTES = 4


@dataclass(frozen=True, slots=True)
class VectorStore:
    """Small Parquet parts, each written whole, read together."""

    folder: Path

    def batches(self) -> Iterator[pl.DataFrame]:
        """All vectors that are stored, some at a time."""
        for path in sorted(self.folder.glob("*.parquet")):
            if not path.name.startswith(TEMPORARY_PREFIX):
                yield from stored_batches(path)

    def add(self, vectors: pl.DataFrame) -> Path:
        """Write a part."""
        path = self.folder / f"{short_digest(vectors['text_sha256'].to_list())}.parquet"
        with replacing(path) as aside:
            pq.write_table(vectors.to_arrow(compat_level=pl.CompatLevel.oldest()), aside, compression="none")
        return path

    def merge(self, parts: Sequence[Path]) -> None:
        """Replace parts by one that holds them all."""
        if len(parts) > 1:
            whole = self.add(pl.concat([batch for path in parts for batch in stored_batches(path)]))
            for path in parts:
                if path != whole:
                    path.unlink(missing_ok=True)


def stored_batches(path: Path) -> Iterator[pl.DataFrame]:
    """Digests and vectors of a Parquet file, some at a time; none of one that is damaged or was merged away meanwhile."""
    try:
        for batch in pq.ParquetFile(path).iter_batches(_BATCH_ROWS, columns=STORED.names()):
            yield pl.DataFrame(batch).cast(STORED)
    except (OSError, pa.ArrowException, pl.exceptions.PolarsError):
        # A cache may lose a part: its texts are embedded again.
        return


class CorpusVectors:
    """A vector for each of some digests, in a file without a name that the system pages in and out."""

    def __init__(self, folder: Path, digests: pl.Series) -> None:
        """Nothing is known yet; raises OSError where the disk has no place for all."""
        self._digests = pl.DataFrame({"text_sha256": digests}).with_row_index("row")
        shape = (max(len(digests), 1), EMBEDDING_DIMENSIONS)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            # A full disk is an error here, and would end the process later.
            os.posix_fallocate(file.fileno(), 0, shape[0] * shape[1] * _FLOAT_BYTES)
            self._matrix = np.memmap(file, np.float32, shape=shape)
        self._is_known = np.zeros(len(digests), np.bool_)

    def put(self, vectors: pl.DataFrame) -> None:
        """Keep those that are wanted; of several for one digest the first stays."""
        found = vectors.join(self._digests, on="text_sha256").unique("row", keep="first")
        new = found.filter(~pl.Series(self._is_known[found["row"].to_numpy()]))
        rows = new["row"].to_numpy()
        self._matrix[rows] = _matrix_of(new)
        self._is_known[rows] = True

    def fill(self, batches: Iterable[pl.DataFrame]) -> None:
        """Keep what is wanted of batches, and stop when nothing is missing."""
        for batch in batches:
            if self._is_known.all():
                return
            self.put(batch)

    def missing(self) -> pl.DataFrame:
        """Digests without a vector yet."""
        return self._digests.filter(~pl.Series(self._is_known)).select("text_sha256")

    def of(self, digests: pl.Series) -> pl.Series:
        """Vectors of digests that all have one, in order."""
        rows = pl.DataFrame({"text_sha256": digests}).join(
            self._digests, on="text_sha256", how="left", maintain_order="left"
        )
        return pl.Series("vector", self._matrix[rows["row"].to_numpy()], STORED["vector"])


def _matrix_of(vectors: pl.DataFrame) -> npt.NDArray[np.float32]:
    return vectors["vector"].to_numpy().reshape(-1, EMBEDDING_DIMENSIONS)
