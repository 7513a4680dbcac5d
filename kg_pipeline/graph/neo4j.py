"""Graph versions in a Neo4j server (5.23 or later): load them there, read them, remove them."""

from kg_pipeline.graph.neo4j_client import ping
from kg_pipeline.graph.neo4j_load import drop_version, load_version, loaded_versions
from kg_pipeline.graph.neo4j_reader import Neo4jReader, open_reader

__all__ = ["Neo4jReader", "drop_version", "load_version", "loaded_versions", "open_reader", "ping"]
