"""FamPlex: families of proteins, their members, and curated names."""

from __future__ import annotations

import re
from collections import defaultdict

from open_vocabulary.drafts import Draft, curie
from open_vocabulary.wheels import Wheel


def famplex(wheel: Wheel) -> tuple[list[Draft], dict[str, set[str]], dict[str, list[str]]]:
    """Families, their parents for gene symbols too, and names that FamPlex curators give to other identifiers."""
    drafts = {
        row[0]: Draft(f"FPLX:{row[0]}", row[0].replace("_", " "), "biolink:GeneFamily", "FPLX")
        for row in wheel.rows("resources/entities.csv", ",")
        if row
    }
    for space, identifier, family in wheel.rows("resources/equivalences.csv", ","):
        if space == "MESH" and family in drafts:
            drafts[family].xrefs.add(f"MESH:{identifier}")
    others: dict[str, list[str]] = defaultdict(list)
    for name, *pairs in wheel.rows("resources/grounding_map.csv", ","):
        space, identifier = pairs[0], pairs[1]
        if (
            any(pairs[2:])
            or re.match(r"phospho|p-|activated ", name)
            or re.search(r"complexes|genes|TFs|Factors$", name)
        ):
            continue
        if space == "FPLX" and identifier in drafts:
            drafts[identifier].names.append(name)
        elif space in ("CHEBI", "GO", "MESH", "HGNC"):
            others[curie(space, identifier)].append(name)
    parents: dict[str, set[str]] = defaultdict(set)
    for space, child, _relation, parent_space, parent in wheel.rows("resources/relations.csv", ","):
        if parent_space == "FPLX" and space in ("HGNC", "FPLX") and _relation == "isa":
            parents[f"{space}:{child}"].add(f"FPLX:{parent}")
    for draft in drafts.values():
        draft.parents = sorted(parents.get(draft.id, ()))
    return list(drafts.values()), parents, others
