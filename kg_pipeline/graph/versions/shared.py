"""Graph versions in an object store, where one machine publishes them and any other finds them.

They lie there under the names that they have in a workspace (`kg_pipeline.graph.layout`), below `graphs/`. A version's
manifest is written last and removed first, so that a version without it is none; its files never change. What is
fetched is checked against the manifest's checksums before it takes its place among this machine's copies.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from kg_pipeline.errors import CorruptGraphError
from kg_pipeline.files import GRACE_SECONDS, remove_leftovers, sync, temporary_sibling
from kg_pipeline.graph import layout
from kg_pipeline.graph.reader import Manifest
from kg_pipeline.object_store import ObjectStore

_FOLDER = "graphs"
#: Files that are sent or fetched at the same time.
_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class SharedVersions:
    """The versions of all corpora in one store: a `kg_pipeline.graph.versions.places.Place` that also sends and fetches them."""

    store: ObjectStore

    def has(self, corpus: str, version: str) -> bool:
        """Whether the version is there, whole."""
        return self.store.has(_key(corpus, version, layout.MANIFEST))

    def corpora(self) -> Sequence[str]:
        """Names of the corpora that have, or had, a version, in order."""
        return self.store.folders(_FOLDER)

    def knows(self, corpus: str) -> bool:
        """Whether the corpus has, or had, a version."""
        return bool(self.listed(corpus))

    def listed(self, corpus: str) -> Sequence[str]:
        """Names of the folders that may hold a version."""
        return self.store.folders(_key(corpus))

    def manifest(self, corpus: str, version: str) -> tuple[Manifest, float]:
        """The version's manifest, and when it was sent (seconds since 1970).

        Raises
        ------
        FileNotFoundError
            If there is no such version, or not all of it.
        CorruptGraphError
            If the manifest cannot be read, is that of another version, or names files outside of it.

        """
        key = _key(corpus, version, layout.MANIFEST)
        content = self.store.read(key)
        state = self.store.state(key)
        try:
            manifest = Manifest.model_validate_json(content)
        except ValidationError as error:
            raise self._damaged(corpus, version, str(error).splitlines()[0]) from error
        if (manifest.corpus, manifest.version) != (corpus, version):
            raise self._damaged(corpus, version, f"it is that of {manifest.corpus} {manifest.version}")
        if not all(_is_within(name) for name in manifest.files):
            raise self._damaged(corpus, version, "it names files outside of the version")
        return manifest, state[1] / 1e9 if state is not None else 0.0

    def send(self, folder: Path) -> None:
        """Put a complete version there, unless it is; `folder` is its directory, `<corpus>/<version>`."""
        corpus, version = folder.parent.name, folder.name
        if self.has(corpus, version):
            return
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            for _ in threads.map(
                lambda item: self.store.send(item[1], _key(corpus, version, item[0])),
                layout.version_files(folder),
            ):
                pass
        self.store.send(folder / layout.MANIFEST, _key(corpus, version, layout.MANIFEST))

    def fetch(self, folder: Path) -> bool:
        """Make this machine's copy of a version, whole or not at all; false if the version is not there (any more).

        Raises
        ------
        CorruptGraphError
            If what is there is not what its manifest says.

        """
        from kg_pipeline.graph.versions.verify import is_intact

        corpus, version = folder.parent.name, folder.name
        remove_leftovers(folder.parent, GRACE_SECONDS)
        with _aside(folder) as copy:
            try:
                names = [*self.manifest(corpus, version)[0].files, layout.MANIFEST]
                with ThreadPoolExecutor(_AT_ONCE) as threads:
                    for _ in threads.map(
                        lambda name: self.store.download(_key(corpus, version, name), copy / name), names
                    ):
                        pass
            except FileNotFoundError:
                if not self.has(corpus, version):
                    return False
                raise self._damaged(corpus, version, "files of the version are missing") from None
            if not is_intact(copy):
                raise self._damaged(corpus, version, "files differ from their checksums")
            for path in sorted(copy.rglob("*")):
                sync(path)
            if folder.is_dir() and not (folder / layout.MANIFEST).is_file():
                folder.rename(copy.parent / "damaged")  # a copy that lost its manifest is none
            try:
                copy.rename(folder)
            except OSError:
                if not (folder / layout.MANIFEST).is_file():
                    raise  # else another process fetched it first
            sync(folder.parent)
        return True

    def remove(self, corpus: str, version: str) -> None:
        """Remove a version, its manifest first, so that nobody takes what is left for a version."""
        names = self.store.walk(_key(corpus, version))
        for name in sorted(names, key=lambda name: (name != layout.MANIFEST, name)):
            self.store.delete(_key(corpus, version, name))

    def read(self, corpus: str, *name: str) -> str | None:
        """Content of a small file, or None if there is none."""
        try:
            return self.store.read(_key(corpus, *name)).decode()
        except FileNotFoundError:
            return None

    def write(self, content: str, corpus: str, *name: str) -> None:
        """Replace a small file in one step."""
        self.store.write(_key(corpus, *name), content.encode())

    def delete(self, corpus: str, *name: str) -> None:
        """Remove a small file, if there is one."""
        self.store.delete(_key(corpus, *name))

    def address(self, corpus: str, *name: str) -> str:
        """Address of a file of the corpus, for messages."""
        return f"{self.store.address}/{_key(corpus, *name)}"

    def _damaged(self, corpus: str, version: str, why: str) -> CorruptGraphError:
        return CorruptGraphError(
            f"Version {version} of {corpus!r} in {self.store.address} is damaged ({why}). "
            f"Delete {self.address(corpus, version, layout.MANIFEST)}, then run: kg build {corpus}"
        )


@contextmanager
def _aside(folder: Path) -> Iterator[Path]:
    """A place to make the copy, of the same name, that is gone when the block ends."""
    aside = temporary_sibling(folder)
    copy = aside / folder.name
    copy.mkdir(parents=True)
    try:
        yield copy
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _is_within(name: str) -> bool:
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts and "\\" not in name


def _key(corpus: str, *name: str) -> str:
    return "/".join((_FOLDER, corpus, *name))
