"""The versions of each corpus on disk, and the pointer to the one that readers open.

Readers never wait for writers: a version appears whole, by a rename, and the pointer moves by replacing a file. A
version that a reader has open stays readable after it was collected, since its files stay mapped.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kg_pipeline.errors import CorruptGraphError, GraphError, NoGraphError
from kg_pipeline.files import TEMPORARY_PREFIX, sync, temporary_sibling, write_text
from kg_pipeline.graph import layout
from kg_pipeline.graph.reader import Manifest

if TYPE_CHECKING:
    from kg_pipeline.graph.snapshot import SnapshotReader

LATEST = "latest"
_VERSION = re.compile(r"v[0-9a-f]{12}")
#: A directory of a dead process is left alone this long after its last write: the process may only be invisible
#: from here, in another container that shares the folder.
_GRACE_SECONDS = 60.0
#: A directory that seems to belong to a living process is removed after a day: process ids are used again.
_STALE_SECONDS = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class VersionInfo:
    """A version on disk; `created` is the time of its manifest file (seconds since 1970), for display only."""

    version: str
    created: float
    is_current: bool
    is_pinned: bool
    manifest: Manifest


@dataclass(frozen=True, slots=True)
class VersionStore:
    """All graph versions under one folder."""

    root: Path

    def current(self, corpus: str) -> str | None:
        """The published version, or None before the first."""
        return self._named(corpus, layout.CURRENT)

    def folder(self, corpus: str, version: str) -> Path:
        """Where a version lies, whether or not it exists.

        Raises
        ------
        GraphError
            If the text is no version id.

        """
        if not _VERSION.fullmatch(version):
            raise GraphError(
                f"{version!r} is not a graph version; one looks like v0123456789ab. List them: kg versions {corpus}"
            )
        return self.root / corpus / version

    def versions(self, corpus: str) -> list[VersionInfo]:
        """Every version whose manifest can be read, the oldest first."""
        current = self.current(corpus)
        found = []
        for path in (self.root / corpus).glob(f"v*/{layout.MANIFEST}"):
            version = path.parent.name
            try:
                manifest, created = layout.read_manifest(path.parent), path.stat().st_mtime
            except (GraphError, FileNotFoundError):
                continue  # damaged, which `open` and `verify` tell, or collected just now
            if _VERSION.fullmatch(version):
                pinned = self._pin(corpus, version).exists()
                found.append(VersionInfo(version, created, version == current, pinned, manifest))
        return sorted(found, key=lambda info: (info.created, info.version))

    def resolve(self, corpus: str, version: str = LATEST) -> str:
        """The id that `version` means: itself, or the current one for `latest`.

        Raises
        ------
        NoGraphError
            If nothing is published yet, or there is no such version.

        """
        if version == LATEST:
            current = self.current(corpus)
            if current is None:
                raise NoGraphError(f"Corpus {corpus!r} has no graph yet. Run: kg build {corpus}")
            version = current
        if not (self.folder(corpus, version) / layout.MANIFEST).is_file():
            raise NoGraphError(
                f"Corpus {corpus!r} has no version {version} (collected, or never finished). `kg versions {corpus}` lists those there are."
            )
        return version

    def made_before(self, corpus: str, moment: float) -> str | None:
        """The newest version made before a moment (seconds since 1970), or None if there is none."""
        earlier = [info.version for info in self.versions(corpus) if info.created < moment]
        return earlier[-1] if earlier else None

    def publish(self, corpus: str, version: str) -> None:
        """Make a complete version the one that readers open.

        Raises
        ------
        NoGraphError
            If there is no such version.

        """
        write_text(self.root / corpus / layout.CURRENT, self.resolve(corpus, version) + "\n")

    def propose(self, corpus: str, version: str) -> None:
        """Name a version that verified as the next to be published.

        Raises
        ------
        NoGraphError
            If there is no such version.

        """
        write_text(self.root / corpus / layout.PROPOSED, self.resolve(corpus, version) + "\n")

    def publish_proposed(self, corpus: str) -> str:
        """Publish the version that was last proposed; its id.

        Raises
        ------
        NoGraphError
            If none was proposed, or it is gone.

        """
        version = self._named(corpus, layout.PROPOSED)
        if version is None:
            raise NoGraphError(
                f"Corpus {corpus!r} has no version that verified, so there is nothing to publish. Run: kg build {corpus}"
            )
        self.publish(corpus, version)
        return version

    def parent_folder(self, manifest: Manifest) -> Path | None:
        """Where the version lies that was current when this one was made, or None if there was none or it is gone."""
        if manifest.parent is None:
            return None
        folder = self.folder(manifest.corpus, manifest.parent)
        return folder if (folder / layout.MANIFEST).is_file() else None

    def open(self, corpus: str, version: str = LATEST) -> SnapshotReader:
        """Open a version for reading; it stays that version whatever is published later.

        Raises
        ------
        NoGraphError
            If nothing is published yet, or there is no such version.
        CorruptGraphError
            If its files cannot be read.

        """
        from kg_pipeline.graph.snapshot import SnapshotReader

        while True:
            folder = self.folder(corpus, self.resolve(corpus, version))
            try:
                return SnapshotReader(folder)
            except (NoGraphError, CorruptGraphError):
                if (folder / layout.MANIFEST).is_file():
                    raise
                # It was collected meanwhile: `resolve` says so, or names the version that is current now.

    def pin(self, corpus: str, version: str) -> None:
        """Keep a version from being collected."""
        write_text(self._pin(corpus, self.resolve(corpus, version)), "")

    def unpin(self, corpus: str, version: str) -> None:
        """Let a version be collected again."""
        self._pin(corpus, version).unlink(missing_ok=True)

    def gc(self, corpus: str, *, keep: int = 2) -> list[str]:
        """Remove all versions but the current and the proposed one, pinned ones and the `keep` newest; those removed, sorted."""
        self.sweep(corpus)
        listed = self.versions(corpus)
        kept = {info.version for info in listed[len(listed) - min(keep, len(listed)) :]}
        kept |= {self._named(corpus, layout.PROPOSED) or ""}
        gone = sorted(v.version for v in listed if not (v.is_current or v.is_pinned or v.version in kept))
        for version in gone:
            self.discard(corpus, version)
        return gone

    def discard(self, corpus: str, version: str) -> None:
        """Remove a version that is not current: renamed first, so that nobody can open half of it.

        Raises
        ------
        GraphError
            If it is the current version and whole.

        """
        folder = self.folder(corpus, version)
        from kg_pipeline.graph.verify import is_intact

        if version == self.current(corpus) and is_intact(folder):
            raise GraphError(
                f"Version {version} of {corpus!r} is current and cannot be removed. Publish another one first."
            )
        aside = temporary_sibling(folder)
        folder.rename(aside)
        sync(folder.parent)
        shutil.rmtree(aside, ignore_errors=True)

    def sweep(self, corpus: str, *, grace_seconds: float = _GRACE_SECONDS) -> None:
        """Remove what killed processes left behind."""
        for path in (self.root / corpus).glob(f"{TEMPORARY_PREFIX}*"):
            if _is_abandoned(path, grace_seconds):
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)

    def _named(self, corpus: str, pointer: str) -> str | None:
        path = self.root / corpus / pointer
        try:
            named = path.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise CorruptGraphError(
                f"{path} cannot be read ({error}). Delete it, then run: kg build {corpus}"
            ) from error
        if named and not _VERSION.fullmatch(named):
            raise CorruptGraphError(f"{path} names no graph version. Delete it, then run: kg build {corpus}")
        return named or None

    def _pin(self, corpus: str, version: str) -> Path:
        return self.root / corpus / layout.PINS / version


def _is_abandoned(path: Path, grace_seconds: float) -> bool:
    pid = path.name.removeprefix(TEMPORARY_PREFIX).partition("-")[0]
    try:
        last_write = max(item.stat().st_mtime for item in (path, *path.rglob("*")))
    except FileNotFoundError:
        return False  # its owner is just finishing
    age = time.time() - last_write
    if pid.isdigit():
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            return age > grace_seconds
        except PermissionError:
            pass
    return age > _STALE_SECONDS
