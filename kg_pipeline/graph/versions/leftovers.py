"""What killed processes left in the folder of a corpus' versions."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

from kg_pipeline.files import TEMPORARY_PREFIX

#: A directory of a dead process is left alone this long after its last write: the process may only be invisible
#: from here, in another container that shares the folder.
GRACE_SECONDS = 60.0
#: A directory that seems to belong to a living process is removed after a day: process ids are used again.
_STALE_SECONDS = 24 * 3600.0


def remove_leftovers(folder: Path, grace_seconds: float) -> None:
    """Remove unfinished versions and files of processes that are gone, `grace_seconds` after their last write."""
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
