"""What changed between two versions, row by row; of everything, or of what bears on a subject."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from kg_pipeline.errors import GraphError
from kg_pipeline.graph import layout
from kg_pipeline.vocabulary.names.variants import normal_key

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


def diff_versions(before: Path | None, after: Path, *, about: str = "") -> VersionDiff:
    """Compare two version directories.

    Parameters
    ----------
    before
        The earlier version; None compares with nothing, so that everything is new.
    after
        The later version.
    about
        Words: only what bears on entities with a name that contains them is compared, that is those entities, their
        relations with the entities at the other end, the evidence of these, and the articles that mention them.

    Raises
    ------
    GraphError
        If no entity of either version has such a name.
    CorruptGraphError
        If a table of one of them cannot be read.

    """
    folders = [folder for folder in (before, after) if folder is not None]
    bearing = _bearing(folders, about) if about else {}
    old, new = (_frames(folder, bearing) for folder in (before, after))
    return VersionDiff({subject: _compare(old, new, name) for subject, name in _SUBJECTS.items()})


_Frames = Mapping[str, pl.DataFrame]


def _bearing(folders: list[Path], about: str) -> _Frames:
    """Ids of the rows of each table that bear on the words in any of the versions."""
    words = f" {normal_key(about)} "
    is_named = (" " + pl.col("key") + " ").str.contains(words, literal=True)
    folded = [layout.open_frame(folder, "names").select("key", "entity_id") for folder in folders]
    named = pl.concat([names.filter(is_named) for names in folded])
    if named.is_empty():
        raise GraphError(f"No entity has a name with {about!r} in it. Try fewer words, or another name.")
    focus = named["entity_id"].unique().implode()
    has_end = pl.col("head_id").is_in(focus) | pl.col("tail_id").is_in(focus)
    relations = pl.concat([layout.open_frame(folder, "relations").filter(has_end) for folder in folders])
    mentions = [
        layout.open_frame(folder, "mentions").filter(pl.col("entity_id").is_in(focus)) for folder in folders
    ]
    ends = [relations.select(entity_id=column) for column in ("head_id", "tail_id")]
    return {
        "documents": pl.concat(mentions).select("article_id"),
        "entities": pl.concat([named.select("entity_id"), *ends]),
        "relations": relations.select("relation_id"),
        "evidence": relations.select("relation_id"),
    }


def _frames(folder: Path | None, bearing: _Frames) -> _Frames | None:
    """The compared tables of a version, or of what bears on a subject if there is one."""
    if folder is None:
        return None
    frames = {name: layout.open_frame(folder, name) for name in _SUBJECTS.values()}
    for name, ids in bearing.items():
        frames[name] = frames[name].join(ids, on=ids.columns, how="semi")
    return frames


def _compare(before: _Frames | None, after: _Frames | None, name: str) -> TableDiff:
    key = layout.TABLE_KEYS[name]
    old, new = (_hashed(frames, name, key) for frames in (before, after))
    both = old.join(new, on=key, suffix="_new")
    return TableDiff(
        added=_ids(new.join(old, on=key, how="anti"), key),
        removed=_ids(old.join(new, on=key, how="anti"), key),
        changed=_ids(both.filter(pl.col("content") != pl.col("content_new")), key),
    )


def _hashed(frames: _Frames | None, name: str, key: str) -> pl.DataFrame:
    if frames is None:
        return pl.DataFrame(schema={key: pl.String, "content": pl.UInt64})
    # Row hashes are compared within this process only, where they are stable.
    return frames[name].select(key, content=frames[name].hash_rows())


def _ids(frame: pl.DataFrame, key: str) -> list[str]:
    return frame[key].sort().to_list()
