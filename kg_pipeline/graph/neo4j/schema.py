"""Constraints and indexes in Neo4j: those of the database, made once, and those of a version, dropped with it.

Every node has a stable label for people (`Entity`) and one of its version (`Entity__<corpus>__<version>`) that
queries use: a vector index cannot filter before it searches, so versions that shared one would crowd each other out.
Relations join nodes of one version only and are told apart by them. Documents, chunks and evidence that did not change
have the labels of several versions; a chunk's HAS_ENTITY then leads to the entities of each.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from kg_pipeline.errors import GraphError
from kg_pipeline.graph.neo4j import bounds
from kg_pipeline.graph.neo4j.client import VersionLabels
from kg_pipeline.graph.neo4j.constraints import Unique, enforce
from kg_pipeline.schema import EMBEDDING_DIMENSIONS

if TYPE_CHECKING:
    from neo4j import Driver

#: Kinds of nodes a version has, in the order they are deleted: those without the most relationships first.
NODE_KINDS = ("Evidence", "Chunk", "Entity", "Document")
_POLL_SECONDS = 0.05
#: Of a node in the graph of a vector index, and those looked at while it is built.
_NEIGHBOURS = 12
_CANDIDATES = 64
_MADE_MEANWHILE = {
    f"Neo.ClientError.Schema.{what}AlreadyExists"
    for what in ("EquivalentSchemaRule", "Index", "IndexWithName")
}
_SHARED = (Unique("graph_corpus", "Graph", "corpus"), Unique("graph_version_key", "GraphVersion", "key"))
_UNIQUE = (
    ("Document", "article_id"),
    ("Chunk", "chunk_id"),
    ("Entity", "entity_id"),
    ("Entity", "row"),
    ("Evidence", "evidence_id"),
)


def prepare_database(driver: Driver, database: str) -> None:
    """Constraints that all versions share; safe to repeat and to run from several processes at once."""
    enforce(driver, database, _SHARED)


def constrain_version(
    driver: Driver, database: str, labels: VersionLabels, relationship_types: Iterable[str]
) -> None:
    """Unique ids of the version's nodes and indexes of the ids it is joined by, made before it is written.

    Nothing is there yet to be looked through, and no id can be written twice. Ids of relations are indexed by relationship
    type, which versions share.

    Raises
    ------
    StoreUnavailable
        If somebody's open transaction held an index up for an hour.
    GraphError
        If an index cannot be built, or is not after an hour.

    """
    unique = [Unique(labels.of(f"{kind}_{key}"), labels.of(kind), key) for kind, key in _UNIQUE]
    enforce(driver, database, unique)
    evidence = labels.of("Evidence_relation_id")
    statements = {
        evidence: f"CREATE INDEX {evidence} IF NOT EXISTS FOR (n:{labels.of('Evidence')}) ON (n.relation_id)"
    }
    for kind in relationship_types:
        name = f"relation_id_{kind.lower()}"
        statements[name] = f"CREATE INDEX {name} IF NOT EXISTS FOR ()-[n:{kind}]-() ON (n.relation_id)"
    _create(driver, database, statements)
    _await_online(driver, database, sorted([*statements, *(each.name for each in unique)]))


def index_version(driver: Driver, database: str, labels: VersionLabels) -> None:
    """Indexes of vectors and of words, built over the loaded version and waited for.

    Kept up to date batch by batch they would be merged over and over, and cost several times more.

    Raises
    ------
    StoreUnavailable
        If somebody's open transaction held an index up for an hour.
    GraphError
        If an index cannot be built, or is not after an hour.

    """
    # A leaner graph than the server's own (16 and 100) takes 55 % of its processor time, and a reader that asks for more
    # candidates finds as many of the nearest; quantised vectors are no cheaper to index.
    vectors = (
        f"OPTIONS {{indexConfig: {{`vector.dimensions`: {EMBEDDING_DIMENSIONS}, "
        "`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false, "
        f"`vector.hnsw.m`: {_NEIGHBOURS}, `vector.hnsw.ef_construction`: {_CANDIDATES}}}}}"
    )
    chunk, entity = labels.of("Chunk"), labels.of("Entity")
    statements = {
        name: f"CREATE VECTOR INDEX {name} IF NOT EXISTS FOR (n:{label}) ON (n.embedding) {vectors}"
        for name, label in ((labels.of("chunk_vector"), chunk), (labels.of("entity_vector"), entity))
    }
    for name, label, properties, analyzer in (
        (labels.of("chunk_text"), chunk, "n.text", "english"),
        (labels.of("entity_text"), entity, "n.name, n.aliases", "standard-no-stop-words"),
        (labels.of("entity_key"), entity, "n.name_keys", "keyword"),
    ):
        statements[name] = (
            f"CREATE FULLTEXT INDEX {name} IF NOT EXISTS FOR (n:{label}) ON EACH [{properties}] "
            f"OPTIONS {{indexConfig: {{`fulltext.analyzer`: '{analyzer}'}}}}"
        )
    _create(driver, database, statements)
    _await_online(driver, database, sorted(statements))


def drop_version_schema(driver: Driver, database: str, labels: VersionLabels) -> None:
    """Drop the version's indexes and constraints; those that are not there are passed over."""
    names = (
        "chunk_vector",
        "entity_vector",
        "chunk_text",
        "entity_text",
        "entity_key",
        "Evidence_relation_id",
    )
    for name in names:
        bounds.change(driver, database, f"DROP INDEX {labels.of(name)} IF EXISTS")
    for kind, key in _UNIQUE:
        name = labels.of(f"{kind}_{key}")
        bounds.change(driver, database, f"DROP CONSTRAINT {name} IF EXISTS")
        # A constraint that was given up while it was made leaves its index, which nobody owns and nobody fills.
        bounds.change(driver, database, f"DROP INDEX {name} IF EXISTS")


def _create(driver: Driver, database: str, statements: Mapping[str, str]) -> None:
    """Make the indexes that are not there.

    `IF NOT EXISTS` looks before it takes the lock, so that it fails after all where another loader came between.
    """
    from neo4j.exceptions import ClientError

    records = driver.execute_query(
        "SHOW INDEXES YIELD name RETURN collect(name) AS names", database_=database
    ).records
    for name in sorted(statements.keys() - set(records[0]["names"])):
        try:
            bounds.change(driver, database, statements[name])
        except ClientError as error:
            if error.code not in _MADE_MEANWHILE:
                raise


def _await_online(driver: Driver, database: str, names: list[str]) -> None:
    """Wait for these indexes only, asking in short transactions.

    `db.awaitIndexes` waits for everybody's, fails over one that somebody else broke, and locks the labels it looked at
    until it ends: a constraint that another loader is making then waits for it, and it for the constraint.
    """
    deadline = time.monotonic() + bounds.SCHEMA_SECONDS
    while True:
        states = driver.execute_query(
            "SHOW INDEXES YIELD name, state WHERE name IN $names AND state <> 'ONLINE' "
            "RETURN name, state ORDER BY name",
            names=names,
            database_=database,
        ).records
        failed = [record["name"] for record in states if record["state"] == "FAILED"]
        if failed:
            raise GraphError(
                f"Neo4j could not build its index {failed[0]}. Its log says why; load the version again afterwards."
            )
        if not states:
            return
        if time.monotonic() > deadline:
            raise GraphError(
                f"Neo4j has not finished its index {states[0]['name']} after {bounds.SCHEMA_SECONDS:.0f} s. "
                "See what holds the server up, then load the version again."
            )
        time.sleep(_POLL_SECONDS)
