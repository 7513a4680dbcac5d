"""Superscripts and subscripts as plain text that a reader takes for what it was.

Exponents get a caret (`10^6`, `kg/m^2`), figures below figures a line (`Y1_2`); charges, ordinals, isotopes and formulas
of substances stay joined (`Ca2+`, `1st`, `32P`, `H2O2`, `CD8+`).
"""

from __future__ import annotations

import re

_EXPONENT = re.compile(r"[+\-–−]?\d+(?:[.,/]\d+)?")
_CHARGE = re.compile(r"\d*[+\-–−]+")
_ORDINAL = re.compile(r"st|nd|rd|th", re.IGNORECASE)
_ELEMENT_SYMBOL = re.compile(r"[A-Z]")
#: Proteins named by their mass, whose superscript is part of the name: p27Kip1, p75NTR, gp91phox.
_PROTEIN_BY_MASS = re.compile(r"(?<![^\W_])(?:p|pp|gp)\d{2,3}$")
_DEGREE = frozenset("oº˚∘°")


def is_exponent(text: str) -> bool:
    """Whether a superscript can be an exponent: a number, signed or not."""
    return _EXPONENT.fullmatch(text) is not None


def script_text(text: str, word: str, after: str, *, raised: bool) -> str:
    """A superscript or subscript as plain text, given the end of the text before it and the character after it."""
    before = word[-1:]
    if not raised:
        return f"_{text}" if before.isdigit() and text[0].isdigit() else text
    if text in _DEGREE and before.isdigit():
        return "°"
    if _EXPONENT.fullmatch(text):
        is_isotope = (
            not before.isalnum() and before not in {")", "]"} and _ELEMENT_SYMBOL.match(after) is not None
        )
        return text if is_isotope or not before else f"^{text}"
    if _CHARGE.fullmatch(text) or _ORDINAL.fullmatch(text):
        return text
    if before.isdigit() and text[0].isalpha() and not _PROTEIN_BY_MASS.search(word):
        return f"^{text}"  # a mark on a number must not read as its unit, nor that of an allele as one name with its gene
    return text
