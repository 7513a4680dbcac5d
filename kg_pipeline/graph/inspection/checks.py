"""Whether a graph version looks like one that is fit to be read: not empty, not lopsided, not suddenly another.

`kg_pipeline.graph.versions.verify` says whether a version is what it claims to be; these say whether it is worth trusting. Each
compares a figure with a threshold of the corpus (`kg_pipeline.corpora.GraphLimits`, the section `[NAME.checks]` of the
corpora file) and, where it fails, says what to do. None of them stops a build.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.compute as pc

from kg_pipeline.checks import Outcome
from kg_pipeline.corpora import CorpusSpec, GraphLimits
from kg_pipeline.graph import layout
from kg_pipeline.graph.inspection.hubs import hub_share
from kg_pipeline.graph.snapshot.adjacency import Adjacency
from kg_pipeline.graph.snapshot.mentions import Rows
from kg_pipeline.schema import LICENSE_CLASSES

#: How many of the best-connected entities are compared with those of the parent version.
_TOP = 20
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A version directory to be checked; `parent` is the version that was current before it, if it is there."""

    folder: Path
    parent: Path | None
    spec: CorpusSpec

    @property
    def limits(self) -> GraphLimits:
        """Thresholds of the corpus."""
        return self.spec.checks

    def advice(self, built: str, imported: str) -> str:
        """What to do about a graph that was built from articles, or about one that came by an import."""
        return imported if layout.is_imported(layout.read_manifest(self.folder)) else built


def check_version(folder: Path, parent: Path | None, spec: CorpusSpec) -> dict[str, Outcome]:
    """Every check of a version, by name."""
    candidate = Candidate(folder, parent, spec)
    return {name: check(candidate) for name, check in CHECKS.items()}


def is_not_degenerate(version: Candidate) -> Outcome:
    """The graph has asserted relations, and they join more than a few of its entities."""
    asserted = layout.read_manifest(version.folder).relations_by_kind.get("asserted", 0)
    degrees = Adjacency.open(version.folder).degrees()
    joined = int(np.count_nonzero(degrees))
    share = joined / max(len(degrees), 1)
    passed = asserted >= version.limits.min_asserted_relations and share >= version.limits.min_connected_share
    advice = version.advice(
        "Look at the rejects of the corpus, which say why triples were refused, and at the articles' language and topic.",
        "Look at the files it was imported from: do the edges name the nodes by their ids?",
    )
    return _outcome(
        passed,
        f"{asserted} asserted relations (at least {version.limits.min_asserted_relations}) join {joined} of {len(degrees)} "
        f"entities ({share:.0%}, at least {version.limits.min_connected_share:.0%}).",
        advice,
        {"asserted": asserted, "connected": joined, "entities": len(degrees)},
    )


def entities_have_evidence(version: Candidate) -> Outcome:
    """Entities are mentioned in the articles of this version."""
    mentioned = pc.unique(layout.open_table(version.folder, "mentions").column("entity_id"))
    ids = layout.open_table(version.folder, "entities").column("entity_id")
    bare = ids.filter(pc.invert(pc.is_in(ids, value_set=mentioned)))
    share = len(bare) / max(len(ids), 1)
    shown = f": {', '.join(bare.slice(0, _SHOWN).to_pylist())}" if len(bare) else ""
    return _outcome(
        share <= version.limits.max_unmentioned_share,
        f"{len(bare)} of {len(ids)} entities stand in no article{shown} (at most {version.limits.max_unmentioned_share:.0%}).",
        version.advice(
            "Build the corpus again; if they stay, the entities are older than the articles.",
            "No sentence that was imported names them: they are found by their names and walked to, and not by words or passages.",
        ),
        {"without_evidence": len(bare), "entities": len(ids)},
    )


def chunks_mention_entities(version: Candidate) -> Outcome:
    """Chunks have entities in them; one without is found by its words alone and joins nothing."""
    rows = Rows.open(version.folder, "chunk_entities")
    orphans = int(np.count_nonzero(np.diff(rows.indptr) == 0))
    total = len(rows.indptr) - 1
    return _outcome(
        orphans <= version.limits.max_orphan_chunk_share * total,
        f"{orphans} of {total} chunks mention no entity ({orphans / max(total, 1):.0%}, at most "
        f"{version.limits.max_orphan_chunk_share:.0%}).",
        version.advice(
            "Look at a few of them: the vocabulary may lack the field's names, or tables and lists were read as text.",
            "Look at a few of them: their sentences may name the ends of their edges otherwise than the nodes do.",
        ),
        {"orphans": orphans, "chunks": total},
    )


