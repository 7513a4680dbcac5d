"""What a parsed article is: metadata, text with exact spans, tables, glossary."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Notice:
    """What a notice (retraction, correction, …) says about another article; any of the ids may be empty."""

    kind: str
    doi: str
    pmcid: str
    pmid: str


@dataclass(frozen=True, slots=True)
class Metadata:
    """Front matter. Absent texts are empty; `pmcid` has its prefix, `doi` is as stated without a resolver."""

    pmcid: str = ""
    version: int = 1
    pmid: str = ""
    doi: str = ""
    title: str = ""
    journal: str = ""
    year: int | None = None
    article_type: str = ""
    language: str = "en"
    license: str = ""
    license_class: str = "unknown"
    retraction: str = ""  # why the article does not count as evidence any more; empty if it does
    is_notice: bool = False  # a notice, review report or reply: about an article, not evidence itself
    is_embargoed: bool = False
    notices: tuple[Notice, ...] = ()

    def article_id(self, source_ref: str) -> str:
        """PMCID, else `DOI:<doi>` in lower case, else `FILE:<source_ref>`."""
        if self.pmcid:
            return self.pmcid
        return f"DOI:{self.doi.lower()}" if self.doi else f"FILE:{source_ref}"


class Paragraph(NamedTuple):
    """A paragraph of `Article.text`; `section` indexes `Article.sections`.

    A tuple, because an article has hundreds: it is made in a third of the time of a frozen data class.
    """

    kind: str  # title | heading | paragraph | list_item | caption | table_row | table_note | footnote | preformat
    section: int
    start: int
    end: int
    citations: tuple[str, ...] = ()


class Section(NamedTuple):
    """A run of paragraphs under one title path."""

    path: tuple[str, ...]
    kind: str  # title | abstract | body | caption | table | appendix | summary | back
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Table:
    """A table as a grid with its spans expanded; no cells where the table is an image."""

    label: str
    caption: str
    header_rows: int
    cells: tuple[tuple[str, ...], ...]
    is_cut: bool = False  # larger than what is read of one table


@dataclass(frozen=True, slots=True)
class Article:
    """One article. `text` is its paragraphs joined by a blank line; spans are offsets into it."""

    metadata: Metadata
    text: str = ""
    sections: tuple[Section, ...] = ()
    paragraphs: tuple[Paragraph, ...] = ()
    glossary: tuple[tuple[str, str], ...] = ()
    tables: tuple[Table, ...] = ()
    formulas: int = 0
    has_body: bool = field(default=False)
