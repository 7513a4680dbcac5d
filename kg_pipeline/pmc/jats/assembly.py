"""Put paragraphs together into one text with exact spans and the sections they stand in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from kg_pipeline.pmc.jats.article import Paragraph, Section

SEPARATOR = "\n\n"


class Place(NamedTuple):
    """Where paragraphs are put: a title path and a kind. Two places with equal titles stay two."""

    path: tuple[str, ...]
    kind: str


@dataclass(slots=True)
class Assembly:
    """Collects paragraphs in reading order."""

    _pieces: list[tuple[Place, str, str, tuple[str, ...]]] = field(default_factory=list)

    def add(self, place: Place, kind: str, text: str, citations: tuple[str, ...] = ()) -> None:
        """Append a paragraph; one without text is left out."""
        if text:
            self._pieces.append((place, kind, text, citations))

    def finish(self) -> tuple[str, tuple[Section, ...], tuple[Paragraph, ...]]:
        """The text, its sections (runs of paragraphs of one place) and its paragraphs."""
        sections: list[Section] = []
        paragraphs: list[Paragraph] = []
        position = start = end = 0
        current: Place | None = None
        for place, kind, text, citations in self._pieces:
            if place is not current:
                if current is not None:
                    sections.append(Section(current.path, current.kind, start, end))
                current, start = place, position
            end = position + len(text)
            paragraphs.append(Paragraph(kind, len(sections), position, end, citations))
            position = end + len(SEPARATOR)
        if current is not None:
            sections.append(Section(current.path, current.kind, start, end))
        return SEPARATOR.join(piece[2] for piece in self._pieces), tuple(sections), tuple(paragraphs)
