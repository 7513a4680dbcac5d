"""The graph: versions on disk, the reader protocol over them, and the same in Neo4j."""
