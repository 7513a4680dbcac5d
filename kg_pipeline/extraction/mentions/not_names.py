"""What a recogniser trained on abstracts takes for names in full text: labels, numbers of records, debris of tables.

Abstracts have no figure panels (`Figure S7F` is no variant), no accession numbers, no page numbers, no formulas and no
cells of character matrices, so a model that has seen only them has never been told that these are no names.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from kg_pipeline.vocabulary.categories import DISORDER, GENE, VARIANT, group_of
from kg_pipeline.vocabulary.names.stopwords import NOT_SYMBOLS

#: Longer than any name that people write in a sentence.
_LONGEST = 100
#: Signs between the cells of a row, or of an equation; a translocation, t(9;22), has no space behind its semicolon.
_DEBRIS = re.compile(r"[=_^\t\n×]|; |: ")
#: No two letters that join labels, so that the lists below are read in one way only and in linear time.
_NUMBERED = r"[A-Z]?\d{1,3}(?:[A-Za-z]|(?!or|to)[A-Za-z]{2})?"
_LABEL = re.compile(_NUMBERED)
_PARTS = "fig(?:ure)?s?|tables?|movies?|videos?|texts?|files?|data(?:sets?)?|panels?|notes?|schemes?|eqs?|equations?|box(?:es)?"
_BEHIND_PART = re.compile(
    rf"\b(?:{_PARTS})\.?[\s(]*(?P<labels>(?:{_NUMBERED}\s*(?:(?:,|;|and|or|to|&|[-\u2010-\u2014/])\s*)+)*)$",
    re.IGNORECASE,
)
_BEFORE_PART = re.compile(rf"^\s+(?:{_PARTS})\b", re.IGNORECASE)
#: What follows a comma and a name, and no label: `In Fig. S2, S6 levels`.
_GOES_ON = re.compile(r"\s+(?!(?:and|or|to)\b)\w")
_PAGE = re.compile(r"pp?\.\s?\d+(?:\s?[-\u2013]\s?\d+)?", re.IGNORECASE)
#: Records of GEO, the read archives, BioProject, RefSeq and Ensembl.
_ACCESSION = re.compile(
    r"(?:GSE|GSM|GPL|[SED]R[APRSXZ]|PRJ[A-Z]{2})\d{2,}|[NX][CGMPRT]_\d+(?:\.\d+)?|ENS[A-Z]{0,6}\d{6,}"
)
#: A record of GenBank looks like a code of a compound, so it takes a word or a bracket before it.
_GENBANK = re.compile(r"[A-Z]{1,2}_?\d{5,8}(?:\.\d)?")
_OF_RECORD = re.compile(
    r"(?:\[|\b(?:accessions?|genbank|nos?\.|numbers?:?)[\s#:(]*(?:[\w.]+(?:,| and)\s+)*)$", re.IGNORECASE
)
_ANTIBODY = re.compile(r"anti[-\u2010\u2011]", re.IGNORECASE)
_PROPER_NOUN = re.compile(r"[A-Z][a-z]+")
_GENE_WORD = re.compile(
    r"[\s-]+(?:genes?|proteins?|mRNA|expression|signal+ing|pathways?|mutants?|mutations?|alleles?|receptors?|transcripts?|"
    r"promoters?|knock\w*|deficien\w+|null|homolog\w*|ortholog\w*|kinases?|family|activation|activity|levels?)\b"
)
#: Characters of context that the patterns need.
_CONTEXT = 60


def is_label(text: str, start: int, end: int) -> bool:
    """Whether `text[start:end]` numbers a figure, a table or another part of the article: `Figures S6 and S7F`."""
    surface, after = text[start:end], text[end : end + _CONTEXT]
    if _LABEL.fullmatch(surface) is None:
        return False
    before = _BEHIND_PART.search(text[max(0, start - _CONTEXT) : start])
    if before is not None and _continues(before["labels"], surface, after):
        return True
    return _BEFORE_PART.match(after) is not None


def _continues(labels: str, surface: str, after: str) -> bool:
    """Whether `surface` is one more of those labels, and not a name behind them: `in Figure 3A, C5a levels`.

    Letters number the parts of one series, and S those of the supplement, beside plain numbers (`Figs. 2 and S3`).
    """
    if not labels or surface[0].isdigit():
        return True
    if labels.rstrip().endswith(",") and _GOES_ON.match(after):
        return False
    return surface[0] in (labels[0].upper(), "S")


def is_record_number(text: str, start: int, end: int) -> bool:
    """Whether `text[start:end]` is the number of a record of a database, or of a page."""
    surface = text[start:end]
    if _ACCESSION.fullmatch(surface) or _PAGE.fullmatch(surface):
        return True
    return bool(_GENBANK.fullmatch(surface) and _OF_RECORD.search(text[max(0, start - _CONTEXT) : start]))


def is_no_name(text: str, start: int, end: int, category: str, defined: Collection[str] = ()) -> bool:
    """Whether what a recogniser read as a name of that category at `text[start:end]` is none.

    An antibody is not the gene that it binds, and what articles abbreviate like a symbol without defining it (ANOVA,
    PBS) is no gene, variant or disease; `defined` are the short forms that this article defines.
    """
    surface = text[start:end]
    if len(surface) > _LONGEST or _DEBRIS.search(surface):
        return True
    if is_label(text, start, end) or is_record_number(text, start, end):
        return True
    group = group_of(category)
    if group in (GENE, VARIANT, DISORDER) and surface.upper() in NOT_SYMBOLS and surface not in defined:
        return True
    return group == GENE and _ANTIBODY.match(surface) is not None


def whole_brackets(text: str, start: int, end: int) -> tuple[int, int]:
    """The span with the bracket that its name lacks: `poly(I:C` and `E,E)-farnesene` are cut off at theirs."""
    surface = text[start:end]
    open_ones = surface.count("(") - surface.count(")")
    if open_ones == 1 and text[end : end + 1] == ")":
        return start, end + 1
    if open_ones == -1 and text[start - 1 : start] == "(":
        return start - 1, end
    return start, end


def is_mere_word(text: str, start: int, end: int) -> bool:
    """Whether a gene that no vocabulary knows is written like a proper noun, without a word for genes behind it.

    Phages, places and people (Pumpkin, Rain, Smith) are; symbols have digits or more capitals.
    """
    return (
        _PROPER_NOUN.fullmatch(text[start:end]) is not None
        and _GENE_WORD.match(text[end : end + _CONTEXT]) is None
    )
