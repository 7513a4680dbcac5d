"""Triples that a language model extracted from a benchmark's passages, in the file format of HippoRAG's outputs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg_pipeline.errors import BenchmarkFileError
from retrieval.evaluation.questions import passage_id
from retrieval.evaluation.triple_graph import Triple


@dataclass(frozen=True, slots=True)
class ExtractedTriples:
    """Triples by passage id, and how many were left out because they had not three parts."""

    by_passage: dict[str, tuple[Triple, ...]]
    malformed: int

    @property
    def total(self) -> int:
        """Triples of all passages."""
        return sum(len(triples) for triples in self.by_passage.values())


def read_triples(path: Path) -> ExtractedTriples:
    """HippoRAG's `openie_*.json`: `docs` with `title`, `text` and `extracted_triples`.

    Raises
    ------
    BenchmarkFileError
        If the file has another format.

    """
    found: dict[str, tuple[Triple, ...]] = {}
    malformed = 0
    try:
        for row in json.loads(path.read_text(encoding="utf-8"))["docs"]:
            rows: list[Any] = row["extracted_triples"]
            whole = [triple for triple in rows if isinstance(triple, list) and len(triple) == 3]
            malformed += len(rows) - len(whole)
            found[passage_id(row["title"], row["text"])] = tuple(
                (str(head), str(predicate), str(tail)) for head, predicate, tail in whole
            )
    except (KeyError, TypeError, ValueError) as error:
        raise BenchmarkFileError(
            f"{path} is not a file of extracted triples ({type(error).__name__}: {error})."
        ) from error
    return ExtractedTriples(found, malformed)
