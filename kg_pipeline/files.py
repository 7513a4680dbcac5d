"""Files that are either whole or absent: written aside and renamed.

`replacing` survives a killed process; `replacing_durably` flushes to disk as well and survives a power cut. Stage
tables use the first: there are many, a flush costs milliseconds each, and a table that a power cut damaged is
made again.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TEMPORARY_PREFIX = ".tmp-"
#: What a dead process left is left alone this long after its last write: the process may only be invisible from here,
#: in another container that shares the folder.
GRACE_SECONDS = 60.0
#: What seems to belong to a living process is removed after a day: process ids are used again.
_STALE_SECONDS = 24 * 3600.0
_NEXT_TO_NOTHING = 4_000_000
#: How libraries say it that give no error number; the last is NumPy's `tofile`, which leaves it out.
_TOLD_FULL = re.compile(r"No space left on device|disk is full|^\d+ requested and \d+ written$")


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
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


@contextmanager
def replacing_durably(path: Path) -> Iterator[Path]:
    """Like `replacing`, with content and name flushed to disk before the block's caller goes on."""
    with replacing(path) as aside:
        yield aside
        sync(aside)
    sync(path.parent)


def is_disk_full(error: BaseException | None, folder: Path) -> bool:
    """Whether an error means that the disk of `folder` is full.

    Libraries written in C++ and Rust report it as an error of their own, so the free space counts too.
    """
    while error is not None:
        if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}:
            return True
        if _TOLD_FULL.search(str(error)):
            return True
        error = error.__cause__ or error.__context__
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    usage = shutil.disk_usage(existing)
    return usage.total > 0 and usage.free < _NEXT_TO_NOTHING


def write_bytes(path: Path, content: bytes) -> None:
    """Write a whole file, durably."""
    with replacing_durably(path) as aside:
        aside.write_bytes(content)


def write_text(path: Path, content: str) -> None:
    """Write a whole UTF-8 file, durably."""
    write_bytes(path, content.encode())


def remove_leftovers(folder: Path, grace_seconds: float) -> None:
    """Remove unfinished files and folders of processes that are gone, `grace_seconds` after their last write."""
    for path in folder.glob(f"{TEMPORARY_PREFIX}*"):
        if _is_abandoned(path, grace_seconds):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


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
