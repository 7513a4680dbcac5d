"""Graph versions in a Neo4j server (5.23 or later): load them there, read them, remove them."""

from __future__ import annotations

from kg_pipeline.errors import NoGraphError
from kg_pipeline.graph.neo4j.client import open_driver, ping, translated
from kg_pipeline.graph.neo4j.load import drop_version, load_version, loaded_versions
from kg_pipeline.graph.neo4j.reader import Neo4jReader
from kg_pipeline.graph.reader import Manifest
from kg_pipeline.settings import Neo4jSettings

__all__ = ["Neo4jReader", "drop_version", "load_version", "loaded_versions", "open_reader", "ping"]


def open_reader(settings: Neo4jSettings, corpus: str, version: str = "latest") -> Neo4jReader:
    """Open a version of the corpus; `latest` is the current one in the database, looked up once.

    Raises
    ------
    StoreUnavailable
        If the server cannot be reached or refuses the credentials.
    NoGraphError
        If the version is not loaded there.

    """
    import neo4j

    with translated(settings):
        driver = open_driver(settings)
        try:
            driver.verify_connectivity()  # fails at once, where a query would be repeated for a while
            records = driver.execute_query(
                "OPTIONAL MATCH (g:Graph {corpus: $corpus}) "
                "WITH CASE $version WHEN 'latest' THEN g.current ELSE $version END AS wanted "
                "MATCH (v:GraphVersion {corpus: $corpus, version: wanted, state: 'ready'}) RETURN v.manifest AS manifest",
                corpus=corpus,
                version=version,
                database_=settings.database,
                routing_=neo4j.RoutingControl.READ,  # a user who may only read is enough
            ).records
        except BaseException:
            driver.close()
            raise
    if not records:
        driver.close()
        raise NoGraphError(
            f"Neo4j at {settings.uri} holds no version {version!r} of corpus {corpus!r}. "
            f"Load it with KG_NEO4J_URI set: kg build {corpus}, or kg import {corpus} FILES where it was imported."
        )
    return Neo4jReader(driver, settings, Manifest.model_validate_json(records[0]["manifest"]))
