"""Write the rows of a version into Neo4j: nodes with what they belong to, then vectors, then relationships.

Four things make it fast. A batch is one text (`kg_pipeline.graph.neo4j.text`); nodes are found by the id that the server
gave them, not through an index; indexes of vectors and words are made when everything is there; and two batches are written
at a time, while the next are prepared. What a version shares with its parent is not written again
(`kg_pipeline.graph.neo4j.base`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from itertools import chain
from threading import Event
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import polars as pl

from kg_pipeline.graph.neo4j.base import Base
from kg_pipeline.graph.neo4j.bounds import run
from kg_pipeline.graph.neo4j.client import VersionLabels
from kg_pipeline.graph.neo4j.rows import NULLABLE, Edges, Nodes, Ordinals, VersionRows
from kg_pipeline.graph.neo4j.text import UNROLL, Encoded, encode, expressions

if TYPE_CHECKING:
    from neo4j import Driver

_NODE_BATCH = 5_000
_EDGE_BATCH = 10_000
_VECTOR_BATCH = 1_000
_RETURN_IDS = "RETURN collect(toInteger(f[0])) AS rows, collect(elementId(n)) AS ids"

Progress = Callable[[str, int], None]
Item = TypeVar("Item")
#: A query and its batch.
_Statement = tuple[str, Encoded]


@dataclass(frozen=True, slots=True)
class VersionWriter:
    """Writes one version, which must have nothing in the database yet."""

    driver: Driver
    database: str
    labels: VersionLabels
    progress: Progress
    base: Base | None = None
    _stopped: Event = field(default_factory=Event)

    def write(self, rows: VersionRows) -> None:
        """Write all nodes and relationships of the version; with a base, what it shares with that is only labelled."""
        documents = self._nodes(
            "Document", rows.documents(_NODE_BATCH), taken=rows.taken("documents", _EDGE_BATCH)
        )
        chunks = self._nodes(
            "Chunk", rows.chunks(_NODE_BATCH), "PART_OF", documents, taken=rows.taken("chunks", _EDGE_BATCH)
        )
        entities = self._nodes("Entity", rows.entities(_NODE_BATCH))
        for _ in self._run("Evidence", self._adoptions("Evidence", rows.taken("evidence", _EDGE_BATCH))):
            pass
        # Two at a time, of which one locks chunks and the other entities, so that they never wait for each other.
        self._both(
            lambda: self._vectors("Chunk", chunks, rows.vectors("chunk", _VECTOR_BATCH)),
            lambda: self._vectors("Entity", entities, rows.vectors("entity", _VECTOR_BATCH)),
        )
        self._both(
            lambda: self._leaves("Evidence", rows.evidence(_NODE_BATCH), "QUOTED_IN", chunks),
            lambda: self._edges("relations", entities, entities, rows.relations(_EDGE_BATCH)),
        )
        self._edges("HAS_ENTITY", chunks, entities, rows.has_entity(_EDGE_BATCH))

    def _both(self, first: Callable[[], object], second: Callable[[], object]) -> None:
        """Run two tasks at a time; when one fails, or the user interrupts, the other ends after its batch."""
        with ThreadPoolExecutor(max_workers=2) as pool:
            try:
                for task in as_completed([pool.submit(first), pool.submit(second)]):
                    task.result()
            except BaseException:
                self._stopped.set()
                raise

    def _nodes(
        self,
        kind: str,
        batches: Iterator[Nodes],
        belongs: str = "",
        parents: pl.Series | None = None,
        taken: Iterable[pl.DataFrame] = (),
    ) -> pl.Series:
        """Create nodes, each with a relationship to its parent if there are any; the ids the server gave them."""
        rows: list[int] = []
        ids: list[str] = []
        created = self._creations(kind, batches, belongs, parents, _RETURN_IDS)
        for found in self._run(kind, chain(self._adoptions(kind, taken), created)):
            rows += found[0]
            ids += found[1]
        return pl.Series("id", ids, pl.String).gather(np.argsort(rows))

    def _adoptions(self, kind: str, taken: Iterable[pl.DataFrame]) -> Iterator[_Statement]:
        """Give nodes of the base the label of this version too."""
        if self.base is not None:
            for frame in taken:
                found = f"MATCH (n:{self.base.labels.of(kind)} {{{frame.columns[1]}: f[1]}})"
                yield f"{UNROLL}{found} SET n:{self.labels.of(kind)} {_RETURN_IDS}", encode(frame)

    def _leaves(self, kind: str, batches: Iterator[Nodes], belongs: str, parents: pl.Series) -> None:
        """Create nodes that nothing else refers to."""
        for _ in self._run(kind, self._creations(kind, batches, belongs, parents)):
            pass

    def _creations(
        self,
        kind: str,
        batches: Iterator[Nodes],
        belongs: str,
        parents: pl.Series | None,
        returned: str = "",
    ) -> Iterator[_Statement]:
        for batch in batches:
            frame, find, link = batch.frame, "", ""
            values = expressions(frame.schema, NULLABLE)
            if parents is not None and batch.parents is not None:
                find = f"MATCH (p) WHERE elementId(p) = f[{frame.width}] "
                link = f"-[:{belongs}]->(p)"
                frame = frame.with_columns(_ids(parents, batch.parents).alias("parent"))
            # Row numbers order entities and stay with a version; other nodes may be shared by several.
            stored = {name: value for name, value in values.items() if name != "row" or kind == "Entity"}
            node = f"(n:{kind}:{self.labels.of(kind)} {{{_map(stored)}}})"
            yield f"{UNROLL}{find}CREATE {node}{link} {returned}", encode(frame)

    def _vectors(self, kind: str, ids: pl.Series, batches: Iterator[tuple[Ordinals, pl.DataFrame]]) -> None:
        def prepared() -> Iterator[_Statement]:
            for ordinals, vectors in batches:
                frame = pl.DataFrame([_ids(ids, ordinals), vectors["vector"]])
                vector = expressions(frame.schema, ())["vector"]
                query = (
                    f"{UNROLL}MATCH (n) WHERE elementId(n) = f[0] "
                    f"CALL db.create.setNodeVectorProperty(n, 'embedding', {vector})"
                )
                yield query, encode(frame)

        for _ in self._run(f"{kind} vectors", prepared()):
            pass

    def _edges(self, what: str, tails: pl.Series, heads: pl.Series, batches: Iterator[Edges]) -> None:
        def prepared() -> Iterator[_Statement]:
            for batch in batches:
                width = batch.frame.width
                query = (
                    f"{UNROLL}MATCH (a) WHERE elementId(a) = f[{width}] "
                    f"MATCH (b) WHERE elementId(b) = f[{width + 1}] "
                    f"CREATE (a)-[:{batch.kind} {{{_map(expressions(batch.frame.schema, NULLABLE))}}}]->(b)"
                )
                ends = (_ids(tails, batch.tails).alias("tail"), _ids(heads, batch.heads).alias("head"))
                yield query, encode(batch.frame.with_columns(*ends))

        for _ in self._run(what, prepared()):
            pass

    def _run(self, what: str, batches: Iterator[_Statement]) -> Iterator[tuple[list[int], list[str]]]:
        """One managed transaction a batch: the driver repeats it, with back-off, after a deadlock or a lost leader."""
        for query, batch in _ahead(batches):
            if self._stopped.is_set():
                return
            records = run(self.driver, self.database, query, batch.parameters)
            yield (records[0]["rows"], records[0]["ids"]) if records else ([], [])
            self.progress(what, batch.n_rows)


def _map(values: Mapping[str, str]) -> str:
    """Map literal of our own column names and their values in a row; a null makes no property."""
    return ", ".join(f"{name}: {value}" for name, value in values.items())


def _ids(ids: pl.Series, ordinals: Ordinals) -> pl.Series:
    return ids.gather(np.asarray(ordinals, np.int64))


def _ahead(items: Iterator[Item]) -> Iterator[Item]:
    """The same items, the next one made in another thread while the caller works on this one."""
    end = object()
    with ThreadPoolExecutor(max_workers=1) as pool:
        coming = pool.submit(next, items, end)
        while (item := coming.result()) is not end:
            coming = pool.submit(next, items, end)
            yield item  # type: ignore[misc]  # anything but `end` came from the iterator
