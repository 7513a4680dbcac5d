"""Names of sequence variants in one spelling, after the nomenclature of HGVS.

`p.Val600Glu`, `Val600Glu` and `V600E` are one change of a protein, `c.592C>T`, `592C-->T` and `C592T` one of a
nucleotide. A variant is told by its gene too, which its name does not say, so this is a spelling and no concept.
"""

from __future__ import annotations

import re

_AMINO_ACIDS = {
    "ala": "A", "arg": "R", "asn": "N", "asp": "D", "cys": "C", "gln": "Q", "glu": "E", "gly": "G", "his": "H", "ile": "I",
    "leu": "L", "lys": "K", "met": "M", "phe": "F", "pro": "P", "ser": "S", "thr": "T", "trp": "W", "tyr": "Y", "val": "V",
    "ter": "*", "stop": "*", "x": "*", "alanine": "A", "arginine": "R", "asparagine": "N", "aspartate": "D",
    "aspartic acid": "D", "cysteine": "C", "glutamine": "Q", "glutamate": "E", "glutamic acid": "E", "glycine": "G",
    "histidine": "H", "isoleucine": "I", "leucine": "L", "lysine": "K", "methionine": "M", "phenylalanine": "F",
    "proline": "P", "serine": "S", "threonine": "T", "tryptophan": "W", "tyrosine": "Y", "valine": "V",
}  # fmt: skip
_LONG = "|".join(sorted((name for name in _AMINO_ACIDS if len(name) > 3), key=len, reverse=True))
_SHORT = "|".join(name for name in _AMINO_ACIDS if len(name) == 3)
_ACID = rf"(?:{_LONG}|{_SHORT})"
_ARROW = r"\s*(?:-+>|→|>|/|to)\s*"
_DBSNP = re.compile(r"\(?rs ?(\d{2,})\)?", re.IGNORECASE)
_LONG_SUBSTITUTION = re.compile(
    rf"(?:p\.)?\s*\(?({_ACID})[\s-]?(\d+)[\s-]*(?:{_ARROW})?({_ACID}|\*|x)\)?", re.IGNORECASE
)
_WORDS = re.compile(
    rf"({_ACID})(?:\s*\([a-z]\))?(?P<way>{_ARROW}|\s+for\s+)(?:an? )?({_ACID})(?:\s*\([a-z]\))?.*?"
    r"(?:position|codon|residue|amino acid)\D{0,12}(\d+).*",
    re.IGNORECASE,
)
_SHORT_SUBSTITUTION = re.compile(r"(p\.)?\(?([A-Z])(\d+)([A-Z*])\)?")
_FRAMESHIFT = re.compile(rf"(?:p\.)?\(?({_ACID}|[A-Z])(\d+)(?:{_ACID}|[A-Z])?fs.*", re.IGNORECASE)
_BASE_CHANGE = re.compile(
    rf"(?:([cgmn])\.)?\(?\s*((?:IVS)?-?\*?\d+(?:\s?[+-]\s?\d+)?)\s?([ACGT]){_ARROW}([ACGT])\)?", re.IGNORECASE
)
_BASE_FIRST = re.compile(rf"(?:([cgmn])\.)?([ACGT])\s?(-?\d+)(?:{_ARROW})?([ACGT])", re.IGNORECASE)
_BASE_WORDS = re.compile(
    rf"\(?([ACGT]){_ARROW}([ACGT])\)?.*?(?:position|nucleotide|codon)?\D{{0,20}}?(-?\d+).*", re.IGNORECASE
)
_DELETION = re.compile(
    r"(?:([cgmn])\.)?(\d+(?:[_-]\d+)?)\s?(del|ins|dup)\s?([ACGT]+|\d*)(?:\s?bp)?", re.IGNORECASE
)


def variant_name(name: str) -> str | None:
    """The variant in one spelling, `rs…` for a dbSNP number; None for a text that is no such name.

    >>> variant_name("Val600Glu"), variant_name("c.592C-->T"), variant_name("rs 1801133")
    ('p.V600E', 'c.592C>T', 'rs1801133')
    """
    text = " ".join(name.split())
    for reading in (_snp, _protein, _nucleotide):
        found = reading(text)
        if found:
            return found
    return None


def _snp(text: str) -> str | None:
    found = _DBSNP.fullmatch(text)
    return f"rs{found[1]}" if found else None


def _protein(text: str) -> str | None:
    if found := _LONG_SUBSTITUTION.fullmatch(text):
        return f"p.{_one_letter(found[1])}{found[2]}{_one_letter(found[3])}"
    if found := _FRAMESHIFT.fullmatch(text):
        return f"p.{_one_letter(found[1])}{found[2]}fs"
    if found := _WORDS.fullmatch(text):
        before, after = _one_letter(found[1]), _one_letter(found[3])
        if found["way"].strip().lower() == "for":
            before, after = after, before
        return f"p.{before}{found[4]}{after}"
    found = _SHORT_SUBSTITUTION.fullmatch(text)
    # C677T is a change of a nucleotide; with p. before it one of an amino acid.
    if found and (found[1] or not {found[2], found[4]} <= set("ACGT")):
        return f"p.{found[2]}{found[3]}{'*' if found[4] == 'X' else found[4]}"
    return None


def _nucleotide(text: str) -> str | None:
    if found := _BASE_CHANGE.fullmatch(text):
        return _substitution(found[1], found[2], found[3], found[4])
    if found := _BASE_FIRST.fullmatch(text):
        return _substitution(found[1], found[3], found[2], found[4])
    if found := _DELETION.fullmatch(text):
        position = found[2].replace("-", "_")
        return f"{(found[1] or 'c').lower()}.{position}{found[3].lower()}{found[4].upper()}"
    if found := _BASE_WORDS.fullmatch(text):
        return _substitution(None, found[3], found[1], found[2])
    return None


def _substitution(level: str | None, position: str, before: str, after: str) -> str:
    place = position.replace(" ", "").upper()
    return f"{(level or 'c').lower()}.{place}{before.upper()}>{after.upper()}"


def _one_letter(name: str) -> str:
    return _AMINO_ACIDS.get(name.lower(), name.upper())
