"""Entities that follow a pattern rather than a list: variants, microRNAs, cell lines, genes named as such.

Each pattern is narrow on purpose. A gene-like token counts only where the next word says that it is one.
"""

from __future__ import annotations

import re

_AA1 = "ACDEFGHIKLMNPQRSTVWY"
_AA3 = "(?:Ala|Arg|Asn|Asp|Cys|Gln|Glu|Gly|His|Ile|Leu|Lys|Met|Phe|Pro|Ser|Thr|Trp|Tyr|Val|Ter)"
_CHANGE = rf"(?:[{_AA1}]\d+(?:[{_AA1}*X]|fs\*?\d*)|{_AA3}\d+(?:{_AA3}|fs\*?\d*|\*))"
_CODE = r"[A-Z]{2,6}-?\d{1,6}[a-z]?"
_LEFT, _RIGHT = r"(?<![\w.\-])", r"(?![\w>]|\.\d)"

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("biolink:SequenceVariant", re.compile(rf"{_LEFT}rs\d{{3,10}}{_RIGHT}")),
    ("biolink:SequenceVariant", re.compile(rf"{_LEFT}p\.(?:{_CHANGE}|\({_CHANGE}\)){_RIGHT}")),
    ("biolink:SequenceVariant", re.compile(rf"{_LEFT}{_AA3}[-\s]?\d{{1,4}}[-\s]?{_AA3}{_RIGHT}")),
    ("biolink:SequenceVariant", re.compile(rf"{_LEFT}(?:[cgm]\.)?[-+*]?\d+(?:[+-]\d+)?(?:_\d+)?[ACGT]\s?>\s?[ACGT]{_RIGHT}")),
    ("biolink:SequenceVariant", re.compile(rf"{_LEFT}(?:c\.)?\d{{2,5}}(?:_\d+)?(?:del|ins|dup)[ACGT]{{0,12}}{_RIGHT}")),
    # A bare substitution such as V600E; three digits at least, or two with a letter that cell lines do not start with.
    ("biolink:SequenceVariant", re.compile(rf"{_LEFT}(?!H\d)(?:[{_AA1}]\d{{3,4}}|[DEGKQRSVWY]\d{{2}})[{_AA1}]{_RIGHT}(?!\s+cells?\b)")),
    ("biolink:MicroRNA", re.compile(rf"{_LEFT}(?:(?:hsa|mmu|rno)-)?(?:miR|miRNA|microRNA|let)-\d{{1,5}}[a-z]?(?:-\d)?(?:-[35]p)?(?!\w)")),
    ("biolink:CellLine", re.compile(rf"{_LEFT}(?:NCI-)?(?=[A-Za-z\-]*\d)[A-Z][A-Za-z]{{0,4}}-?\d{{2,4}}[A-Z]?(?=\s+(?:cell lines?|cells)\b)")),
    ("biolink:Gene", re.compile(rf"{_LEFT}[A-Z][A-Za-z]{{1,5}}\d{{1,3}}[A-Z]?(?=\s+(?:genes?|mRNA|proteins?|promoter|mutations?|transcripts?|knockout|knockdown)\b)")),
    ("biolink:Gene", re.compile(rf"{_LEFT}[Cc]luster of differentiation[ -]?\d{{1,3}}[A-Za-z]?{_RIGHT}")),
    ("biolink:Protein", re.compile(rf"{_LEFT}[Aa]nti-(?!inflam|rabbit|mouse|goat|human|rat|sheep|FLAG|GST|GFP|HA\b|V5|His|BrdU|Myc\b)[A-Za-z][\w-]{{1,20}}\s+(?:auto)?antibod(?:y|ies){_RIGHT}")),
    ("biolink:ProteinFamily", re.compile(rf"{_LEFT}[Vv]oltage-(?:gated|dependent)\s+(?:[\w+]+\s+)?channels?{_RIGHT}")),
    ("biolink:Disease", re.compile(rf"{_LEFT}[Ii]mmune-(?:related|mediated)\s+adverse\s+(?:events?|effects?|reactions?){_RIGHT}")),
    ("biolink:AnatomicalEntity", re.compile(rf"{_LEFT}[Gg]lomerul(?:us|i){_RIGHT}")),
    # Congeners, and codes of compounds where the words around say that they are compounds.
    ("biolink:ChemicalEntity", re.compile(rf"{_LEFT}(?:PBDE|BDE|PCB|PCDD|PCDF)-\d{{1,3}}{_RIGHT}")),
    ("biolink:ChemicalEntity", re.compile(rf"(?:(?<=\bcompound )|(?<=\binhibitor )|(?<=\bagonist )|(?<=\bantagonist )|(?<=\bderivative )){_CODE}{_RIGHT}")),
    ("biolink:ChemicalEntity", re.compile(rf"{_LEFT}{_CODE}(?=(?:-treated\b|\s+(?:treatment|administration|treated)\b))")),
)  # fmt: skip
#: Tokens that look like a cell line or a gene and are a group, a figure or a surface marker.
_NOT_NAMES = re.compile(
    r"(?:CD|Fig|Tab|Day|Week|Step|Grade|Type|Stage|Group|Phase|Panel|Line|Lot|Th|No)-?\d", re.IGNORECASE
)


def find_patterns(text: str) -> list[tuple[int, int, str]]:
    """Spans with their Biolink category, by position; the first pattern wins where two overlap."""
    found: list[tuple[int, int, str]] = []
    for category, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span()
            is_name = category not in ("biolink:CellLine", "biolink:Gene") or not _NOT_NAMES.match(match[0])
            if is_name and all(end <= other[0] or other[1] <= start for other in found):
                found.append((start, end, category))
    return sorted(found)
