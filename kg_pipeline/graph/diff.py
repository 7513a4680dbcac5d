"""What changed between two versions, row by row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from kg_pipeline.graph import layout

#: What a reader of a change is told about, and the table it lies in.
_SUBJECTS = {
    "articles": "documents",
    "entities": "entities",
    "relations": "relations",
    "evidence": "evidence",
}


@dataclass(frozen=True, slots=True)
class TableDiff:
    """Ids of rows that only the later version has, only the earlier one, or both with other values; sorted."""

    added: list[str]
    removed: list[str]
    changed: list[str]


@dataclass(frozen=True, slots=True)
class VersionDiff:
    """The change of each subject: articles, entities, relations, evidence."""

    subjects: Mapping[str, TableDiff]

    def counts(self) -> dict[str, dict[str, int]]:
        """Numbers of rows instead of ids."""
        return {
            name: {"added": len(change.added), "removed": len(change.removed), "changed": len(change.changed)}
            for name, change in self.subjects.items()
        }

    @property
    def is_empty(self) -> bool:
        """Whether nothing changed."""
        return not any(sum(counts.values()) for counts in self.counts().values())


def diff_versions(before: Path, after: Path) -> VersionDiff:
    """Compare two version directories.

    Raises
    ------
    CorruptGraphError
        If a table of one of them cannot be read.

    """
    return VersionDiff({subject: _compare(before, after, name) for subject, name in _SUBJECTS.items()})


def _compare(before: Path, after: Path, name: str) -> TableDiff:
    key = layout.TABLE_KEYS[name]
    old, new = (_hashed(folder, name, key) for folder in (before, after))
    both = old.join(new, on=key, suffix="_new")
    return TableDiff(
        added=_ids(new.join(old, on=key, how="anti"), key),
        removed=_ids(old.join(new, on=key, how="anti"), key),
        changed=_ids(both.filter(pl.col("content") != pl.col("content_new")), key),
    )


def _hashed(folder: Path, name: str, key: str) -> pl.DataFrame:
    # Row hashes are compared within this process only, where they are stable.
    frame = pl.from_arrow(layout.open_table(folder, name))
    assert isinstance(frame, pl.DataFrame)
    return frame.select(key, content=frame.hash_rows())


def _ids(frame: pl.DataFrame, key: str) -> list[str]:
    return frame[key].sort().to_list()
