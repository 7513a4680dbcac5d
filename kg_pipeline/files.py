"""Files that are either whole or absent: written aside, flushed to disk, renamed."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TEMPORARY_PREFIX = ".tmp-"


def temporary_sibling(path: Path) -> Path:
    """A fresh name in the same folder; its prefix tells sweepers that it is unfinished."""
    return path.with_name(f"{TEMPORARY_PREFIX}{os.getpid()}-{secrets.token_hex(4)}-{path.name}")


def sync(path: Path) -> None:
    """Flush a file or folder to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path; when the block ends well, it takes the place of `path` in one step.

    When the block raises, the temporary file is removed and `path` is as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = temporary_sibling(path)
    try:
        yield aside
        sync(aside)
        aside.replace(path)
        sync(path.parent)
    finally:
        aside.unlink(missing_ok=True)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a whole file atomically."""
    with replacing(path) as aside:
        aside.write_bytes(content)


def write_text(path: Path, content: str) -> None:
    """Write a whole UTF-8 file atomically."""
    write_bytes(path, content.encode())
