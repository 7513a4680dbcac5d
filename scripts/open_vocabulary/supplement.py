"""Rows of our own: names that the sources lack, and which of their concepts are one."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path


def supplement(path: Path) -> Iterator[dict[str, str]]:
    """Rows: name, synonyms (|), category, id (empty: found by name), parents (| names), same_as (|)."""
    with path.open(encoding="utf-8") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
