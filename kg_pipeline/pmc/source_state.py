"""Whether the files of a source changed since they were last looked at, without reading any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kg_pipeline.fingerprint import short_digest

#: A file that changed this short a time ago (seconds) may still be growing.
SETTLING_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class SourceState:
    """Digest of the names, sizes and times of a source's files, and when the youngest was written (Unix seconds)."""

    digest: str
    files: int
    youngest: float

    def is_settled(self, now: float) -> bool:
        """Whether nothing was written lately, so that no file is read while it is being copied."""
        return now - self.youngest >= SETTLING_SECONDS


def source_state(path: Path) -> SourceState:
    """State of a folder or archive; one that is not there has no files.

    Hidden files do not count: copying programs write under such names before they rename.
    """
    found = [path] if path.is_file() else sorted(file for file in path.rglob("*") if _counts(file, path))
    stats = []
    for file in found:
        try:
            stat = file.stat()
        except FileNotFoundError:  # removed between the listing and now
            continue
        stats.append((file.relative_to(path).as_posix(), stat.st_size, stat.st_mtime_ns))
    youngest = max((mtime for _, _, mtime in stats), default=0) / 1e9
    return SourceState(short_digest(stats), len(stats), youngest)


def changed_sources(
    sources: Mapping[str, Path], seen: Mapping[str, str], now: float
) -> tuple[dict[str, str], list[str]]:
    """Digests of the sources that are not as `seen`, and the names of those that still change at `now`."""
    changed, growing = {}, []
    for name, path in sources.items():
        state = source_state(path)
        if state.digest == seen.get(name):
            continue
        if state.is_settled(now):
            changed[name] = state.digest
        else:
            growing.append(name)
    return changed, growing


def _counts(file: Path, root: Path) -> bool:
    return file.is_file() and not any(part.startswith(".") for part in file.relative_to(root).parts)
