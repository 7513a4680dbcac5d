"""A small typed graph of made-up names as KGX files, dense enough for every family of questions.

Every edge is quoted from an article of its own, so that there are documents besides the graph.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

_TYPES = {
    "Disease": ("ose", 24),
    "Gene": ("in", 30),
    "SmallMolecule": ("ate", 24),
    "PhenotypicFeature": ("algia", 12),
    "AnatomicalEntity": ("um", 8),
    "Cell": ("cyte", 8),
    "BiologicalProcess": ("ation", 8),
    "OrganismTaxon": ("us", 6),
}
_EDGES = (
    ("Gene", "associated_with", "Disease", 110),
    ("Gene", "causes", "Disease", 60),
    ("SmallMolecule", "causes", "Disease", 70),
    ("SmallMolecule", "treats", "Disease", 50),
    ("PhenotypicFeature", "manifestation_of", "Disease", 50),
    ("Disease", "located_in", "AnatomicalEntity", 36),
    ("OrganismTaxon", "causes", "Disease", 20),
    ("SmallMolecule", "binds", "Gene", 80),
    ("SmallMolecule", "causes", "PhenotypicFeature", 40),
    ("BiologicalProcess", "associated_with", "Gene", 50),
    ("Cell", "expresses", "Gene", 40),
    ("AnatomicalEntity", "part_of", "Cell", 14),
)
_FIRST = ["bal", "cor", "den", "fir", "gol", "hap", "jun", "kel", "lim", "mor", "nur", "pel"]
_SECOND = ["ado", "eki", "ilo", "omu", "uta", "ezo"]


def write_graph(folder: Path, seed: int = 3) -> tuple[Path, Path]:
    """Nodes and edges; the same seed writes the same files."""
    source = np.random.default_rng(seed)
    stems = [first + second for first in _FIRST for second in _SECOND]
    nodes = ["id\tname\tcategory\tsynonym"]
    ids: dict[str, list[str]] = {}
    names: dict[str, str] = {}
    for category, (ending, count) in _TYPES.items():
        chosen = source.choice(stems, count, replace=False).tolist()
        ids[category] = [f"X:{category}{n:03d}" for n in range(count)]
        names |= {node: f"{stem}{ending}" for node, stem in zip(ids[category], chosen, strict=True)}
        nodes += [
            f"{node}\t{stem}{ending}\tbiolink:{category}\t{stem.upper()}{category[:2]}"
            for node, stem in zip(ids[category], chosen, strict=True)
        ]
    rows = set()
    for kind, (head, predicate, tail, count) in enumerate(_EDGES, 1):
        ends = zip(source.choice(ids[head], count), source.choice(ids[tail], count), strict=True)
        verb = predicate.replace("_", " ")
        rows |= {
            f"{one}\tbiolink:{predicate}\t{other}\tkg:{predicate}\tPMID:{1000 * kind + number}"
            f"\tThe trial found that {names[one]} {verb} {names[other]}."
            for number, (one, other) in enumerate(ends)
        }
    paths = folder / "nodes.tsv", folder / "edges.tsv"
    paths[0].write_text("\n".join(nodes) + "\n")
    header = "subject\tpredicate\tobject\toriginal_predicate\tpublications\tsupporting_text"
    paths[1].write_text("\n".join([header, *sorted(rows)]) + "\n")
    return paths
