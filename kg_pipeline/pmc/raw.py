"""Raw articles by content: one zstd file each, named by the SHA-256 of the XML, shared by all corpora."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import zstandard

from kg_pipeline import files
from kg_pipeline.errors import DatasetError
from kg_pipeline.pmc.xml import MAX_BYTES

_LEVEL = 6
_HEAD = 18  # bytes, the longest head of a frame


@dataclass(frozen=True, slots=True)
class ArticleStore:
    """Write once, read many; safe for concurrent writers, because equal content is an equal file."""

    root: Path

    def path(self, sha256: str) -> Path:
        """Where content of that digest lies, whether or not it is there."""
        return self.root / sha256[:2] / f"{sha256}.xml.zst"

    def has(self, sha256: str) -> bool:
        """Whether the content is there."""
        return self.path(sha256).is_file()

    def size(self, sha256: str) -> int | None:
        """Bytes of the content when it is unpacked, from the head of its file; None if it is not there."""
        try:
            with self.path(sha256).open("rb") as stream:
                size = zstandard.frame_content_size(stream.read(_HEAD))
        except (FileNotFoundError, zstandard.ZstdError):
            return None
        return size if size >= 0 else None

    def put(self, data: bytes) -> str:
        """Keep the bytes and return their SHA-256; nothing is written if they are there already."""
        sha256 = hashlib.sha256(data).hexdigest()
        if not self.has(sha256):
            files.write_bytes(self.path(sha256), zstandard.compress(data, _LEVEL))
        return sha256

    def get(self, sha256: str) -> bytes:
        """The bytes of that digest, verified.

        Raises
        ------
        DatasetError
            If the content is absent, or is not what its name promises.

        """
        path = self.path(sha256)
        try:
            data = zstandard.decompress(path.read_bytes(), max_output_size=MAX_BYTES)
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