def hubs_stay_few(version: Candidate) -> Outcome:
    """No large part of the relations touches an entity that has more of them than the corpus' `hub_degree`."""
    hubs = hub_share(version.folder, version.spec.hub_degree)
    greatest = f" The greatest: {hubs.greatest[0]}." if hubs.greatest else ""
    return _outcome(
        hubs.share <= version.limits.max_hub_share,
        f"{hubs.n_hubs} entities have more than {version.spec.hub_degree} relations, and {hubs.share:.0%} of the relations "
        f"touch one (at most {version.limits.max_hub_share:.0%}).{greatest}",
        "Look at what it is made of; a generic name may have been read as an entity.",
        {"hubs": hubs.n_hubs, "relations": hubs.n_relations, "touching": hubs.n_touching},
    )


def inferred_stay_in_proportion(version: Candidate) -> Outcome:
    """Inferred edges do not drown the asserted ones."""
    by_kind = layout.read_manifest(version.folder).relations_by_kind
    asserted = by_kind.get("asserted", 0)
    inferred = sum(by_kind.values()) - asserted
    return _outcome(
        inferred <= version.limits.max_inferred_ratio * max(asserted, 1),
        f"{inferred} inferred relations for {asserted} asserted ones (at most {version.limits.max_inferred_ratio:g} to one).",
        version.advice(
            "Lower max_inferred_per_node in the corpora file.",
            "Leave inferred edges out of the files and import them again, or ask without them.",
        ),
        {"asserted": asserted, "inferred": inferred},
    )


def resembles_parent(version: Candidate) -> Outcome:
    """Against the version before it: about as many relations, as many for each entity, and the same entities on top."""
    parent = version.parent
    if parent is None:
        return Outcome(passed=True, sentence="There is no earlier version to compare with.", is_error=False)
    (before, old_degree, old_top), (now, degree, top) = (_shape(place) for place in (parent, version.folder))
    kept = len(set(top) & set(old_top)) / max(len(old_top), 1)
    factor = version.limits.max_change_factor
    changes = {
        "relations": before <= factor * now and now <= factor * before,
        "relations an entity": old_degree <= factor * degree and degree <= factor * old_degree,
        "best-connected entities": kept >= version.limits.min_top_kept,
    }
    strange = [name for name, is_alike in changes.items() if not is_alike]
    return _outcome(
        not strange,
        f"{now} relations, {before} in {parent.name}; {degree:.1f} an entity, then {old_degree:.1f} "
        f"(at most {factor:g} times more or less); {kept:.0%} of the {len(old_top)} best-connected entities are the "
        f"same (at least {version.limits.min_top_kept:.0%}).",
        f"Look at what changed before you trust this version ({', '.join(strange)}): "
        f"kg diff {version.folder.parent.name} {parent.name} {version.folder.name}",
        {"before": before, "now": now, "top_kept": round(kept, 3)},
    )


def licences_are_kept(version: Candidate) -> Outcome:
    """Every article is of a licence that the corpus admits, and of a class that we know."""
    admitted = (
        version.spec.query.license
        if version.spec.query is not None and version.spec.query.license
        else LICENSE_CLASSES
    )
    documents = layout.open_frame(version.folder, "documents").select("article_id", "license_class")
    wrong = documents.filter(~pl.col("license_class").is_in(list(admitted)))["article_id"].sort()
    share = len(wrong) / max(documents.height, 1)
    shown = f": {', '.join(wrong.head(_SHOWN))}" if len(wrong) else ""
    return _outcome(
        share <= version.limits.max_unlicensed_share,
        f"{len(wrong)} of {documents.height} articles are of other licences than {', '.join(admitted)}{shown} "
        f"(at most {version.limits.max_unlicensed_share:.0%}).",
        version.advice(
            f"Run: kg refresh {version.spec.name}, then kg build {version.spec.name}; do not pass this version on.",
            "Leave them out of the files and import them again; do not pass this version on.",
        ),
        {"unlicensed": len(wrong), "articles": documents.height},
    )


def _shape(folder: Path) -> tuple[int, float, list[str]]:
    """Relations, relations an entity, and the ids of the best-connected entities."""
    degrees = Adjacency.open(folder).degrees()
    relations = layout.read_manifest(folder).counts.get("relations", 0)
    best = np.lexsort((np.arange(len(degrees)), -degrees))[:_TOP]
    ids: list[str] = layout.open_table(folder, "entities").column("entity_id").take(best).to_pylist()
    return relations, float(degrees.mean()) if len(degrees) else 0.0, ids


def _outcome(passed: bool, found: str, advice: str, figures: Mapping[str, int | float]) -> Outcome:
    return Outcome(passed, found if passed else f"{found} {advice}", is_error=False, figures=figures)


#: Each check by the name that Dagster shows it under.
CHECKS: dict[str, Callable[[Candidate], Outcome]] = {
    "graph_is_not_degenerate": is_not_degenerate,
    "entities_have_evidence": entities_have_evidence,
    "chunks_mention_entities": chunks_mention_entities,
    "hubs_stay_few": hubs_stay_few,
    "inferred_relations_stay_in_proportion": inferred_stay_in_proportion,
    "graph_resembles_its_parent": resembles_parent,
    "licences_are_kept": licences_are_kept,
}
