"""What a version shares with its parent in Neo4j: documents, chunks and evidence that did not change.

Such nodes are immutable and the bulk of a version (text, vectors, sentences). Where the parent is loaded, they get the
new version's label beside the parent's instead of being written once more. Entities and relations are written anew:
their row numbers and ranks, which order every answer, belong to one version.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from kg_pipeline.graph import layout
from kg_pipeline.graph.neo4j.client import VersionLabels
from kg_pipeline.graph.snapshot.vectors import Vectors
from kg_pipeline.graph.versions.verify import has_all_files

#: Share of the rows that must be the same: below it, finding the others costs more than writing them.
_WORTHWHILE = 0.5

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Base:
    """The parent version's labels, and for each row of the three tables whether its node is taken over from there."""

    labels: VersionLabels
    documents: Mask
    chunks: Mask
    evidence: Mask

    @property
    def share(self) -> float:
        """Part of the rows that is taken over."""
        masks = (self.documents, self.chunks, self.evidence)
        return sum(int(mask.sum()) for mask in masks) / max(sum(len(mask) for mask in masks), 1)


def find_base(folder: Path) -> Base | None:
    """The parent of a version as a base to load it from, or None if there is none, or too little is the same."""
    manifest = layout.read_manifest(folder)
    if manifest.parent is None:
        return None
    parent = folder.parent / manifest.parent
    if not has_all_files(parent) or layout.read_manifest(parent).models != manifest.models:
        return None
    documents = _same(_documents(parent), _documents(folder))
    chunks = _same(_chunks(parent), _chunks(folder)) & _follows(folder, "chunks", "documents", documents)
    evidence = _same(layout.open_frame(parent, "evidence"), layout.open_frame(folder, "evidence")) & _follows(
        folder, "evidence", "chunks", chunks
    )
    base = Base(VersionLabels(manifest.corpus, manifest.parent), documents, chunks, evidence)
    return base if base.share >= _WORTHWHILE else None


def _documents(folder: Path) -> pl.DataFrame:
    return layout.open_frame(folder, "documents").drop("text")


def _chunks(folder: Path) -> pl.DataFrame:
    frame = layout.open_frame(folder, "chunks")
    has_vector = np.zeros(frame.height, np.bool_)
    has_vector[Vectors.open(folder, "chunk").rows] = True
    return frame.with_columns(pl.Series("has_vector", has_vector))


def _same(before: pl.DataFrame, after: pl.DataFrame) -> Mask:
    """Rows of `after` that are in `before`, value by value; both begin with their id."""
    old, new = (frame.select(frame.columns[0], content=frame.hash_rows()) for frame in (before, after))
    joined = new.join(old, on=new.columns[0], how="left", suffix="_old", maintain_order="left")
    return (
        joined.select((pl.col("content") == pl.col("content_old")).fill_null(value=False))
        .to_series()
        .to_numpy()
    )


def _follows(folder: Path, name: str, other: str, taken: Mask) -> Mask:
    """Rows of a table whose document or chunk is taken over too, so that they may stay attached to it."""
    key = layout.TABLE_KEYS[other]
    kept = layout.open_frame(folder, other).filter(pl.Series(taken)).select(key)
    rows = layout.open_frame(folder, name).select(is_kept=pl.col(key).is_in(kept[key].implode()))
    return rows["is_kept"].to_numpy()
