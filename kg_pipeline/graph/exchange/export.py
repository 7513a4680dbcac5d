"""Export a version in one of the formats of other tools. Memory stays flat: every format is written as a stream."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kg_pipeline.errors import GraphError
from kg_pipeline.graph.exchange import explorer, graphml, jsonld, kgx_jsonl, kgx_tsv, neo4j_csv, parquet, sif
from kg_pipeline.graph.exchange.source import QUOTABLE, ExportSource

Writer = Callable[[ExportSource, Path], list[Path]]

FORMATS: dict[str, Writer] = {
    "kgx-tsv": kgx_tsv.write,
    "kgx-jsonl": kgx_jsonl.write,
    "graphml": graphml.write,
    "jsonld": jsonld.write,
    "neo4j-csv": neo4j_csv.write,
    "sif": sif.write,
    "parquet": parquet.write,
    "html": explorer.write,
}


def export_version(
    folder: Path, target: str, output: Path, *, quotable: frozenset[str] = QUOTABLE
) -> list[Path]:
    """Write a version into a folder; the files written.

    Parameters
    ----------
    folder
        A version directory.
    target
        A key of `FORMATS`.
    output
        Folder for the files; made if absent. Files of the same names are replaced.
    quotable
        Licence classes whose quotes may be written.

    Raises
    ------
    GraphError
        If there is no such format, or the version or the output folder cannot be used.

    """
    if target not in FORMATS:
        raise GraphError(f"There is no export format {target!r}. There are: {', '.join(FORMATS)}.")
    source = ExportSource(folder, quotable)
    try:
        return FORMATS[target](source, output)
    except OSError as error:
        raise GraphError(f"The export cannot be written to {output}: {error}.") from error
