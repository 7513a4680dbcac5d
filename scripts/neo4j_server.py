"""Start or stop a local Neo4j server for development: `python scripts/neo4j_server.py start [FOLDER] [--password …]`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kg_pipeline.errors import KgError
from kg_pipeline.graph.neo4j import local_server


def main() -> int:
    """Run the command; 0 if it did what was asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=["start", "stop"])
    parser.add_argument("folder", nargs="?", type=Path, default=Path(".neo4j"))
    parser.add_argument(
        "--password", default="", help="of user neo4j, at least 8 characters; none: no authentication"
    )
    parser.add_argument("--heap", type=int, default=1024, help="Java heap in MB")
    options = parser.parse_args()
    folder = options.folder.absolute()
    try:
        if options.action == "stop":
            print("stopped" if local_server.stop(folder) else f"no server is running in {folder}")
            return 0
        server = local_server.start(folder, password=options.password, heap_megabytes=options.heap)
    except KgError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"export KG_NEO4J_URI={server.settings.uri} KG_NEO4J_PASSWORD={options.password}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
