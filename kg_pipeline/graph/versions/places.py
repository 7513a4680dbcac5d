"""Where the versions of corpora are listed and pointed at: this machine's disk, or an object store (`graph.versions.shared`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from kg_pipeline.files import write_text
from kg_pipeline.graph import layout
from kg_pipeline.graph.reader import Manifest


class Place(Protocol):
    """What a place tells of the versions of a corpus; its small files are pointers and pins."""

    def corpora(self) -> Sequence[str]:
        """Names of the corpora that have, or had, a version, in order."""
        ...

    def knows(self, corpus: str) -> bool:
        """Whether the corpus has, or had, a version."""
        ...

    def listed(self, corpus: str) -> Sequence[str]:
        """Names of the folders that may hold a version."""
        ...

    def manifest(self, corpus: str, version: str) -> tuple[Manifest, float]:
        """Manifest of a version, and when it was written (seconds since 1970).

        Raises
        ------
        FileNotFoundError, NoGraphError
            If there is no such version.
        CorruptGraphError
            If the manifest cannot be read.

        """
        ...

    def read(self, corpus: str, *name: str) -> str | None:
        """Content of a small file, or None if there is none; raises as `Path.read_text` does."""
        ...

    def write(self, content: str, corpus: str, *name: str) -> None:
        """Replace a small file in one step."""
        ...

    def delete(self, corpus: str, *name: str) -> None:
        """Remove a small file, if there is one."""
        ...

    def address(self, corpus: str, *name: str) -> str:
        """Where a file lies, for messages."""
        ...


@dataclass(frozen=True, slots=True)
class OwnDisk:
    """The folder `graphs` of a workspace."""

    root: Path

    def corpora(self) -> Sequence[str]:
        """Names of the folders."""
        return sorted(path.name for path in self.root.glob("*") if path.is_dir())

    def knows(self, corpus: str) -> bool:
        """Whether the corpus has a folder."""
        return (self.root / corpus).is_dir()

    def listed(self, corpus: str) -> Sequence[str]:
        """Names of the folders with a manifest."""
        return [path.parent.name for path in (self.root / corpus).glob(f"v*/{layout.MANIFEST}")]

    def manifest(self, corpus: str, version: str) -> tuple[Manifest, float]:
        """Manifest of a version, and when it was written."""
        folder = self.root / corpus / version
        return layout.read_manifest(folder), (folder / layout.MANIFEST).stat().st_mtime

    def read(self, corpus: str, *name: str) -> str | None:
        """Content of a small file."""
        try:
            return self._path(corpus, *name).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    def write(self, content: str, corpus: str, *name: str) -> None:
        """Replace a small file, durably."""
        write_text(self._path(corpus, *name), content)

    def delete(self, corpus: str, *name: str) -> None:
        """Remove a small file."""
        self._path(corpus, *name).unlink(missing_ok=True)

    def address(self, corpus: str, *name: str) -> str:
        """Its path."""
        return str(self._path(corpus, *name))

    def _path(self, corpus: str, *name: str) -> Path:
        return (self.root / corpus).joinpath(*name)
