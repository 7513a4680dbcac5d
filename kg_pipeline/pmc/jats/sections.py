"""Sections about the paper rather than its subject: funding, interests, thanks, supplements."""

from __future__ import annotations

import re

from lxml import etree

#: Elements that are such sections whatever their title.
BACK_SECTIONS = frozenset({"ack", "fn-group", "glossary", "notes"})
_TYPES = frozenset(
    {"supplementary-material", "supplementary", "coi-statement", "data-availability", "data-availability-statement",
     "additional-information", "author-contribution", "author-contributions", "ack", "ref-list", "funding",
     "ai-statement", "associated-data", "history", "disclaimer", "kwd-group", "funding-information", "conflict",
     "associated-content"}
)  # fmt: skip
_TITLE = re.compile(
    r"[\d.\s]*(?:acknowledge?ments?|funding(?: (?:sources?|statement|information))?|(?:declarations? of )?"
    r"(?:competing|conflicts? of|conflicting) interests?(?: statement)?|authors?['’]?s? contributions?(?: statement)?|"
    r"(?:data|code) availability(?: statement)?|availability of (?:supporting )?data(?: and materials?)?|"
    r"supplementary (?:materials?|data|information)|supporting information|pre-publication history|"
    r"publisher['’]s notes?|references|bibliography)[.:\s]*",
    re.IGNORECASE,
)


def is_administrative(section: etree._Element, title: str) -> bool:
    """Whether a section of that title is about the paper rather than its subject (funding, interests, supplements, …)."""
    if section.tag in BACK_SECTIONS:
        return True
    if (section.get("sec-type") or "").strip().lower() in _TYPES:
        return True
    return _TITLE.fullmatch(title) is not None
