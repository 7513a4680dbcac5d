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
#: A code of a laboratory: letters, then figures (SB-203580, MG 132).
LABORATORY_CODE = re.compile(r"(?P<maker>[A-Z]{1,5})[- ]?\d{2,7}[A-Z]?")
_SHORTEST_CODE, _SHORTEST_ONE_LETTER_CODE = 5, 6


def is_code(name: str) -> bool:
    """Whether a name is the code of a compound, and long enough that it is not the number of something else."""
    found = LABORATORY_CODE.fullmatch(name)
    shortest = _SHORTEST_ONE_LETTER_CODE if found and len(found["maker"]) == 1 else _SHORTEST_CODE
    return found is not None and sum(c.isalnum() for c in name) >= shortest


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
