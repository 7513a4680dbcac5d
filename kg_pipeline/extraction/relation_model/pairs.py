"""Which entities the relation model was trained to relate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from kg_pipeline.extraction.grounding.triples import MentionSpan
from kg_pipeline.vocabulary.categories import CHEMICAL, DISORDER, GENE, group_of

VARIANT = "variant"
#: The pairs that BioRED annotates (Luo et al. 2022, doi:10.1093/bib/bbac282, table 2).
_PAIRS = frozenset(
    {
        frozenset({GENE}),
        frozenset({CHEMICAL}),
        frozenset({VARIANT}),
        frozenset({GENE, DISORDER}),
        frozenset({CHEMICAL, DISORDER}),
        frozenset({CHEMICAL, GENE}),
        frozenset({VARIANT, DISORDER}),
        frozenset({VARIANT, CHEMICAL}),
    }
)


def are_related_groups(first: str, second: str) -> bool:
    """Whether the model knows relations between two groups of `kg_pipeline.vocabulary.categories`.

    >>> are_related_groups("gene", "chemical"), are_related_groups("disorder", "disorder")
    (True, False)
    """
    return frozenset({first, second}) in _PAIRS


def linked_pairs(mentions: Sequence[MentionSpan]) -> Iterator[tuple[int, int, str, str]]:
    """Positions and concepts of two mentions of a sentence, one after the other, that the model may relate."""
    for i, j in combinations(range(len(mentions)), 2):
        first, second = mentions[i], mentions[j]
        if (
            first.concept_id
            and second.concept_id
            and first.concept_id != second.concept_id
            and first.end <= second.start
            and are_related_groups(group_of(first.category), group_of(second.category))
        ):
            yield i, j, first.concept_id, second.concept_id
