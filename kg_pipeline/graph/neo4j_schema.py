"""Constraints and indexes in Neo4j: those of the database, made once, and those of a version, dropped with it.

Every node has a stable label for people (`Entity`) and one of its version (`Entity__<corpus>__<version>`) that
queries use: a vector index cannot filter before it searches, so versions that shared one would crowd each other out.
Relations join nodes of one version only, and carry a key that is unique over all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_pipeline.graph.neo4j_client import VersionLabels
from kg_pipeline.schema import EMBEDDING_DIMENSIONS
from kg_pipeline.vocabulary.predicates import PREDICATES, relationship_type

if TYPE_CHECKING:
    from neo4j import Driver

#: Kinds of nodes a version has, in the order they are deleted: those without the most relationships first.
NODE_KINDS = ("Evidence", "Chunk", "Entity", "Document")
_AWAIT_SECONDS = 3600
_UNIQUE = (
    ("Document", "article_id"),
    ("Chunk", "chunk_id"),
    ("Chunk", "row"),
    ("Entity", "entity_id"),
    ("Entity", "row"),
    ("Evidence", "evidence_id"),
)


def prepare_database(driver: Driver, database: str) -> None:
    """Constraints that all versions share; safe to repeat and to run from several processes at once."""
    statements = [
        "CREATE CONSTRAINT graph_corpus IF NOT EXISTS FOR (g:Graph) REQUIRE g.corpus IS UNIQUE",
        "CREATE CONSTRAINT graph_version_key IF NOT EXISTS FOR (v:GraphVersion) REQUIRE v.key IS UNIQUE",
    ]
    for predicate in PREDICATES:
        kind = relationship_type(predicate)
        statements.append(
            f"CREATE CONSTRAINT relation_key_{predicate} IF NOT EXISTS FOR ()-[r:{kind}]-() REQUIRE r.key IS UNIQUE"
        )
    _run(driver, database, statements)


def prepare_version(driver: Driver, database: str, labels: VersionLabels) -> None:
    """What loading needs: a lookup for every id."""
    statements = [
        f"CREATE CONSTRAINT {labels.of(f'{kind}_{key}')} IF NOT EXISTS "
        f"FOR (n:{labels.of(kind)}) REQUIRE n.{key} IS UNIQUE"
        for kind, key in _UNIQUE
    ]
    evidence = labels.of("Evidence")
    statements.append(
        f"CREATE INDEX {labels.of('Evidence_relation_id')} IF NOT EXISTS FOR (n:{evidence}) ON (n.relation_id)"
    )
    _run(driver, database, statements)


def index_version(driver: Driver, database: str, labels: VersionLabels) -> None:
    """What reading needs besides: vectors and full text, built over the loaded nodes and waited for."""
    vectors = (
        "OPTIONS {indexConfig: {`vector.dimensions`: "
        f"{EMBEDDING_DIMENSIONS}, `vector.similarity_function`: 'cosine'}}}}"
    )
    chunk, entity = labels.of("Chunk"), labels.of("Entity")
    _run(
        driver,
        database,
        [
            f"CREATE VECTOR INDEX {labels.of('chunk_vector')} IF NOT EXISTS FOR (n:{chunk}) ON (n.embedding) {vectors}",
            f"CREATE VECTOR INDEX {labels.of('entity_vector')} IF NOT EXISTS FOR (n:{entity}) ON (n.embedding) {vectors}",
            _full_text(labels.of("chunk_text"), chunk, "n.text", "english"),
            _full_text(labels.of("entity_text"), entity, "n.name, n.aliases", "standard-no-stop-words"),
            _full_text(labels.of("entity_key"), entity, "n.name_keys", "keyword"),
            f"CALL db.awaitIndexes({_AWAIT_SECONDS})",
        ],
    )


def drop_version_schema(driver: Driver, database: str, labels: VersionLabels) -> None:
    """Drop the version's indexes and constraints; those that are not there are passed over."""
    constraints = [labels.of(f"{kind}_{key}") for kind, key in _UNIQUE]
    names = (
        "chunk_vector",
        "entity_vector",
        "chunk_text",
        "entity_text",
        "entity_key",
        "Evidence_relation_id",
    )
    _run(
        driver,
        database,
        [f"DROP INDEX {labels.of(name)} IF EXISTS" for name in names]
        + [f"DROP CONSTRAINT {name} IF EXISTS" for name in constraints],
    )


def _full_text(name: str, label: str, properties: str, analyzer: str) -> str:
    return (
        f"CREATE FULLTEXT INDEX {name} IF NOT EXISTS FOR (n:{label}) ON EACH [{properties}] "
        f"OPTIONS {{indexConfig: {{`fulltext.analyzer`: '{analyzer}'}}}}"
    )


def _run(driver: Driver, database: str, statements: list[str]) -> None:
    for statement in statements:
        driver.execute_query(statement, database_=database)
