"""Short forms: which names are symbols, and how the case of a text must agree with them.

EGFR is a receptor and eGFR a filtration rate; CAT is a gene and cat an animal. So a symbol matches only in the
case it is written in. A symbol with a digit may differ in case at a price, too low to be accepted by itself:
Trex1 is the mouse gene, and never becomes the human one.
"""

from __future__ import annotations

import re

from kg_pipeline.vocabulary.names.folding import GREEK_NAMES, atoms

_MAX_SYMBOL = 14
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]|[A-Z]{2}")
#: Symbols of mouse and rat genes: Stat3, Trp53, Cyp1a2.
_RODENT_SYMBOL = re.compile(r"[A-Z][a-z]{1,5}\d+[a-z]?\d*")
#: Cost of another case, by how far it is from the name's own.
UPPER_CASE_COST = 0.08
OTHER_CASE_COST = 0.4
#: A symbol of at most this many characters must not be broken by white space in the text.
SHORT = 4


def is_symbol(name: str) -> bool:
    """Whether a name is a short form, whose case carries meaning: TP53, cGAS, pH, p53, AIDS; not Insulin."""
    if len(name) > _MAX_SYMBOL or any(c.isspace() for c in name):
        return False
    letters = [c for c in name if c.isalpha()]
    if not letters:
        return True
    if all(c.isupper() for c in letters) or _INNER_CAPITAL.search(name):
        return True
    if _RODENT_SYMBOL.fullmatch(name):
        return True
    return len(name) <= SHORT and any(c.isdigit() for c in name)


def case_form(text: str) -> str:
    """The text without separators, Greek letters spelled out, case kept: what two spellings of a symbol share.

    A symbol that is called like a letter keeps its case too: the gene RHO is not Rho.
    """
    if text.isascii() and text.lower() in GREEK_NAMES:
        return text
    parts = []
    for atom in atoms(text):
        if atom.kind in ("separator", "possessive"):
            continue
        parts.append(
            atom.folded if atom.kind in ("greek", "other") else text[atom.start : atom.end].replace(".", "")
        )
    return "".join(parts)


def case_cost(name: str, surface: str) -> float | None:
    """What it costs to read `surface` as `name`, 0 for the same case; None if it must not be read so."""
    if not is_symbol(name):
        return None if _is_acronym_of_word(name, surface) else 0.0
    ours, theirs = case_form(name), case_form(surface)
    if len(ours) <= SHORT and any(c.isspace() for c in surface):
        return None
    # Written out in lower case, a letter stands for the protein that is called after it: tau is TAU.
    is_letter = surface in GREEK_NAMES and ours.lower() == surface
    if ours == theirs or ours + "s" == theirs or is_letter:
        return 0.0
    if ours.upper() == theirs.upper() and any(c.isdigit() for c in ours) and len(ours) > 2:
        if theirs.isupper() and not ours.isupper():
            return UPPER_CASE_COST
        return OTHER_CASE_COST if len(ours) > SHORT or (len(ours) == SHORT and theirs[0].isupper()) else None
    return None


def _is_acronym_of_word(name: str, surface: str) -> bool:
    """Whether an all-capital short text (ANA, SET) meets a name that is an ordinary lower-case word (Ana, set)."""
    return (
        len(surface) <= SHORT
        and surface.isupper()
        and len(surface) > 1
        and " " not in name
        and not name.isupper()
    )
