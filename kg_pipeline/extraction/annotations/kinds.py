"""What the types and words of other projects mean in our closed set of predicates, as `kinds.tsv` lists them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from kg_pipeline.extraction.lexicon.predicate_words import map_predicate
from kg_pipeline.extraction.relation_model.kinds import Meant, of_biored
from kg_pipeline.vocabulary.categories import group_of
from kg_pipeline.vocabulary.domains import fits
from kg_pipeline.vocabulary.predicates import PREDICATES

_TABLE = Path(__file__).with_name("kinds.tsv")
_BIORED = "biored"
_NONE = "-"


def meant_by(relation: str, head_category: str, tail_category: str) -> Meant | str:
    """Predicate of a relation between ends of two categories, and whether it reads from tail to head; else why none.

    Names of the closed set stand for themselves, with or without `biolink:`; then types that the table lists are looked
    up; anything else is read as words.

    >>> meant_by("Inhibition", "biolink:ChemicalEntity", "biolink:Gene")
    Meant(predicate='inhibits', inverted=False)
    >>> meant_by("Cotreatment", "biolink:ChemicalEntity", "biolink:ChemicalEntity")
    'no_knowledge'
    """
    name = re.sub(r"\s+", "_", relation.strip().removeprefix("biolink:"))
    if name.casefold() in PREDICATES:
        meanings = [Meant(name.casefold())]
    elif (listed := _listed().get(relation.strip().casefold())) is not None:
        if listed == (_NONE,):
            return "no_knowledge"
        meanings = [_meaning(each, relation, head_category, tail_category) for each in listed]
    else:
        words = map_predicate(relation)
        if words is None:
            return "unknown_predicate"
        meanings = [Meant(*words)]
    return next(
        (meant for meant in meanings if _allows(meant, head_category, tail_category)), "unfit_categories"
    )


def _meaning(entry: str, relation: str, head_category: str, tail_category: str) -> Meant:
    reading, _, kind = entry.partition(":")
    if reading == _BIORED:
        meant = of_biored(kind or relation.strip(), group_of(head_category), group_of(tail_category))
        return meant or Meant("associated_with")
    return Meant(entry.removeprefix("<"), inverted=entry.startswith("<"))


def _allows(meant: Meant, head_category: str, tail_category: str) -> bool:
    ends = (tail_category, head_category) if meant.inverted else (head_category, tail_category)
    return fits(meant.predicate, *ends)


@cache
def _listed() -> dict[str, tuple[str, ...]]:
    rows = (
        line.split("\t")
        for line in _TABLE.read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    )
    return {kind.casefold(): tuple(meanings.split(" ")) for kind, meanings in rows}
