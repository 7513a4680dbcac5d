"""The versions of each corpus on disk, and the pointer to the one that readers open.

Readers never wait for writers: a version appears whole, by a rename, and the pointer moves by replacing a file. A
version that a reader has open stays readable after it was collected, since its files stay mapped.

With an object store, versions and pointers are there, and the disk holds copies of the versions that this machine made
or opened.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kg_pipeline.errors import CorruptGraphError, GraphError, NoGraphError
from kg_pipeline.files import GRACE_SECONDS, remove_leftovers, sync, temporary_sibling
from kg_pipeline.graph import layout
from kg_pipeline.graph.reader import Manifest
from kg_pipeline.graph.versions.places import OwnDisk, Place

if TYPE_CHECKING:
    from kg_pipeline.graph.snapshot.reader import SnapshotReader
    from kg_pipeline.graph.versions.shared import SharedVersions
    from kg_pipeline.settings import Settings

LATEST = "latest"
#: Versions that the message about a missing one names.
_LISTED = 3
_VERSION = re.compile(r"v[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class VersionInfo:
    """A version; `created` is the time of its manifest file (seconds since 1970), for display only."""

    version: str
    created: float
    is_current: bool
    is_pinned: bool
    manifest: Manifest


@dataclass(frozen=True, slots=True)
class VersionStore:
    """All graph versions under one folder; with `shared` those of an object store, whose copies are in the folder."""

    root: Path
    shared: SharedVersions | None = None

    @classmethod
    def of(cls, settings: Settings) -> VersionStore:
        """The versions that the settings name."""
        if not settings.store:
            return cls(settings.graphs)
        from kg_pipeline.graph.versions.shared import SharedVersions
        from kg_pipeline.object_store import open_store

        store = open_store(settings.store)
        return cls(settings.graphs, SharedVersions(store) if store is not None else None)

    def corpora(self) -> Sequence[str]:
        """Names of the corpora that have, or had, a version, in order."""
        return self._place.corpora()

    def knows(self, corpus: str) -> bool:
        """Whether the corpus has, or had, a version."""
        return self._place.knows(corpus)

    def current(self, corpus: str) -> str | None:
        """The published version, or None before the first."""
        return self._named(corpus, layout.CURRENT)

    def is_imported(self, corpus: str) -> bool:
        """Whether the current version is another tool's graph; false where there is none, or it cannot be read."""
        try:
            current = self.current(corpus)
            return current is not None and layout.is_imported(self._place.manifest(corpus, current)[0])
        except (GraphError, FileNotFoundError):
            return False

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
        for version in filter(_VERSION.fullmatch, self._place.listed(corpus)):
            try:
                manifest, created = self._place.manifest(corpus, version)
            except (GraphError, FileNotFoundError):
                continue  # damaged, which `open` and `verify` tell, or collected just now
            pinned = self._place.read(corpus, layout.PINS, version) is not None
            found.append(VersionInfo(version, created, version == current, pinned, manifest))
        return sorted(found, key=lambda info: (info.created, info.version))

    def resolve(self, corpus: str, version: str = LATEST) -> str:
        """The id that `version` means: itself, or the current one for `latest`; it is on this machine then.

        Raises
        ------
        NoGraphError
            If nothing is published yet, or there is no such version.

        """
        wanted = self.current(corpus) if version == LATEST else version
        if wanted is None:
            raise NoGraphError(
                f"Corpus {corpus!r} has no graph yet in {self.root}. Run: kg build {corpus}, "
                "or set KG_HOME to the workspace that has it."
            )
        if not self._is_here(self.folder(corpus, wanted)):
            if version == LATEST and self.current(corpus) != wanted:
                return self.resolve(corpus, version)  # it was replaced and collected meanwhile
            there = [info.version for info in self.versions(corpus)[-_LISTED:]]
            newest = f"The newest: {', '.join(there)}. " if there else ""
            raise NoGraphError(
                f"Corpus {corpus!r} has no version {wanted} (collected, or never finished). "
                f"{newest}`kg versions {corpus}` lists those there are."
            )
        return wanted

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
        self._point(corpus, layout.CURRENT, version)

    def propose(self, corpus: str, version: str) -> None:
        """Name a version that verified as the next to be published.

        Raises
        ------
        NoGraphError
            If there is no such version.

        """
        self._point(corpus, layout.PROPOSED, version)

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
        return folder if self._is_here(folder) else None

    def open(self, corpus: str, version: str = LATEST) -> SnapshotReader:
        """Open a version for reading; it stays that version whatever is published later.

        Raises
        ------
        NoGraphError
            If nothing is published yet, or there is no such version.
        CorruptGraphError
            If its files cannot be read.

        """
        from kg_pipeline.graph.snapshot.reader import SnapshotReader

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
        self._place.write("", corpus, layout.PINS, self.resolve(corpus, version))

    def unpin(self, corpus: str, version: str) -> None:
        """Let a version be collected again."""
        self._place.delete(corpus, layout.PINS, self.folder(corpus, version).name)

    def gc(self, corpus: str, *, keep: int = 2) -> list[str]:
        """Remove all versions but the current and the proposed one, pinned ones and the `keep` newest; those removed, sorted."""
        self.sweep(corpus)
        listed = self.versions(corpus)
        kept = {info.version for info in listed[len(listed) - min(keep, len(listed)) :]}
        kept |= {self._named(corpus, layout.PROPOSED) or ""}
        gone = sorted(v.version for v in listed if not (v.is_current or v.is_pinned or v.version in kept))
        for version in gone:
            if self.shared is not None:
                self.shared.remove(corpus, version)
            if self.folder(corpus, version).is_dir():
                self.discard(corpus, version)
        return gone

    def discard(self, corpus: str, version: str) -> None:
        """Remove a version that is not current from this disk: renamed first, so that nobody can open half of it.

        Raises
        ------
        GraphError
            If it is the current version and whole.

        """
        folder = self.folder(corpus, version)
        from kg_pipeline.graph.versions.verify import is_intact

        if version == self.current(corpus) and is_intact(folder):
            raise GraphError(
                f"Version {version} of {corpus!r} is current and cannot be removed. Publish another one first."
            )
        aside = temporary_sibling(folder)
        folder.rename(aside)
        sync(folder.parent)
        shutil.rmtree(aside, ignore_errors=True)

    def sweep(self, corpus: str, *, grace_seconds: float = GRACE_SECONDS) -> None:
        """Remove what killed processes left behind."""
        remove_leftovers(self.root / corpus, grace_seconds)

    def _named(self, corpus: str, pointer: str) -> str | None:
        address = self._place.address(corpus, pointer)
        try:
            named = (self._place.read(corpus, pointer) or "").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise CorruptGraphError(
                f"{address} cannot be read ({error}). Delete it, then run: kg build {corpus}"
            ) from error
        if named and not _VERSION.fullmatch(named):
            raise CorruptGraphError(
                f"{address} names no graph version. Delete it, then run: kg build {corpus}"
            )
        return named or None

    def _point(self, corpus: str, pointer: str, version: str) -> None:
        """Let a pointer name a version, which is sent first where versions are shared."""
        named = self.resolve(corpus, version)
        if self.shared is not None:
            self.shared.send(self.folder(corpus, named))
        self._place.write(named + "\n", corpus, pointer)

    def _is_here(self, folder: Path) -> bool:
        """Whether the version is on this machine, fetched if need be."""
        if (folder / layout.MANIFEST).is_file():
            return True
        return self.shared is not None and self.shared.fetch(folder)

    @property
    def _place(self) -> Place:
        return self.shared or OwnDisk(self.root)
