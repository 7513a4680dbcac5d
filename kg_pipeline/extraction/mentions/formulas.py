"""Formulae of small inorganic compounds, which gene nomenclature uses as symbols too.

CO2 is a synonym of the mitochondrial gene MT-CO2, and in nearly every sentence the gas. A formula is read as the
compound unless a word beside it says that it is a gene.
"""

from __future__ import annotations

import re

_METAL = "(?:Li|Na|K|Rb|Cs|Mg|Ca|Sr|Ba|Al|Fe|Cu|Zn|Mn|Co|Ni|Cr|Cd|Hg|Pb|Ag|Ti|Si|Sn)"
_N = r"(?:\d|\(\d\))"
_FORMULA = re.compile(
    rf"(?:C|N|S|P|Si|Se|Cl|Mn|Ti|Zr)O{_N}"  # oxides of one atom: CO2, SO4
    rf"|[NHO]{_N}|Cl{_N}|N{_N}O|H{_N}O(?:{_N})?|H{_N}S|NH{_N}|CH{_N}"  # gases, water and hydrides
    rf"|(?:{_METAL}|H|NH4){_N}?(?:H)?(?:F|Cl|Br|I|OH|\(OH\)|[SP]O{_N}|[NC]O{_N}|ClO{_N}){_N}?"  # acids, bases, salts
    rf"|{_METAL}{_N}O{_N}"  # oxides of several atoms: Fe2O3
)
#: Letters and digits that are a formula by their form, and in a text a gene or a histamine receptor.
_NOT_FORMULAE = frozenset(
    {"HF", "HI", "KF", "KI", "H1", "H2", "H3", "H4", "N1", "N2", "N3", "NH1", "CH1", "CO1"}
)
_GENE_WORD = re.compile(
    r"^(?:[-\s/]+(?:gene|genes|mRNA|transcripts?|mutations?|polymorphisms?|variants?|locus|subunits?)\b)",
    re.IGNORECASE,
)
_CONTEXT = 24


def is_formula(text: str, start: int, end: int) -> bool:
    """Whether `text[start:end]` is the formula of a compound where it stands."""
    surface = text[start:end]
    if surface in _NOT_FORMULAE or _FORMULA.fullmatch(surface) is None:
        return False
    return _GENE_WORD.search(text[end : end + _CONTEXT]) is None
