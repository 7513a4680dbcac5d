"""What must hold of a graph version and of what serves it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kg_pipeline.checks import Outcome
from kg_pipeline.graph.hubs import hub_share
from kg_pipeline.graph.reader import Manifest
from kg_pipeline.graph.verify import verify_version
from kg_pipeline.graph.version import VersionStore
from kg_pipeline.vocabulary.index import Vocabulary

#: Share of the parent's relations below which a version needs a look before it is trusted.
MIN_KEPT_SHARE = 0.5
#: Share of the relations that may touch a hub.
MAX_HUB_SHARE = 0.5
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


def has_not_shrunk(manifest: Manifest, parent: Manifest | None) -> Outcome:
    """The version has at least half of the relations of the one before it."""
    if parent is None:
        return Outcome(passed=True, sentence="There is no earlier version to compare with.", is_error=False)
    before, now = parent.counts.get("relations", 0), manifest.counts.get("relations", 0)
    passed = now >= MIN_KEPT_SHARE * before
    advice = "" if passed else " Look at the statuses of the articles before you trust this version."
    return Outcome(
        passed,
        f"{now} relations, {before} in {parent.version}.{advice}",
        is_error=False,
        figures={"before": before, "now": now},
    )


def hubs_stay_few(folder: Path, hub_degree: int) -> Outcome:
    """At most half of the relations touch an entity that has more relations than the corpus' `hub_degree`."""
    hubs = hub_share(folder, hub_degree)
    passed = hubs.share <= MAX_HUB_SHARE
    greatest = f" The greatest: {hubs.greatest[0]}." if hubs.greatest else ""
    advice = "" if passed else " Look at what it is made of; a generic name may have been read as an entity."
    return Outcome(
        passed,
        f"{hubs.n_hubs} entities have more than {hub_degree} relations, and {hubs.share:.0%} of the relations "
        f"touch one.{greatest}{advice}",
        is_error=False,
        figures={"hubs": hubs.n_hubs, "relations": hubs.n_relations, "touching": hubs.n_touching},
    )


def opens(versions: VersionStore, corpus: str, expected: str) -> Outcome:
    """The pointer leads to the version that was just checked, and it opens."""
    reader = versions.open(corpus)
    opened = reader.manifest.version
    reader.close()
    advice = "" if opened == expected else f", not {expected}. Materialise current_graph again"
    return Outcome(opened == expected, f"The current graph is {opened}{advice}.")


def is_loaded(manifest: Manifest, loaded: Mapping[str, int]) -> Outcome:
    """The server holds as many relations as the version."""
    expected, found = manifest.counts.get("relations", 0), loaded.get("relations", 0)
    advice = "" if expected == found else " Materialise neo4j_graph again."
    return Outcome(
        expected == found,
        f"Neo4j holds {found} of {expected} relations of {manifest.version}.{advice}",
        figures={"expected": expected, "loaded": found},
    )
