"""MeSH: descriptors by their tree, and the supplementary records that articles write about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from open_vocabulary.chemicals import SYSTEMATIC, is_code, plain_chemical
from open_vocabulary.drafts import Draft
from open_vocabulary.wheels import Wheel

#: MeSH tree prefixes and what they hold; the longest prefix wins. Prefixes that map to None are left out.
MESH_TREES: dict[str, str | None] = {
    "A": "biolink:AnatomicalEntity", "A11": "biolink:Cell", "A11.284": "biolink:CellularComponent",
    "B": "biolink:OrganismTaxon", "C": "biolink:Disease", "C23": "biolink:PhenotypicFeature", "C04.588": "biolink:Disease",
    "D": "biolink:ChemicalEntity", "D08": "biolink:Protein", "D12.776": "biolink:Protein", "D12.644.276": "biolink:Protein",
    "D23.529": "biolink:Protein", "D13.150": "biolink:GenomicEntity", "D13.444": "biolink:GenomicEntity",
    "E": "biolink:Procedure", "E05.318": None, "E05.581": None, "E05.599": None,
    "F01": "biolink:Behavior", "F02": None, "F03": "biolink:Disease", "G": "biolink:BiologicalProcess", "G01": None,
    "G01.750": "biolink:EnvironmentalExposure", "G16": None, "G16.500.275": "biolink:EnvironmentalExposure",
    "G17": None, "G05.360": "biolink:GenomicEntity", "J02": "biolink:Food", "N06.230": "biolink:EnvironmentalExposure",
    "N06.850.460": "biolink:EnvironmentalExposure",
}  # fmt: skip
_CATEGORY_ORDER = ("biolink:Disease", "biolink:EnvironmentalExposure", "biolink:Protein")


def mesh_category(trees: list[str]) -> str | None:
    """Category of a descriptor by its tree numbers; None where no tree is wanted."""
    found = []
    for tree in trees:
        prefix = max((p for p in MESH_TREES if tree == p or tree.startswith(p)), key=len, default="")
        category = MESH_TREES.get(prefix)
        if category:
            found.append(category)
    for preferred in _CATEGORY_ORDER:
        if preferred in found:
            return preferred
    return found[0] if found else None


def upright(name: str) -> str | None:
    """`Lupus Erythematosus, Systemic` as it is written in text; None where the order cannot be told."""
    parts = name.split(", ")
    if len(parts) == 1:
        return name
    return f"{parts[1]} {parts[0]}" if len(parts) == 2 else None


def mesh_names(label: str, synonyms: str) -> list[str]:
    """Names of a record in natural word order."""
    return [name for name in map(upright, [label, *filter(None, synonyms.split("|"))]) if name]


def mesh(wheel: Wheel) -> tuple[list[Draft], dict[str, str]]:
    """Descriptors with their category, and the category of every descriptor for the supplementary records."""
    rows = [row for row in wheel.rows("mesh_id_label_mappings.tsv") if "supp" not in row]
    by_tree = {tree: row[0] for row in rows for tree in row[3].split("|") if tree}
    drafts, categories = [], {}
    for identifier, label, synonyms, trees, *_ in rows:
        category = mesh_category([tree for tree in trees.split("|") if tree])
        if category is None:
            continue
        categories[identifier] = category
        names = mesh_names(label, synonyms) or [label]
        parents = {
            by_tree[tree.rpartition(".")[0]]
            for tree in trees.split("|")
            if tree.rpartition(".")[0] in by_tree
        }
        draft = Draft(f"MESH:{identifier}", names[0], category, "MESH", names[1:])
        draft.parents = [f"MESH:{parent}" for parent in sorted(parents)]
        draft.headings = [label]
        drafts.append(draft)
    return drafts, categories


_DRUG_STEM = re.compile(
    r"(?:mab|[a-z]{3}nib|ciclib|parib|gliptin|gliflozin|sartan|statin|oxacin|cycline|vudine|platin)$"
)


def supplementary(wheel: Wheel, categories: dict[str, str], wanted: set[str]) -> Iterator[Draft]:
    """Supplementary records that are diseases, chemicals with a plain name, or what another vocabulary refers to."""
    for identifier, label, synonyms, mapped, *_ in wheel.rows("mesh_supp_id_label_mappings.tsv"):
        headings = [categories.get(heading, "") for heading in mapped.split(",")]
        is_wanted = f"MESH:{identifier}" in wanted
        chemical = any(h in ("biolink:ChemicalEntity", "biolink:Protein") for h in headings)
        disease = not chemical and "biolink:Disease" in headings
        has_code = any(map(is_code, [label, *synonyms.split("|")]))
        if not (is_wanted or disease or (chemical and (plain_chemical(label) or has_code))):
            continue
        names = [
            label,
            *(s for s in synonyms.split("|") if s and len(s) <= 40 and not SYSTEMATIC.search(s)),
        ][:8]
        category = "biolink:Drug" if _DRUG_STEM.search(label) else "biolink:ChemicalEntity"
        if disease:
            category = "biolink:Disease"
        elif category != "biolink:Drug" and set(headings) == {"biolink:Protein"}:
            category = "biolink:Protein"
        parents = [f"MESH:{heading}" for heading in mapped.split(",") if heading in categories]
        yield Draft(f"MESH:{identifier}", names[0], category, "MESH", names[1:], parents)
