"""Multi-hop passage retrieval on a MuSiQue sample: `python benchmarks/musique.py FOLDER [OUTPUT]`.

The same as `kg bench retrieval --data FOLDER`, for a checkout without the command installed.
"""

from __future__ import annotations

import sys
from pathlib import Path

from kg_pipeline.cli.bench.retrieval import bench_retrieval


def main(arguments: list[str]) -> None:
    """Run on the folder given, or on the default one."""
    folder = Path(arguments[0]) if arguments else None
    output = Path(arguments[1]) if len(arguments) > 1 else Path("bench-retrieval.json")
    bench_retrieval(folder, output)


if __name__ == "__main__":
    main(sys.argv[1:])
