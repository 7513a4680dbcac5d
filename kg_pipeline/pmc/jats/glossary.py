"""Abbreviations an article lists: glossaries, abbreviation sections, footnotes and keyword groups."""

from __future__ import annotations

import re

from lxml import etree

from kg_pipeline.pmc.jats.inline import inline_text
from kg_pipeline.pmc.jats.xml import all_text, first_child

_ENTRY_BREAK = re.compile(r";\s*|\.\s+(?=\S{1,12}\s*[:=,–])|\n")
_ENTRY = re.compile(r"\s*(\S(?:[^,:=–]{0,22}\S)?)\s*(?::|=|\s–\s|,)\s*(\S.*?)\s*\.?\s*")
_LEAD = re.compile(
    r"(?:the following\s+)?abbreviations?(?:\s+used(?:\s+in\s+this\s+\w+)?)?(?:\s+are)?\s*[:.–-]\s*",
    re.IGNORECASE,
)


def read_glossary(element: etree._Element) -> list[tuple[str, str]]:
    """(short, long) pairs of a glossary-like element: its definition lists, two-column tables, and paragraphs."""
    entries = [
        (inline_text(first_child(item, "term")), inline_text(first_child(item, "def")))
        for item in element.iter("def-item")
    ]
    for row in element.iter("tr"):
        cells = [inline_text(cell) for cell in row if cell.tag == "td"]
        entries.extend(zip(cells[0::2], cells[1::2], strict=False))
    if not entries:
        for paragraph in element.iter("p"):
            entries.extend(read_abbreviation_text(_lines(paragraph)))
    tidy_entries = [(short.rstrip(" :="), long.strip(" .;")) for short, long in entries]
    return [(short, long) for short, long in tidy_entries if is_pair(short, long)]


def read_abbreviation_text(text: str) -> list[tuple[str, str]]:
    """Pairs of a running list: `ACE: angiotensin converting enzyme; BP: blood pressure`."""
    text = _LEAD.sub("", text, count=1)
    matches = (_ENTRY.fullmatch(part) for part in _ENTRY_BREAK.split(text))
    return [
        (match.group(1), match.group(2))
        for match in matches
        if match and is_pair(match.group(1), match.group(2))
    ]


def is_pair(short: str, long: str) -> bool:
    """Whether the two can be an abbreviation and what it stands for; `CRBPI, -II: cellular …` defines several at once."""
    if not short or len(short) >= len(long) or len(short) > 24 or not any(map(str.isalpha, short)):
        return False
    return long[0] not in "-–−" and ": " not in long


def _lines(paragraph: etree._Element) -> str:
    """Text of a paragraph in which a written line break starts a new entry."""
    if not any(child.tag == "break" for child in paragraph):
        return inline_text(paragraph)
    parts = [paragraph.text or ""]
    for child in paragraph:
        parts.append("\n" if child.tag == "break" else all_text(child))
        parts.append(child.tail or "")
    return "".join(parts)
