"""A mention of an entity in an article."""

from __future__ import annotations

from dataclasses import dataclass

from kg_pipeline.vocabulary.index.lookup import Candidate

#: Candidates kept with a mention.
MAX_CANDIDATES = 5


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity in the text: `text[start:end]`, the form that standardisation uses, and what it was linked to."""

    start: int
    end: int
    text: str
    normal_form: str
    category: str
    concept_id: str | None
    candidates: tuple[Candidate, ...]
    source: str
