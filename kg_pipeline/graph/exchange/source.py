"""Read a version directory for export: entities, articles and relations with their evidence, in batches.

Tables are memory-mapped and read slice by slice, so memory does not grow with the graph. The licence policy is applied
here, once for all formats: a quote leaves the house only if its article's licence class is among those allowed;
evidence without its quote is still counted and its article still cited.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kg_pipeline.graph import layout
from kg_pipeline.graph.exchange.curies import article_curie
from kg_pipeline.graph.exchange.records import SOURCE_PREFIX, Article, Edge, Node, Support
from kg_pipeline.graph.reader import Manifest
from kg_pipeline.graph.snapshot.mentions import Rows
from kg_pipeline.schema import LICENSE_CLASSES

#: Licence classes whose sentences may be passed on; non-commercial ones under the same condition.
QUOTABLE = frozenset({"redistributable", "non_commercial"})
ANY_LICENSE = frozenset(LICENSE_CLASSES)
DEFAULT_SOURCE = "infores:kg-pipeline"

_SLICE = 4_096
_EVIDENCE = (
    "evidence_id",
    "article_id",
    "section_path",
    "start",
    "end",
    "quote",
    "head_text",
    "tail_text",
    "predicate_text",
    "extractor",
    "confidence",
)


class ExportSource:
    """A version, read for export."""

    def __init__(self, folder: Path, quotable: frozenset[str] = QUOTABLE) -> None:
        self.folder = folder
        self._quotable = quotable
        self.manifest: Manifest = layout.read_manifest(folder)

    def nodes(self) -> Iterator[Node]:
        """Entities, by id."""
        for row in self._rows("entities"):
            yield Node(
                row["entity_id"],
                row["name"],
                row["category"],
                tuple(row["aliases"]),
                row["n_mentions"],
                row["n_articles"],
            )

    def articles(self) -> Iterator[Article]:
        """Articles, by id, without their text."""
        names = [name for name in self._documents.column_names if name not in ("article_id", "text")]
        for row in self._rows("documents", ["article_id", *names]):
            yield Article(row["article_id"], {name: row[name] for name in names})

    def edges(self) -> Iterator[Edge]:
        """Relations, by id, each with the evidence that may be quoted."""
        relations = layout.open_table(self.folder, "relations")
        evidence = layout.open_table(self.folder, "evidence").select(list(_EVIDENCE))
        rows = Rows.open(self.folder, "relation_evidence")
        for start in range(0, len(relations), _SLICE):
            part = relations.slice(start, _SLICE).to_pylist()
            first, last = int(rows.indptr[start]), int(rows.indptr[start + len(part)])
            cited = evidence.take(pa.array(np.asarray(rows.other[first:last]))).to_pylist()
            for ordinal, row in enumerate(part, start):
                low, high = (int(rows.indptr[ordinal + n]) - first for n in (0, 1))
                yield self._edge(row, cited[low:high])

    def relation_ids(self) -> list[str]:
        """Ids of the relations, in the order of `edges`."""
        ids: list[str] = layout.open_table(self.folder, "relations").column("relation_id").to_pylist()
        return ids

    def _edge(self, row: dict[str, Any], cited: list[dict[str, Any]]) -> Edge:
        articles = sorted({item["article_id"] for item in cited})
        sources = [a.removeprefix(SOURCE_PREFIX) for a in articles if a.startswith(SOURCE_PREFIX)]
        return Edge(
            head_id=row["head_id"],
            predicate=row["predicate"],
            tail_id=row["tail_id"],
            relation_id=row["relation_id"],
            kind=row["kind"],
            negated=row["negated"],
            speculative=row["speculative"],
            confidence=row["confidence"],
            premises=tuple(row["premises"]),
            rule=row["rule"],
            source=sources[0] if sources else DEFAULT_SOURCE,
            publications=tuple(article_curie(a) for a in articles if not a.startswith(SOURCE_PREFIX)),
            supports=tuple(Support(**item) for item in cited if self.may_quote(item["article_id"])),
        )

    def may_quote(self, article_id: str) -> bool:
        """Whether the sentences of an article may be written."""
        # What a knowledge source says came in by an import: our wording of its edges, or sentences it passes on itself.
        return article_id.startswith(SOURCE_PREFIX) or self._license_of[article_id] in self._quotable

    @cached_property
    def _documents(self) -> pa.Table:
        return layout.open_table(self.folder, "documents")

    @cached_property
    def _license_of(self) -> dict[str, str]:
        columns = (self._documents.column(name).to_pylist() for name in ("article_id", "license_class"))
        return dict(zip(*columns, strict=True))

    @property
    def n_withheld(self) -> int:
        """Evidence rows whose quotes the licence policy holds back."""
        articles = pc.value_counts(
            layout.open_table(self.folder, "evidence").column("article_id")
        ).to_pylist()
        return sum(item["counts"] for item in articles if not self.may_quote(item["values"]))

    def _rows(self, name: str, columns: list[str] | None = None) -> Iterator[dict[str, Any]]:
        table = layout.open_table(self.folder, name)
        table = table if columns is None else table.select(columns)
        for start in range(0, len(table), _SLICE):
            yield from table.slice(start, _SLICE).to_pylist()
