"""Domain and range of predicates: which groups of categories each of them can relate.

A category of no group (`categories.OTHER`) fits everywhere: the rules refuse what is known to be wrong and no more.
"""

from __future__ import annotations

from kg_pipeline.vocabulary.categories import (
    ANATOMY,
    CHEMICAL,
    DISORDER,
    ENVIRONMENT,
    GENE,
    ORGANISM,
    OTHER,
    PROCEDURE,
    PROCESS,
    VARIANT,
    group_of,
)

_CELL_LINE, _GENOMIC = "cell line", "genomic"
_MOLECULES = frozenset({GENE, CHEMICAL, VARIANT, _GENOMIC})
_CELLS = frozenset({ANATOMY, _CELL_LINE})
_ANY = _MOLECULES | _CELLS | {DISORDER, PROCESS, ORGANISM, PROCEDURE, ENVIRONMENT}
_ILLS = frozenset({DISORDER, PROCESS})

#: Groups that can be the head and the tail of a predicate; a predicate that is absent takes any.
_FITTING: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "causes": (_ANY, _ANY - _MOLECULES - _CELLS - {ORGANISM, PROCEDURE}),
    "treats": (_ANY - _CELLS - {DISORDER, ORGANISM}, frozenset({DISORDER})),
    "prevents": (_ANY - _CELLS, _ILLS),
    "predisposes": (_ANY, frozenset({DISORDER})),
    "biomarker_of": (_ANY - {PROCEDURE}, _ILLS),
    "manifestation_of": (_ILLS, frozenset({DISORDER})),
    "binds": (_MOLECULES | _CELLS, _MOLECULES | _CELLS),
    "targets": (_ANY - {DISORDER}, _ANY),
    "produces": (_ANY - {DISORDER, PROCEDURE}, _ANY - {ORGANISM, PROCEDURE}),
    "expresses": (_CELLS | {ORGANISM}, _MOLECULES),
    "located_in": (_ANY - {PROCEDURE}, _CELLS | {ORGANISM}),
    "converts_to": (_MOLECULES | _CELLS, _MOLECULES | _CELLS),
    "activates": (_ANY, _ANY - {ORGANISM, DISORDER}),
    "inhibits": (_ANY, _ANY - {PROCEDURE}),
    "increases": (_ANY, _ANY - {ORGANISM}),
    "decreases": (_ANY, _ANY - {ORGANISM}),
}
#: Predicates whose ends must be of one group.
_ALIKE = frozenset({"subclass_of"})


def fits(predicate: str, head_category: str, tail_category: str) -> bool:
    """Whether a predicate may relate two Biolink categories; true where a category is of no known group.

    >>> fits("treats", "biolink:Drug", "biolink:Disease"), fits("treats", "biolink:Drug", "biolink:Gene")
    (True, False)
    """
    head, tail = group_of(head_category), group_of(tail_category)
    if predicate in _ALIKE:
        return head == tail or OTHER in (head, tail)
    heads, tails = _FITTING.get(predicate, (_ANY, _ANY))
    return (head == OTHER or head in heads) and (tail == OTHER or tail in tails)
