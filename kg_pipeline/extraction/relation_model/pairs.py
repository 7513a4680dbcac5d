"""Which entities the relation model was trained to relate."""

from __future__ import annotations

from kg_pipeline.vocabulary.categories import CHEMICAL, DISORDER, GENE

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
