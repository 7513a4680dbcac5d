"""Data files of wheels, read without importing what they belong to."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Wheel:
    """Data files of a wheel, found by the end of their path."""

    def __init__(self, folder: Path, prefix: str) -> None:
        self.archive = zipfile.ZipFile(next(iter(sorted(folder.glob(f"{prefix}-*.whl")))))

    def bytes(self, suffix: str) -> bytes:
        """Content of the first file whose path ends so."""
        name = next(n for n in self.archive.namelist() if n.endswith(suffix))
        return self.archive.read(name)

    def text(self, suffix: str) -> str:
        """Content of the first file whose path ends so, as text."""
        return self.bytes(suffix).decode()

    def rows(self, suffix: str, delimiter: str = "\t") -> Iterator[list[str]]:
        """Rows of a table."""
        lines = io.StringIO(self.text(suffix))
        if delimiter == ",":
            yield from csv.reader(lines)
        else:
            yield from csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)

    def json(self, suffix: str) -> list[dict[str, Any]]:
        """Terms of an ontology."""
        terms: list[dict[str, Any]] = json.loads(self.text(suffix))
        return terms
