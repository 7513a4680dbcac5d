"""ChEBI, and which names of chemicals people write in a sentence."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from open_vocabulary.drafts import Draft

SYSTEMATIC = re.compile(
    r"\d[',-]\d|\(\d|\d'|\dH-|^\W|\d\(|[\[\]{}]|-\d+-[a-z]|->|^\d+-|^[NOSCRE]-\(|\d,|\bprotein\b|, |\d+:\d|\)-|yl\b.*yl\b"
)
_TOO_SPECIFIC = re.compile(
    r"\b(?:human|mouse|rat|drosophila|arabidopsis|chicken|zebrafish|yeast|complex|adduct|conjugate|derivative|"
    r"copolymer|resin|polymer|residue|radical|group|anion|cation|ester|\([IVX]+\)|zwitterion|[0-9]{6,})\b",
    re.IGNORECASE,
)


def plain_chemical(name: str) -> bool:
    """Whether people write the name in a sentence: short, and not a systematic (IUPAC-like) one."""
    return (
        3 <= len(name) <= 32
        and name.count(" ") <= 2
        and not SYSTEMATIC.search(name)
        and not _TOO_SPECIFIC.search(name)
    )


CHEBI_ROLE, CHEBI_DRUG, CHEBI_GROUP = "CHEBI:50906", "CHEBI:23888", "CHEBI:24433"


def chebi(terms: list[dict[str, Any]], wanted: set[str]) -> Iterator[Draft]:
    """Substances with a plain name; roles and groups are left out."""
    children: dict[str, list[str]] = defaultdict(list)
    for term in terms:
        for parent in term.get("relations", {}).get("is_a", ()):
            children[parent].append(term["id"])

    def below(root: str) -> set[str]:
        seen, stack = {root}, [root]
        while stack:
            for child in children[stack.pop()]:
                if child not in seen:
                    seen.add(child)
                    stack.append(child)
        return seen

    left_out, drug_roles = below(CHEBI_ROLE) | below(CHEBI_GROUP), below(CHEBI_DRUG)
    for term in terms:
        identifier, name, relations = term["id"], term["name"], term.get("relations", {})
        if identifier in left_out or not name or not (identifier in wanted or plain_chemical(name)):
            continue
        is_drug = bool(drug_roles & set(relations.get("has_role", ())))
        category = "biolink:Drug" if is_drug else "biolink:ChemicalEntity"
        yield Draft(identifier, name, category, "CHEBI", [], list(relations.get("is_a", ())))
