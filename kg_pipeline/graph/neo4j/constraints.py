"""Uniqueness in Neo4j: made, and found to hold, whatever an earlier statement that was ended half way left behind.

The server makes the index of a constraint first, lets go of its lock while it fills that, and makes the constraint last.
A statement that is ended in between leaves an index that nobody owns: it has the name of the constraint and keeps it from
being made, and nothing enforces that anything is unique. So the index says nothing; only a constraint counts.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_pipeline.errors import GraphError
from kg_pipeline.graph.neo4j import bounds

if TYPE_CHECKING:
    from neo4j import Driver

_POLL_SECONDS = 0.05
#: Others may make the same constraint, or be ended while they do; each try finds what the last one left.
_TRIES = 3
_OWNED = "Neo.DatabaseError.Schema.IndexDropFailed"
_DOUBLES = "Neo.DatabaseError.Schema.ConstraintCreationFailed"


@dataclass(frozen=True, slots=True)
class Unique:
    """No two nodes with a label have the same value of a property."""

    name: str
    label: str
    key: str

    @property
    def statement(self) -> str:
        """Cypher that makes it."""
        return (
            f"CREATE CONSTRAINT {self.name} IF NOT EXISTS FOR (n:{self.label}) REQUIRE n.{self.key} IS UNIQUE"
        )


def enforce(driver: Driver, database: str, wanted: Sequence[Unique]) -> None:
    """Make those constraints that are not there; safe to repeat and to run from several processes at once.

    Nodes that became doubles while nothing enforced uniqueness are removed but for the one with the most properties.

    Raises
    ------
    StoreUnavailable
        If somebody's open transaction held a constraint up for an hour.
    GraphError
        If the server refuses one.

    """
    from neo4j.exceptions import Neo4jError

    refusal = ""
    for _ in range(_TRIES):
        missing = [unique for unique in wanted if unique not in _made(driver, database, wanted)]
        if not missing:
            return
        for unique in missing:
            _drop_orphan(driver, database, unique)
            try:
                bounds.change(driver, database, unique.statement)
            except Neo4jError as error:
                refusal = f"{unique.name} on :{unique.label}({unique.key}): {error.message}"
                if error.code == _DOUBLES:
                    _remove_doubles(driver, database, unique)
    raise GraphError(
        f"Neo4j refuses the constraint {refusal.splitlines()[0].rstrip('.')}. "
        "Remove what stands in its way (SHOW INDEXES, SHOW CONSTRAINTS), then load the version again."
    )


def _made(driver: Driver, database: str, wanted: Sequence[Unique]) -> list[Unique]:
    """Constraints that are there, under whatever name."""
    records = driver.execute_query(
        "SHOW CONSTRAINTS YIELD type, labelsOrTypes, properties WHERE type = 'UNIQUENESS' "
        "RETURN labelsOrTypes[0] AS label, properties AS keys",
        database_=database,
    ).records
    made = {(record["label"], *record["keys"]) for record in records}
    return [unique for unique in wanted if (unique.label, unique.key) in made]


def _drop_orphan(driver: Driver, database: str, unique: Unique) -> None:
    """Drop the index that a constraint given up half way left; one that somebody is making now is waited for."""
    from neo4j.exceptions import Neo4jError

    deadline = time.monotonic() + bounds.SCHEMA_SECONDS
    while _is_unowned(driver, database, unique):
        if time.monotonic() < deadline and _is_being_made(driver, database, unique):
            time.sleep(_POLL_SECONDS)
            continue
        try:
            bounds.change(driver, database, f"DROP INDEX {unique.name} IF EXISTS")
        except Neo4jError as error:
            if error.code != _OWNED:  # the constraint was finished just now
                raise
        return


def _is_unowned(driver: Driver, database: str, unique: Unique) -> bool:
    statement = "SHOW INDEXES YIELD name, owningConstraint WHERE name = $name AND owningConstraint IS NULL"
    return bool(driver.execute_query(statement, {"name": unique.name}, database_=database).records)


def _is_being_made(driver: Driver, database: str, unique: Unique) -> bool:
    statement = "SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery = $statement"
    return bool(driver.execute_query(statement, {"statement": unique.statement}, database_=database).records)


def _remove_doubles(driver: Driver, database: str, unique: Unique) -> None:
    bounds.run(
        driver,
        database,
        f"MATCH (n:{unique.label}) WHERE n.{unique.key} IS NOT NULL "
        f"WITH n ORDER BY size(keys(n)) DESC, elementId(n) WITH n.{unique.key} AS key, collect(n) AS same "
        "UNWIND tail(same) AS double DETACH DELETE double",
    )
