"""Connect to a Neo4j server, and turn the driver's errors into one clear sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_pipeline.errors import GraphError, StoreUnavailable
from kg_pipeline.settings import Neo4jSettings

if TYPE_CHECKING:
    from neo4j import Driver

_CORPUS = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_VERSION = re.compile(r"v[0-9a-f]{12}")
_CONNECT_SECONDS = 10.0
#: How long the driver repeats a transaction after a deadlock or a lost connection.
_RETRY_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class VersionLabels:
    """Labels and index names of one version; built from checked parts only, since they become part of query text."""

    corpus: str
    version: str

    def __post_init__(self) -> None:
        if not _CORPUS.fullmatch(self.corpus) or not _VERSION.fullmatch(self.version):
            raise GraphError(f"Corpus {self.corpus!r}, version {self.version!r} cannot be labels in Neo4j.")

    @property
    def key(self) -> str:
        """Identity of the version in the database."""
        return f"{self.corpus}/{self.version}"

    def of(self, kind: str) -> str:
        """Label of the version's nodes of a kind, for example `Entity__lupus__v0123456789ab`."""
        return f"{kind}__{self.corpus.replace('-', '_')}__{self.version}"


@contextmanager
def translated(settings: Neo4jSettings) -> Iterator[None]:
    """Raise StoreUnavailable where the server cannot be reached or refuses us, GraphError where it refuses a query."""
    from neo4j import exceptions

    where = f"Neo4j at {settings.uri}"
    try:
        yield
    except exceptions.AuthError as error:
        raise StoreUnavailable(
            f"{where} refuses the credentials of user {settings.user!r}. Check KG_NEO4J_USER and KG_NEO4J_PASSWORD."
        ) from error
    except (exceptions.ServiceUnavailable, exceptions.SessionExpired, OSError) as error:
        raise StoreUnavailable(
            f"{where} cannot be reached ({_first_line(error)}). Start it, or check KG_NEO4J_URI."
        ) from error
    except (exceptions.ConfigurationError, ValueError) as error:
        raise StoreUnavailable(
            f"{where} cannot be used ({_first_line(error)}). Check KG_NEO4J_URI."
        ) from error
    except exceptions.Neo4jError as error:
        if "DatabaseNotFound" in (error.code or ""):
            raise StoreUnavailable(
                f"{where} has no database {settings.database!r}. Check KG_NEO4J_DATABASE."
            ) from error
        raise GraphError(f"{where} failed: {_first_line(error)}. Load the version again.") from error


def open_driver(settings: Neo4jSettings) -> Driver:
    """A driver for the server; nothing is sent yet."""
    import neo4j

    password = settings.password.get_secret_value()
    return neo4j.GraphDatabase.driver(
        settings.uri,
        auth=(settings.user, password) if password else None,
        connection_timeout=_CONNECT_SECONDS,
        connection_acquisition_timeout=_RETRY_SECONDS,
        max_transaction_retry_time=_RETRY_SECONDS,
        notifications_min_severity="OFF",
        user_agent="kg-pipeline",
    )


@contextmanager
def connected(settings: Neo4jSettings) -> Iterator[Driver]:
    """A driver that has reached the server.

    Raises
    ------
    StoreUnavailable
        If the server cannot be reached or refuses the credentials.

    """
    with translated(settings), open_driver(settings) as driver:
        driver.verify_connectivity()
        yield driver


def ping(settings: Neo4jSettings) -> str:
    """Product and version of the server, for example `Neo4j/5.26.9 at bolt://localhost:7687`.

    Raises
    ------
    StoreUnavailable
        If the server cannot be reached or refuses the credentials.

    """
    with connected(settings) as driver:
        return f"{driver.get_server_info().agent} at {settings.uri}"


def _first_line(error: Exception) -> str:
    text = str(getattr(error, "message", None) or error).strip() or type(error).__name__
    return text.splitlines()[0].rstrip(".")
