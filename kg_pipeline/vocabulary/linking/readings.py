"""When one of the concepts that a name may stand for is the clear reading.

Short symbols need a preferred name of the vocabulary, or support by a full name in the same article; ambiguous ones
stay open.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kg_pipeline.vocabulary.categories import CHEMICAL, GENE, group_of
from kg_pipeline.vocabulary.index.lookup import Candidate, Vocabulary
from kg_pipeline.vocabulary.names.symbols import SHORT, is_symbol
from kg_pipeline.vocabulary.names.variants import normal_key, singular

#: Below this a reading is never accepted by itself (a symbol in another case, for example).
ACCEPTED_SCORE = 0.7
#: A preferred name, or a synonym that was reviewed: enough for a short symbol.
TRUSTED_SCORE = 0.9
MARGIN, SYMBOL_MARGIN = 0.02, 0.05
#: A protein hormone is listed as a chemical too; the first reading will do.
MAY_BE_ONE = frozenset({GENE, CHEMICAL})


def clear_reading(
    name: str, candidates: Sequence[Candidate], supported: Collection[str], vocabulary: Vocabulary
) -> Candidate | None:
    """The candidate that the name stands for, or None where that is open; candidates come best first.

    `supported` are concepts that the article names in full. A second reading does no harm where it is the family of
    the first one or has the same name; else it must score less by a margin, a wider one for symbols.
    """
    if not candidates or candidates[0].score < ACCEPTED_SCORE:
        return None
    top, *others = candidates
    symbol = is_symbol(name)
    named = [candidate for candidate in candidates if candidate.concept_id in supported]
    if symbol and len(named) == 1 and named[0].score >= ACCEPTED_SCORE:
        return named[0]
    if symbol and len(name) <= SHORT and top.score < TRUSTED_SCORE and top.concept_id not in supported:
        # Short and only a synonym: accepted where it can be nothing else, and is long enough to be no chance.
        is_distinct = len(name) == SHORT or (len(name) == SHORT - 1 and any(c.isdigit() for c in name))
        return top if is_distinct and not others else None
    margin = SYMBOL_MARGIN if symbol else MARGIN
    for other in others:
        if round(top.score - other.score, 4) >= margin:
            break
        if not _does_no_harm(top, other, vocabulary):
            return None
    return top


def _does_no_harm(top: Candidate, other: Candidate, vocabulary: Vocabulary) -> bool:
    same_name = normal_key(singular(top.name)) == normal_key(singular(other.name))
    groups = {group_of(top.category), group_of(other.category)}
    if same_name and groups <= MAY_BE_ONE:
        return True
    if len(groups) > 1:
        return False
    return same_name or any(
        vocabulary.is_a(child, ancestor, max_depth=2)
        for child, ancestor in (
            (top.concept_id, other.concept_id),
            (other.concept_id, top.concept_id),
        )
    )
