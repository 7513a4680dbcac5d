"""Names of substances from the FDA's list of unique ingredient identifiers (UNII): codes, common and official names.

The list is in capitals and keeps salts and hydrates apart. A name is taken for a concept where the list has it under an
identifier that is displayed like that concept, and where neither the list nor the vocabulary uses it for anything else.
Brand names are left out: many are words of ordinary prose.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from kg_pipeline.vocabulary.categories import CHEMICAL, group_of
from kg_pipeline.vocabulary.guards.vetoes import Named, derivatives
from kg_pipeline.vocabulary.names.guard_words import SALTS
from open_vocabulary.chemicals import LABORATORY_CODE, SYSTEMATIC, is_code
from open_vocabulary.drafts import Draft, name_key
from open_vocabulary.wheels import Wheel

_LIST = "data/UNII_Names.txt"
_CODE, _BRAND = "cd", "bn"
#: What the list puts behind a substance that articles name without it.
_FORM = re.compile(r"(?:,? (?:ANHYDROUS|UNSPECIFIED(?: FORM)?|\(?RACEMIC\)?)|, \(\+/-\)-)$")
#: Registers of food additives, dyes and polymers, whose numbers look like the codes of laboratories.
_REGISTERS = frozenset({"FEMA", "INS", "PEG", "PPG", "EC", "NO"})
_COLOUR_INDEX = re.compile(r"CI[- ]?\d{5}")
_SHORTEST_ACRONYM, _LONGEST_ACRONYM, _LONGEST = 4, 6, 32
#: Ends of a substance's name; a single word without one is as often a trade name like any word (premier, neuronal).
_SUBSTANCE = re.compile(
    r"(?:in|ine|an|ane|en|ene|yn|yne|ol|ole|yl|il|bital|pental|ide|ate|ite|on|one|ose|ase|ium|um|am|mab|nib|vir|acid)$"
)
_ENDS_LIKE_A_WORD = re.compile(r"[ts]ion$")
_UNWANTED = re.compile(
    r"\b(?:COMPONENT|POWDER|EXTRACT|FLOWER|SEED|LEAF|ROOT|WHOLE|ION|CATION|ANION|RADICAL)\b"
)


@dataclass
class Substance:
    """An identifier of the list: how it is displayed, and its other names as (name, kind)."""

    display: str
    names: list[tuple[str, str]] = field(default_factory=list)


def substances(wheel: Wheel) -> list[Substance]:
    """The substances of the list, in order of their identifiers."""
    found: dict[str, Substance] = {}
    for row in wheel.rows(_LIST):
        if len(row) == 4 and row[1] != _BRAND:
            name, kind, identifier, display = row
            found.setdefault(identifier, Substance(display)).names.append((name, kind))
    return [found[identifier] for identifier in sorted(found)]


def written(name: str, kind: str) -> str | None:
    """A name of the list as articles write it; None for one that they do not write, or that is a word of its own.

    Codes and short acronyms keep their capitals, everything else is set in lower case.
    """
    code = LABORATORY_CODE.fullmatch(name)
    if kind == _CODE or code:
        is_register = code is None or code["maker"] in _REGISTERS or _COLOUR_INDEX.fullmatch(name)
        return name if is_code(name) and not is_register else None
    if (
        len(name) > _LONGEST
        or name.count(" ") > 2
        or SYSTEMATIC.search(name.lower())
        or _UNWANTED.search(name)
    ):
        return None
    if name.isalpha() and len(name) <= _LONGEST_ACRONYM:
        return name if len(name) >= _SHORTEST_ACRONYM else None
    if name.replace("-", "").isupper() and "-" in name and len(name) <= _LONGEST_ACRONYM:
        return name
    if max(map(len, re.findall(r"[A-Z]+", name)), default=0) <= _SHORTEST_ACRONYM:
        return None
    form = name.lower()
    is_word = form.isalpha() and (not _SUBSTANCE.search(form) or _ENDS_LIKE_A_WORD.search(form))
    return None if is_word else form


def add_substance_names(drafts: Iterable[Draft], listed: Iterable[Substance]) -> int:
    """Give concepts of chemicals the names of the substance that is displayed like them; returns how many were new."""
    drafts = list(drafts)
    chief: dict[str, set[str]] = defaultdict(set)
    taken: set[str] = set()
    by_id = {draft.id: draft for draft in drafts}
    for draft in drafts:
        taken |= draft.keys() | set(map(name_key, draft.ours))
        if group_of(draft.category) == CHEMICAL:
            for name in (draft.name, *draft.ours):
                chief[name_key(name.lower())].add(draft.id)
    offered: dict[str, set[str]] = defaultdict(set)
    wanted: list[tuple[str, str, str]] = []
    for substance in listed:
        concept = _concept_of(substance, chief, by_id)
        base = None if concept else _base_of(substance, chief)
        for name, kind in substance.names:
            form = written(name, kind)
            if form is not None:
                key = name_key(form)
                # A substance that the vocabulary lacks has its names all the same.
                meant = concept or (base if kind == _CODE else None)
                offered[key].add(meant or _FORM.sub("", substance.display))
                if meant is not None:
                    wanted.append((meant, form, key))
    added = 0
    for concept, form, key in wanted:
        if len(offered[key]) == 1 and key not in taken:
            by_id[concept].names.append(form)
            taken.add(key)
            added += 1
    return added


def _concept_of(substance: Substance, chief: dict[str, set[str]], by_id: dict[str, Draft]) -> str | None:
    """The one concept that is called as the substance is displayed, or else as its other names, and no salt of it."""
    display = _FORM.sub("", substance.display)
    found = chief.get(name_key(display.lower()), set())
    if not found:
        names = (name.lower() for name, kind in substance.names if kind != _CODE)
        found = set().union(*(chief.get(name_key(name), set()) for name in names))
        found = {one for one in found if derivatives(Named(display.lower()), Named(by_id[one].name)) is None}
    return next(iter(found)) if len(found) == 1 else None


def _base_of(substance: Substance, chief: dict[str, set[str]]) -> str | None:
    """The drug of a salt that the vocabulary lacks, whose code is written for the drug (NSC 343499)."""
    words = _FORM.sub("", substance.display).lower().split()
    base = [word for word in words if word not in SALTS]
    found = chief.get(name_key(" ".join(base)), set()) if base and len(base) < len(words) else set()
    return next(iter(found)) if len(found) == 1 else None
