"""A mention of an entity in an article, and when one of its candidate concepts is the clear reading.

A concept is accepted only where it is the clear reading. Short symbols need a preferred name of the vocabulary, or
support by a full name in the same article; ambiguous ones stay open, with their candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kg_pipeline.vocabulary.categories import group_of
from kg_pipeline.vocabulary.index import Candidate, Vocabulary
from kg_pipeline.vocabulary.symbols import is_symbol
from kg_pipeline.vocabulary.variants import normal_key, singular

#: Below this a reading is never accepted by itself (a symbol in another case, for example).
ACCEPTED_SCORE = 0.7
#: A preferred name, or a synonym that was reviewed: enough for a short symbol.
TRUSTED_SCORE = 0.9
MARGIN, SYMBOL_MARGIN = 0.02, 0.05
#: Candidates kept with a mention.
MAX_CANDIDATES = 5
#: A protein hormone is listed as a chemical too; the first reading will do.
MAY_BE_ONE = frozenset({"gene", "chemical"})


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


def accept(
    surface: str, candidates: Sequence[Candidate], supported: set[str], vocabulary: Vocabulary
) -> str | None:
    """Concept of the clear reading, or None.

    `supported` are concepts that the article names in full. A second reading does no harm where it is the family of
    the first one or has the same name; else it must score less by a margin, a wider one for symbols.
    """
    if not candidates or candidates[0].score < ACCEPTED_SCORE:
        return None
    top, *others = candidates
    symbol = is_symbol(surface)
    named = [candidate for candidate in candidates if candidate.concept_id in supported]
    if symbol and len(named) == 1 and named[0].score >= ACCEPTED_SCORE:
        return named[0].concept_id
    if symbol and len(surface) <= 4 and top.score < TRUSTED_SCORE and top.concept_id not in supported:
        # Short and only a synonym: accepted where it can be nothing else, and is long enough to be no chance.
        is_distinct = len(surface) > 3 or (len(surface) == 3 and any(c.isdigit() for c in surface))
        return top.concept_id if is_distinct and not others else None
    margin = SYMBOL_MARGIN if symbol else MARGIN
    for other in others:
        if top.score - other.score >= margin:
            break
        same_name = normal_key(singular(top.name)) == normal_key(singular(other.name))
        groups = {group_of(top.category), group_of(other.category)}
        if same_name and groups <= MAY_BE_ONE:
            continue
        is_kin = len(groups) == 1 and (same_name or _is_family(vocabulary, top.concept_id, other.concept_id))
        if not is_kin:
            return None
    return top.concept_id


def _is_family(vocabulary: Vocabulary, a: str, b: str) -> bool:
    return vocabulary.is_a(a, b, max_depth=2) or vocabulary.is_a(b, a, max_depth=2)
