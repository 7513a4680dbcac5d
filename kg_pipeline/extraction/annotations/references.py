"""Which concepts of the open vocabulary an identifier of another source stands for."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import polars as pl

from kg_pipeline.fingerprint import file_sha256
from kg_pipeline.vocabulary.index.stack import OPEN_VOCABULARY

_TABLE = OPEN_VOCABULARY.with_name("open_xrefs.parquet")


def references_digest() -> str:
    """Digest of the table of cross-references."""
    return file_sha256(_TABLE)


class CrossReferences:
    """Concepts by identifier, for the identifiers that are asked for; every identifier stands for itself, too."""

    def __init__(self, identifiers: Iterable[str], table: Path = _TABLE) -> None:
        wanted = pl.DataFrame({"identifier": sorted(set(identifiers))}, schema={"identifier": pl.String})
        rows = pl.read_parquet(table).join(wanted, on="identifier", how="semi").sort("concept_id")
        self._concepts: dict[str, set[str]] = {}
        for identifier, concept_id in rows.select("identifier", "concept_id").iter_rows():
            self._concepts.setdefault(identifier, set()).add(concept_id)

    def concepts(self, identifiers: Iterable[str]) -> frozenset[str]:
        """All that they can stand for."""
        found = {each for identifier in identifiers for each in self._concepts.get(identifier, ())}
        return frozenset(found | set(identifiers))
