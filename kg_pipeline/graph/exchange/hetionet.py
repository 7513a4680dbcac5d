"""Hetionet's two TSV files: nodes (`id`, `name`, `kind`) and edges (`source`, `metaedge`, `target`).

A metaedge such as `CtD` abbreviates kind, verb and kind (Compound treats Disease). Those of Hetionet 1.0 map onto our
predicates below; others are read by their verb where it is a word. The format carries no evidence, so the knowledge
source stands for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kg_pipeline.graph.exchange import biolink
from kg_pipeline.graph.exchange.records import Edge, Node

NODE_COLUMNS = frozenset({"id", "name", "kind"})
EDGE_COLUMNS = frozenset({"source", "metaedge", "target"})
SOURCE = "infores:hetionet"

#: Metaedge: our predicate, the verb, and whether head and tail change places.
_METAEDGES: dict[str, tuple[str, str, bool]] = {
    "AdG": ("decreases", "downregulates", False),
    "AeG": ("expresses", "expresses", False),
    "AuG": ("increases", "upregulates", False),
    "CbG": ("binds", "binds", False),
    "CcSE": ("causes", "causes", False),
    "CdG": ("decreases", "downregulates", False),
    "CpD": ("treats", "palliates", False),
    "CrC": ("related_to", "resembles", False),
    "CtD": ("treats", "treats", False),
    "CuG": ("increases", "upregulates", False),
    "DaG": ("associated_with", "associates with", False),
    "DdG": ("decreases", "downregulates", False),
    "DlA": ("located_in", "localizes to", False),
    "DpS": ("manifestation_of", "presents", True),
    "DrD": ("related_to", "resembles", False),
    "DuG": ("increases", "upregulates", False),
    "GcG": ("correlated_with", "covaries with", False),
    "GiG": ("binds", "interacts with", False),
    "GpBP": ("associated_with", "participates in", False),
    "GpCC": ("located_in", "participates in", False),
    "GpMF": ("associated_with", "participates in", False),
    "GpPW": ("part_of", "participates in", False),
    "Gr>G": ("regulates", "regulates", False),
    "PCiC": ("subclass_of", "includes", True),
}
_KINDS = {
    "Anatomy": "AnatomicalEntity",
    "Biological Process": "BiologicalProcess",
    "Cellular Component": "CellularComponent",
    "Compound": "ChemicalEntity",
    "Disease": "Disease",
    "Gene": "Gene",
    "Molecular Function": "MolecularActivity",
    "Pathway": "Pathway",
    "Pharmacologic Class": "ChemicalEntity",
    "Side Effect": "PhenotypicFeature",
    "Symptom": "PhenotypicFeature",
}


def read_node(row: Mapping[str, Any]) -> Node | None:
    """A node; None without an id."""
    id_, kind = str(row["id"]), str(row["kind"])
    if not id_:
        return None
    category = _KINDS.get(kind)
    return Node(
        id_,
        str(row["name"]) or id_,
        biolink.PREFIX + category if category else biolink.category_of((kind,)),
    )


def read_edge(row: Mapping[str, Any]) -> Edge | None:
    """An edge; None if it lacks an end."""
    source, metaedge, target = (str(row[name]) for name in ("source", "metaedge", "target"))
    if not source or not target:
        return None
    if metaedge in _METAEDGES:
        predicate, verb, is_swapped = _METAEDGES[metaedge]
    else:
        predicate, is_swapped, _ = biolink.from_biolink(metaedge, {})
        verb = metaedge
    head, tail = (target, source) if is_swapped else (source, target)
    return Edge(head, predicate, tail, source=SOURCE, predicate_text=verb)
