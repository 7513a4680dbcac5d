"""What must hold of a graph version and of what serves it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kg_pipeline.checks import Outcome
from kg_pipeline.graph.exchange.explorer import count_relations
from kg_pipeline.graph.reader import Manifest
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.graph.versions.verify import verify_version
from kg_pipeline.vocabulary.index.lookup import Vocabulary

#: Names that any usable vocabulary knows; a missing one means that the index is broken or of another field.
CONTROLS = ("apoptosis", "systemic lupus erythematosus", "TP53", "cisplatin")


def knows_controls(vocabulary: Vocabulary) -> Outcome:
    """The vocabulary knows names that any biomedical one must know."""
    unknown = [name for name in CONTROLS if not vocabulary.lookup(name)]
    return Outcome(
        not unknown,
        f"The vocabulary does not know {', '.join(unknown)}. Delete the vocabulary cache and build it again."
        if unknown
        else "The vocabulary knows the control names.",
    )


def verifies(folder: Path) -> Outcome:
    """Checksums, foreign keys, quotes and premises of the version directory hold."""
    problems = [str(problem) for problem in verify_version(folder)]
    return Outcome(
        not problems,
        f"{'; '.join(problems[:3])}. Build the corpus again."
        if problems
        else f"Version {folder.name} verifies.",
        figures={"problems": len(problems)},
    )


def opens(versions: VersionStore, corpus: str, expected: str) -> Outcome:
    """The pointer leads to the version that was just checked, and it opens."""
    reader = versions.open(corpus)
    opened = reader.manifest.version
    reader.close()
    advice = "" if opened == expected else f", not {expected}. Materialise current_graph again"
    return Outcome(opened == expected, f"The current graph is {opened}{advice}.")


def is_shown(manifest: Manifest, folder: Path) -> Outcome:
    """The pages of the explorer hold as many relations as the version."""
    expected, found = manifest.counts.get("relations", 0), count_relations(folder)
    advice = "" if expected == found else " Materialise graph_explorer again."
    return Outcome(
        expected == found,
        f"The explorer shows {found} of {expected} relations of {manifest.version}.{advice}",
        is_error=False,
        figures={"expected": expected, "shown": found},
    )


def is_loaded(manifest: Manifest, loaded: Mapping[str, int]) -> Outcome:
    """The server holds as many relations as the version."""
    expected, found = manifest.counts.get("relations", 0), loaded.get("relations", 0)
    advice = "" if expected == found else " Materialise neo4j_graph again."
    return Outcome(
        expected == found,
        f"Neo4j holds {found} of {expected} relations of {manifest.version}.{advice}",
        figures={"expected": expected, "loaded": found},
    )
