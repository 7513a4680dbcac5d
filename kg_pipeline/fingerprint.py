"""Digests that decide what may be reused: of values, of files and of the code that made a dataset."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any


def digest(*values: Any) -> str:
    """SHA-256 (hex) of JSON-like values; equal values give equal digests in every process and on every machine."""
    canonical = json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def short_digest(*values: Any, length: int = 16) -> str:
    """First `length` hex digits of `digest`; 16 of them keep a billion ids apart."""
    return digest(*values)[:length]


def file_sha256(path: Path) -> str:
    """SHA-256 (hex) of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def unchanged_file_sha256(path: Path) -> str:
    """The same, read once a process as long as size and time of change stay; for large files that are asked for often."""
    status = path.stat()
    return _sha256_of(path, status.st_size, status.st_mtime_ns)


@cache
def _sha256_of(path: Path, _size: int, _changed: int) -> str:
    return file_sha256(path)


@cache
def _source_digest(module: str) -> str:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(module)
    origin = Path(spec.origin)
    if spec.submodule_search_locations is None:
        return file_sha256(origin)
    folder = origin.parent
    files = sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return digest([(path.relative_to(folder).as_posix(), file_sha256(path)) for path in files])


def code_digest(modules: Iterable[str], packages: Iterable[str] = ()) -> str:
    """Digest of the source of our `modules` (a package stands for all its files) and of the versions of `packages`.

    A stage names the modules whose behaviour decides its output, so that editing one of them recomputes the
    stage and nothing else.
    """
    return digest(
        [(module, _source_digest(module)) for module in sorted(modules)],
        [(name, importlib.metadata.version(name)) for name in sorted(packages)],
    )
