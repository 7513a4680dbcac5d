"""Files in the Rich Release Format of the UMLS: fields end in a bar, no heading, no quoting, UTF-8.

Columns are taken from MRFILES.RRF, since they differ between releases (UMLS Reference Manual, chapter 3.3.1). A file is
looked at before it is read, so that one that is cut off or of another release says so and gives no half vocabulary. Files
may be packed by gzip, as MetamorphoSys offers.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from kg_pipeline.errors import ModelError

_FILES = "MRFILES.RRF"
_REST = "rest of the line"
#: Longer first lines are none of a release, whose longest fields are definitions.
_MOST_CHARACTERS = 1_000_000
_AGAIN = "Unpack the release again, or let MetamorphoSys write it again."


@dataclass(frozen=True, slots=True)
class Release:
    """A folder of RRF files and the columns of each, in order."""

    folder: Path
    columns: dict[str, list[str]]

    def has(self, name: str) -> bool:
        """Whether the release lists that file and it is there."""
        return name in self.columns and self._path(name) is not None

    def scan(self, name: str, needed: Sequence[str]) -> pl.LazyFrame:
        """The needed columns of a file as a stream of text.

        Raises
        ------
        ModelError
            If the file is missing or cut off, lacks a column, or has other columns than MRFILES.RRF says.

        """
        path = self._path(name)
        if name not in self.columns or path is None:
            raise ModelError(
                f"{self.folder / name} is missing. Let MetamorphoSys write {name} into the release, then build again."
            )
        columns = self.columns[name]
        absent = [column for column in needed if column not in columns]
        if absent:
            raise ModelError(
                f"{self.folder / _FILES} lists no column {absent[0]} of {name}. Let MetamorphoSys write all columns."
            )
        _look_at(path, len(columns))
        return pl.scan_csv(
            path,
            separator="|",
            has_header=False,
            quote_char=None,
            schema=dict.fromkeys([*columns, _REST], pl.String),
            empty_string_is_null=False,
        ).select(needed)

    def _path(self, name: str) -> Path | None:
        plain = self.folder / name
        return next((path for path in (plain, plain.with_name(f"{name}.gz")) if path.is_file()), None)


def open_release(folder: Path) -> Release:
    """The release in a META folder, with the columns that its MRFILES.RRF lists.

    Raises
    ------
    ModelError
        If MRFILES.RRF is missing or holds something else.

    """
    path = folder / _FILES
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise ModelError(
            f"{path} is missing. Give the META folder of a UMLS release, with its RRF files."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{path} cannot be read ({error}). {_AGAIN}") from None
    rows = [line.split("|") for line in lines if line]
    if not rows or any(len(row) < 3 for row in rows):
        raise ModelError(f"{path} is no RRF file: a line has fewer than three fields. {_AGAIN}")
    columns = {row[0].rpartition("/")[2]: row[2].split(",") for row in rows}
    for name, listed in columns.items():
        if len(set(listed)) != len(listed):
            raise ModelError(f"{path} lists a column of {name} twice. {_AGAIN}")
    return Release(folder, columns)


def _look_at(path: Path, columns: int) -> None:
    """Refuse a file whose first line has another number of fields, or whose last line is cut off."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            first = file.readline(_MOST_CHARACTERS)
        last = first if path.suffix == ".gz" else _last_line(path)
    except (OSError, EOFError, zlib.error) as error:
        raise ModelError(f"{path} cannot be read ({error}). {_AGAIN}") from None
    if first and first.count(b"|") != columns:
        raise ModelError(
            f"{path} has {first.count(b'|')} fields a line, and {_FILES} lists {columns}: they are not of one release. {_AGAIN}"
        )
    if last.count(b"|") != first.count(b"|"):
        raise ModelError(f"{path} is cut off: its last line has {last.count(b'|')} fields. {_AGAIN}")


def _last_line(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _MOST_CHARACTERS))
        return file.read().rstrip(b"\r\n").rpartition(b"\n")[2]
