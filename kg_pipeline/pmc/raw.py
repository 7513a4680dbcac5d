"""Raw articles by content: one zstd file each, named by the SHA-256 of the XML, shared by all corpora.

Content of a name never changes, so machines that share an object store need no copies to compare.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import zstandard

from kg_pipeline import files
from kg_pipeline.errors import DatasetError
from kg_pipeline.object_store import ObjectStore, open_store
from kg_pipeline.pmc.jats.xml import MAX_BYTES

if TYPE_CHECKING:
    from kg_pipeline.settings import Settings

_LEVEL = 6
_HEAD = 18  # bytes, the longest head of a frame


@dataclass(frozen=True, slots=True)
class ArticleStore:
    """Write once, read many; safe for concurrent writers, because equal content is an equal file.

    With a `store` the files are there, under the same names in `raw/`, and none in the folder.
    """

    root: Path
    store: ObjectStore | None = None

    @classmethod
    def of(cls, settings: Settings) -> ArticleStore:
        """The articles that the settings name."""
        return cls(settings.raw, open_store(settings.store))

    def path(self, sha256: str) -> Path:
        """Where content of that digest lies on this machine, whether or not it is there."""
        return self.root / _name(sha256)

    def has(self, sha256: str) -> bool:
        """Whether the content is there."""
        return self.path(sha256).is_file() if self.store is None else self.store.has(_key(sha256))

    def size(self, sha256: str) -> int | None:
        """Bytes of the content when it is unpacked, from the head of its file; None if it is not there."""
        try:
            size = zstandard.frame_content_size(self._packed(sha256, at_most=_HEAD))
        except (FileNotFoundError, zstandard.ZstdError):
            return None
        return size if size >= 0 else None

    def put(self, data: bytes) -> str:
        """Keep the bytes and return their SHA-256; nothing is written if they are there already."""
        sha256 = hashlib.sha256(data).hexdigest()
        if self.has(sha256):
            return sha256
        packed = zstandard.compress(data, _LEVEL)
        if self.store is None:
            files.write_bytes(self.path(sha256), packed)
        else:
            self.store.write(_key(sha256), packed)
        return sha256

    def get(self, sha256: str) -> bytes:
        """The bytes of that digest, verified.

        Raises
        ------
        DatasetError
            If the content is absent, or is not what its name promises.

        """
        path = self.path(sha256) if self.store is None else f"{self.store.address}/{_key(sha256)}"
        try:
            data = zstandard.decompress(self._packed(sha256), max_output_size=MAX_BYTES)
        except FileNotFoundError:
            raise DatasetError(
                f"The raw article {path} is missing. Build the corpus again to fetch it."
            ) from None
        except (OSError, zstandard.ZstdError) as error:
            raise DatasetError(
                f"The raw article {path} cannot be read ({error}). Delete it and build again."
            ) from error
        if hashlib.sha256(data).hexdigest() != sha256:
            raise DatasetError(f"The raw article {path} is damaged. Delete it and build again.")
        return data

    def sweep(self, grace_seconds: float = files.GRACE_SECONDS) -> None:
        """Remove the files that killed processes left unfinished on this machine's disk."""
        for folder in self.root.glob("[0-9a-f][0-9a-f]"):
            files.remove_leftovers(folder, grace_seconds)

    def discard(self, sha256: str) -> None:
        """Remove content that turned out to be damaged."""
        if self.store is None:
            self.path(sha256).unlink(missing_ok=True)
        else:
            self.store.delete(_key(sha256))

    def _packed(self, sha256: str, at_most: int = -1) -> bytes:
        if self.store is not None:
            return self.store.read(_key(sha256), at_most)
        with self.path(sha256).open("rb") as stream:
            return stream.read(at_most)


def _name(sha256: str) -> str:
    return f"{sha256[:2]}/{sha256}.xml.zst"


def _key(sha256: str) -> str:
    return f"raw/{_name(sha256)}"
