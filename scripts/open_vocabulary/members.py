"""Names of single proteins that MeSH lists among those of their family: ryanodine receptor 2 under ryanodine receptors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from kg_pipeline.vocabulary.names.folding import fold
from kg_pipeline.vocabulary.names.name_parts import NameParts, parts_of
from open_vocabulary.drafts import Draft, name_key

#: A Greek letter by its name, and the beginning of phosphatidylinositol.
_NO_GREEK = frozenset({"pi"})


def leave_members_to_genes(
    families: Iterable[Draft], genes: Iterable[Draft], curated: Mapping[str, Collection[str]]
) -> int:
    """Take out of families the names that end in a number or Greek letter of their own and that one gene has.

    `curated` are names of a family, by its identifier, that FamPlex gives it itself; they stay. Returns how many were taken.
    """
    owners: dict[str, set[str]] = defaultdict(set)
    for gene in genes:
        for key in {name_key(name) for name in (gene.name, *gene.names, *gene.ours)}:
            owners[key].add(gene.id)
    taken = 0
    for family in families:
        base = parts_of(family.name)
        kept = [
            name
            for name in family.names
            if name in curated.get(family.id, ())
            or not _ends_in_own_number(name, base)
            or len(owners.get(name_key(name), ())) != 1
        ]
        taken += len(family.names) - len(kept)
        family.names = kept
    return taken


def _ends_in_own_number(name: str, base: NameParts) -> bool:
    last = fold(name)[0][-1]
    if last.kind not in ("digits", "greek"):
        return False
    parts = parts_of(name)
    digits = {number for number in parts.numbers - base.numbers if number.isdigit()}
    return bool(digits or parts.greek - base.greek - _NO_GREEK)
