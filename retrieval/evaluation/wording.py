"""The words of answers: without their citation marks, and the names that are looked for in them."""

from __future__ import annotations

import re

from kg_pipeline.graph.reader import Entity
from retrieval.words.terms import name_keys

_MARKS = re.compile(r"\s*\[\d+\]")


def without_marks(text: str) -> str:
    """The text without its citation marks, whose numbers count nothing."""
    return _MARKS.sub("", text)


def entity_keys(entity: Entity) -> tuple[tuple[str, ...], ...]:
    """Keys of an entity's name and aliases, for `retrieval.words.terms.find_name`."""
    return name_keys([entity.name, *entity.aliases])
