"""What kind of thing a phrase is, told by its head noun: `... syndrome` is a disease, `... receptor` a protein."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kg_pipeline.vocabulary.categories import group_of
from kg_pipeline.vocabulary.names.variants import singular

_HEADS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (f"biolink:{category}", re.compile(pattern, re.IGNORECASE))
    for category, pattern in (
        ("Procedure", r"(?:therapy|surgery|transplantation|radiotherapy|irradiation|resection)$"),
        ("Drug", r"(?:[a-z]{3}(?:mab|nib|parib|ciclib)|inhibitor|antagonist|agonist|blocker|vaccine)$"),
        ("BiologicalProcess", r"(?:signal+ing|pathway|transition|differentiation|phosphorylation|genesis|autophagy|ptosis)$"),
        ("Cell", r"(?:[a-z]*cyte|cell|macrophage|neutrophil|fibroblast|blast)$"),
        ("Protein", r"(?:receptor|protein|kinase|factor|antibody|antigen|ligand|cytokine|chemokine|interferon|interleukin"
                    r"|[a-z]{3,}ase|autoantibody|enzyme|channel|transporter|peptide)$"),
        ("Disease", r"(?:syndrome|disease|disorder|carcinoma|cancer|tumou?r|lymphoma|leuka?emia|sarcoma|melanoma|neoplasm|"
                    r"[a-z]{3,}itis|[a-z]{3,}pathy|[a-z]{4,}emia|deficiency|infection|failure|injury|erythematosus)$"),
    )
)  # fmt: skip
#: Words that end like one of these heads and are none.
_NOT_HEADS = re.compile(
    r"\b(?:base|phase|case|disease-free|database|increase|decrease|release|risk factor|cost-benefit)$",
    re.IGNORECASE,
)


def category_of_phrase(phrase: str, match: Callable[[str], Sequence[object]]) -> str | None:
    """Biolink category of a phrase that no vocabulary lists, or None where it is not known to be an entity.

    `match` finds vocabulary names in a text; a name that ends the phrase tells its category if the pattern of the head
    noun does not, as in `recurrent glioblastoma`.
    """
    head = singular(phrase.strip())
    if _NOT_HEADS.search(head):
        return None
    for category, pattern in _HEADS:
        if pattern.search(head):
            return category
    tail = [found for found in match(phrase) if getattr(found, "end", -1) == len(phrase)]
    if not tail:
        return None
    category = getattr(tail[0], "candidates")[0].category  # noqa: B009 - any record with candidates will do
    return category if group_of(category) in ("disorder", "anatomy", "chemical", "gene") else None
