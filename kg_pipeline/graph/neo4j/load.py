"""Load a version directory into Neo4j, switch the current version there, and remove versions.

One process loads a corpus at a time: a transaction that holds a write lock on the corpus's `Graph` node stays open
until the load ends (`kg_pipeline.graph.neo4j.lock`), and the same transaction moves the pointer, so the switch is atomic
and a loader that dies lets go of the lock. A load that was interrupted has left its version in the state `loading`; the next one removes what is
there and starts again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kg_pipeline.errors import GraphError
from kg_pipeline.graph import layout
from kg_pipeline.graph.neo4j.base import Base, find_base
from kg_pipeline.graph.neo4j.bounds import run
from kg_pipeline.graph.neo4j.client import VersionLabels, connected
from kg_pipeline.graph.neo4j.lock import locked
from kg_pipeline.graph.neo4j.rows import VersionRows
from kg_pipeline.graph.neo4j.schema import (
    NODE_KINDS,
    constrain_version,
    drop_version_schema,
    index_version,
    prepare_database,
)
from kg_pipeline.graph.neo4j.writer import Progress, VersionWriter
from kg_pipeline.graph.reader import Manifest
from kg_pipeline.graph.versions.verify import has_all_files
from kg_pipeline.settings import Neo4jSettings

if TYPE_CHECKING:
    from neo4j import Driver

_DELETE_NODES = 5_000
_DELETE_EDGES = 20_000
#: Labels of a node that one version has: its kind, and its kind in that version.
_OWN_LABELS = 2


def load_version(
    settings: Neo4jSettings, folder: Path, *, progress: Progress | None = None
) -> dict[str, int]:
    """Load the version and make it current; a version that is loaded already is only made current.

    Parameters
    ----------
    settings
        The server.
    folder
        A version directory.
    progress
        Called after each batch with what was loaded and how many so far.

    Returns
    -------
    dict
        Nodes and relationships that the database now holds of the version, counted there.

    Raises
    ------
    StoreUnavailable
        If the server cannot be reached, refuses the credentials, or somebody else holds the load up.
    GraphError
        If the directory is damaged, or the database ended up with other counts than the version has.

    """
    manifest = layout.read_manifest(folder)
    if not has_all_files(folder):
        raise GraphError(f"{folder} is not complete, so it is not loaded. Run: {layout.remade_by(folder)}")
    labels = VersionLabels(manifest.corpus, manifest.version)
    with connected(settings) as driver:
        prepare_database(driver, settings.database)
        loader = _Loader(driver, settings.database, labels, progress or (lambda what, count: None))
        with locked(driver, settings.database, labels.corpus) as lock:
            if loader.state() != "ready":
                loader.remove()
                loader.load(folder, manifest)
            lock.run(
                "MATCH (g:Graph {corpus: $corpus}) SET g.current = $version",
                corpus=labels.corpus,
                version=labels.version,
            )
        return loader.counts()


def loaded_versions(settings: Neo4jSettings, corpus: str) -> dict[str, str]:
    """State of each version of the corpus in the database: `loading`, `ready` or `current`; sorted by version."""
    with connected(settings) as driver:
        records = driver.execute_query(
            "MATCH (v:GraphVersion {corpus: $corpus}) OPTIONAL MATCH (g:Graph {corpus: $corpus, current: v.version}) "
            "RETURN v.version AS version, CASE WHEN g IS NULL THEN v.state ELSE 'current' END AS state ORDER BY version",
            corpus=corpus,
            database_=settings.database,
        ).records
    return {record["version"]: record["state"] for record in records}


def drop_version(settings: Neo4jSettings, corpus: str, version: str) -> None:
    """Remove a version with its indexes, in batches; one that is not there is no error.

    Raises
    ------
    StoreUnavailable
        If the server cannot be reached, refuses the credentials, or somebody else holds the removal up.
    GraphError
        If it is the current one.

    """
    labels = VersionLabels(corpus, version)
    with connected(settings) as driver:
        prepare_database(driver, settings.database)
        loader = _Loader(driver, settings.database, labels, lambda what, count: None)
        with locked(driver, settings.database, labels.corpus) as lock:
            record = lock.run(
                "MATCH (g:Graph {corpus: $corpus}) RETURN g.current AS current", corpus=corpus
            ).single()
            if record is not None and record["current"] == version:
                raise GraphError(
                    f"Version {version} of {corpus!r} is current in Neo4j. Load another one first."
                )
            loader.remove()


@dataclass(frozen=True, slots=True)
class _Loader:
    driver: Driver
    database: str
    labels: VersionLabels
    progress: Progress

    def state(self) -> str | None:
        """`loading`, `ready`, or None if the version was never begun."""
        records = self._query(
            "MATCH (v:GraphVersion {key: $key}) RETURN v.state AS state", key=self.labels.key
        )
        return records[0]["state"] if records else None

    def load(self, folder: Path, manifest: Manifest) -> None:
        """Constraints, then nodes, then relationships, then indexes of vectors and words; then the version is ready."""
        self._query(
            "MERGE (v:GraphVersion {key: $key}) SET v += $properties",
            key=self.labels.key,
            properties={
                "corpus": self.labels.corpus,
                "version": self.labels.version,
                "state": "loading",
                "manifest": manifest.model_dump_json(),
            },
        )
        base = self._base(folder)
        rows = VersionRows(folder, base)
        constrain_version(self.driver, self.database, self.labels, rows.relationship_types())
        VersionWriter(self.driver, self.database, self.labels, self.progress, base).write(rows)
        index_version(self.driver, self.database, self.labels)
        self._check({**manifest.counts, "has_entity": rows.n_has_entity})
        self._query("MATCH (v:GraphVersion {key: $key}) SET v.state = 'ready'", key=self.labels.key)

    def _base(self, folder: Path) -> Base | None:
        """The parent version, if most of this one is in it and it is loaded and whole."""
        base = find_base(folder)
        if base is None:
            return None
        parent = replace(self, labels=base.labels)
        expected = layout.read_manifest(folder.parent / base.labels.version).counts
        is_whole = all(expected[name] == count for name, count in parent._node_counts().items())
        return base if is_whole and parent.state() == "ready" else None

    def remove(self) -> None:
        """Delete whatever there is of the version; nodes that another version shares only lose its label."""
        records = self._query(
            "MATCH (v:GraphVersion {key: $key}) SET v.state = 'loading' RETURN v.key", key=self.labels.key
        )
        if not records:
            return
        for kind in NODE_KINDS:
            # Relationships first: one transaction that deletes a hub with all of them may not fit into memory.
            label = self.labels.of(kind)
            shared = f"MATCH (x:{label}) WHERE size(labels(x)) > {_OWN_LABELS} WITH x LIMIT $limit"
            self._delete(f"{shared} REMOVE x:{label}", _DELETE_NODES)
            for pattern in (f"(:{label})-[x]->()", f"(:{label})<-[x]-()"):
                self._delete(f"MATCH {pattern} WITH x LIMIT $limit DELETE x", _DELETE_EDGES)
            self._delete(f"MATCH (x:{label}) WITH x LIMIT $limit DETACH DELETE x", _DELETE_NODES)
        drop_version_schema(self.driver, self.database, self.labels)
        self._query("MATCH (v:GraphVersion {key: $key}) DELETE v", key=self.labels.key)

    def _delete(self, query: str, limit: int) -> None:
        while self._query(f"{query} RETURN count(*) AS n", limit=limit)[0]["n"]:
            pass

    def counts(self) -> dict[str, int]:
        """Nodes and relationships of the version, counted in the database."""
        found = self._node_counts()
        entity, chunk = self.labels.of("Entity"), self.labels.of("Chunk")
        found["relations"] = self._count(f"MATCH (:{entity})-[r]->(:{entity}) RETURN count(r) AS n")
        found["has_entity"] = self._count(
            f"MATCH (:{chunk})-[r:HAS_ENTITY]->(:{entity}) RETURN count(r) AS n"
        )
        return found

    def _node_counts(self) -> dict[str, int]:
        names = {"Document": "documents", "Chunk": "chunks", "Entity": "entities", "Evidence": "evidence"}
        return {
            name: self._count(f"MATCH (n:{self.labels.of(kind)}) RETURN count(n) AS n")
            for kind, name in names.items()
        }

    def _check(self, expected: Mapping[str, int]) -> None:
        wrong = {name: n for name, n in self.counts().items() if n != expected.get(name, n)}
        if wrong:
            told = ", ".join(f"{n} of {expected[name]} {name}" for name, n in wrong.items())
            raise GraphError(
                f"Neo4j holds {told} of version {self.labels.key} after the load. Load it again."
            )

    def _count(self, query: str) -> int:
        return int(self._query(query)[0]["n"])

    def _query(self, query: str, **parameters: Any) -> list[Any]:
        return run(self.driver, self.database, query, parameters)
