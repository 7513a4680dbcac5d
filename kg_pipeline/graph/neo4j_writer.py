"""Write the rows of a version into Neo4j: nodes with what they belong to, then vectors, then relationships.

Three things make it fast. Nodes are found by the id that the server gave them, not through an index; indexes and
constraints are made when everything is there; and two batches are written at a time, while the next are prepared.
The package `neo4j-rust-ext`, where it is installed, packs the rows several times faster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from threading import Event
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa

from kg_pipeline.graph.neo4j_client import VersionLabels
from kg_pipeline.graph.neo4j_rows import Edges, Nodes, Ordinals, VersionRows

if TYPE_CHECKING:
    from neo4j import Driver, ManagedTransaction

_NODE_BATCH = 5_000
_EDGE_BATCH = 10_000
_VECTOR_BATCH = 1_000

Progress = Callable[[str, int], None]
#: The server's ids of nodes, by ordinal.
ElementIds: TypeAlias = pa.Array
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class VersionWriter:
    """Writes one version, which must have nothing in the database yet."""

    driver: Driver
    database: str
    labels: VersionLabels
    progress: Progress
    _stopped: Event = field(default_factory=Event)

    def write(self, rows: VersionRows) -> None:
        """Write all nodes and relationships of the version."""
        documents = self._nodes("Document", rows.documents(_NODE_BATCH))
        chunks = self._nodes("Chunk", rows.chunks(_NODE_BATCH), "PART_OF", documents)
        entities = self._nodes("Entity", rows.entities(_NODE_BATCH))
        # Two at a time, of which one locks chunks and the other entities, so that they never wait for each other.
        self._both(
            lambda: self._vectors("Chunk", chunks, rows.vectors("chunk", _VECTOR_BATCH)),
            lambda: self._vectors("Entity", entities, rows.vectors("entity", _VECTOR_BATCH)),
        )
        self._both(
            lambda: self._nodes("Evidence", rows.evidence(_NODE_BATCH), "QUOTED_IN", chunks),
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
        self, kind: str, batches: Iterator[Nodes], belongs: str = "", parents: ElementIds | None = None
    ) -> ElementIds:
        """Create nodes, each with a relationship to its parent if there are any; the ids the server gave them."""

        def prepared() -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
            for batch in batches:
                columns = [batch.ordinals.tolist(), *batch.columns.values()]
                find, link = "", ""
                if parents is not None and batch.parents is not None:
                    columns.append(_ids(parents, batch.parents))
                    find = f"MATCH (p) WHERE elementId(p) = row[{len(columns) - 1}] "
                    link = f"-[:{belongs}]->(p)"
                query = (
                    f"UNWIND $rows AS row {find}CREATE (n:{kind}:{self.labels.of(kind)} "
                    f"{{{_properties(batch.columns, 1)}}}){link} RETURN row[0] AS ordinal, elementId(n) AS id"
                )
                yield query, list(zip(*columns, strict=True))

        made: list[tuple[int, str]] = []
        for found in self._run(kind, prepared()):
            made += found
        made.sort()
        return pa.array([id_ for _, id_ in made], pa.string())

    def _vectors(
        self, kind: str, ids: ElementIds, batches: Iterator[tuple[Ordinals, list[list[float]]]]
    ) -> None:
        query = (
            "UNWIND $rows AS row MATCH (n) WHERE elementId(n) = row[0] "
            "CALL db.create.setNodeVectorProperty(n, 'embedding', row[1])"
        )
        prepared = (
            (query, list(zip(_ids(ids, ordinals), vectors, strict=True))) for ordinals, vectors in batches
        )
        for _ in self._run(f"{kind} vectors", prepared):
            pass

    def _edges(self, what: str, tails: ElementIds, heads: ElementIds, batches: Iterator[Edges]) -> None:
        def prepared() -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
            for batch in batches:
                query = (
                    "UNWIND $rows AS row MATCH (a) WHERE elementId(a) = row[0] "
                    "MATCH (b) WHERE elementId(b) = row[1] "
                    f"CREATE (a)-[:{batch.kind} {{{_properties(batch.columns, 2)}}}]->(b)"
                )
                ends = (_ids(tails, batch.tails), _ids(heads, batch.heads))
                yield query, list(zip(*ends, *batch.columns.values(), strict=True))

        for _ in self._run(what, prepared()):
            pass

    def _run(
        self, what: str, batches: Iterator[tuple[str, list[tuple[Any, ...]]]]
    ) -> Iterator[list[tuple[int, str]]]:
        """One managed transaction a batch: the driver repeats it, with back-off, after a deadlock or a lost leader."""
        with self.driver.session(database=self.database) as session:
            for query, rows in _ahead(batches):
                if self._stopped.is_set():
                    return
                yield session.execute_write(_results, query, rows)
                self.progress(what, len(rows))


def _properties(names: Iterable[str], first: int) -> str:
    """Map literal of our own column names and the places of their values in a row; a null makes no property."""
    return ", ".join(f"{name}: row[{place}]" for place, name in enumerate(names, first))


def _ids(ids: ElementIds, ordinals: Ordinals) -> list[str]:
    found: list[str] = ids.take(pa.array(np.asarray(ordinals, np.int64))).to_pylist()
    return found


def _results(
    transaction: ManagedTransaction, query: str, rows: Sequence[tuple[Any, ...]]
) -> list[tuple[int, str]]:
    return [tuple(record.values()) for record in transaction.run(query, rows=rows)]


def _ahead(items: Iterator[Item]) -> Iterator[Item]:
    """The same items, the next one made in another thread while the caller works on this one."""
    end = object()
    with ThreadPoolExecutor(max_workers=1) as pool:
        coming = pool.submit(next, items, end)
        while (item := coming.result()) is not end:
            coming = pool.submit(next, items, end)
            yield item  # type: ignore[misc]  # anything but `end` came from the iterator
