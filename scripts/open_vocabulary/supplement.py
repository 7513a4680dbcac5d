"""Rows of our own: names that the sources lack, which of their concepts are one, and which names are another thing."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path


def supplement(path: Path) -> Iterator[dict[str, str]]:
    """Rows: name, synonyms (|), category, id (empty: found by name), parents (| names), same_as (|), apart_from (|).

    `apart_from` are concepts that list the names of the row although they are another thing: MeSH has `shRNA` under
    small interfering RNA.
    """
    with path.open(encoding="utf-8") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
