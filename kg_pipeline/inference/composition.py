"""Which two relations make a third: from (a, p, b) and (b, q, c) to (a, r, c).

Composition keeps direction, multiplies signs and never turns an edge round: from "X treats Y" nothing follows about
what Y does to X. Associations, correlations, bindings and biomarkers are not composed; they are not transitive.
Each rule has a factor below one, by which the conclusion is less sure than its premises taken together.

What is not composed, though it looks as if it could be: to take away one cause of an illness does not lessen the
illness, which has others (of 12 such pairs that follow from BioRED's relations one is annotated); and of two steps one
of which names no sign ("regulates") nothing follows that is worth reading. Effects are passed on by molecules; what
raises "proliferation" or "dendritic cells" in one place does not do what these do in another. Less of what lessens an
illness does not bring it on; and that more of it does is only concluded where something else joins the two. Only classes of drugs
are made so that what holds of the class holds of its members; "cytokines decrease X" says nothing of IL-22. `kg bench relations`
prints what share of the pairs that each rule draws is annotated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

import polars as pl

from kg_pipeline.vocabulary.categories import CHEMICAL, GENE, OTHER, VARIANT
from kg_pipeline.vocabulary.predicates import PREDICATES

OnDisorders = Literal["free", "supported", "never"]


@dataclass(frozen=True, slots=True)
class Rule:
    """`first` then `second` gives `conclusion`, `factor` times as sure as both premises.

    `through` names the kinds of entities in which the two may meet, one of `THROUGH`; empty for all. `on_disorders` tells
    what may be concluded of one: anything, what another neighbour in common supports, or nothing.
    """

    first: str
    second: str
    conclusion: str
    factor: float
    through: str = ""
    on_disorders: OnDisorders = "free"

    @property
    def name(self) -> str:
        """How the rule is named in the relations table."""
        return f"{self.first} . {self.second} -> {self.conclusion}"


#: Kinds of entities that pass on what they are part of: groups of categories. One of no known group may be anything.
THROUGH = {
    "molecules": frozenset({GENE, CHEMICAL, VARIANT, OTHER}),
    "chemicals": frozenset({CHEMICAL, OTHER}),
}
#: Chains of one predicate that give the same predicate.
_TRANSITIVE = {"subclass_of": 0.95, "part_of": 0.9, "located_in": 0.85, "causes": 0.9, "converts_to": 0.7}
#: Predicates with a sign that act on an amount or activity.
_EFFECTS = ("activates", "inhibits", "increases", "decreases")
#: Shares of annotated pairs among those that follow from BioRED's relations: 22 of 41 where one step at most lowers,
#: 4 of 16 where both do. All of them are about illnesses. Where a step lowers, 8 of 18 are annotated, and 4 of the 5
#: whose ends have another neighbour in common.
_EFFECT_FACTOR, _TWICE_LOWERED_FACTOR = 0.55, 0.3
#: A process that produces or brings about something passes on what that does.
_SOURCES = ("produces", "causes")
#: What holds of a class of drugs is taken to hold of its members, and of causes, of the wider kind of their effects.
_INHERITED = (
    "causes", "treats", "prevents", "activates", "inhibits", "increases", "decreases", "predisposes", "targets",
)  # fmt: skip
_WIDENED = ("causes", "predisposes", "located_in", "manifestation_of")
_HIERARCHY_FACTOR = 0.7
_PARTICULAR = (
    Rule("located_in", "part_of", "located_in", 0.85),
    Rule("part_of", "located_in", "located_in", 0.8),
    Rule("causes", "predisposes", "predisposes", 0.7),
    Rule("predisposes", "causes", "predisposes", 0.7),
    Rule("increases", "causes", "predisposes", 0.55),
    Rule("activates", "causes", "predisposes", 0.5),
    Rule("increases", "predisposes", "predisposes", 0.55),
)


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, at most one for a pair of predicates, sorted."""
    table: dict[tuple[str, str], Rule] = {}
    for rule in (*_PARTICULAR, *_generated()):
        table.setdefault((rule.first, rule.second), rule)
    return tuple(table[key] for key in sorted(table))


def rule_frame() -> pl.DataFrame:
    """The rules as a table to join with: first, second, conclusion, factor, through, on_disorders, rule."""
    return pl.DataFrame(
        [
            (
                rule.first,
                rule.second,
                rule.conclusion,
                rule.factor,
                rule.through,
                rule.on_disorders,
                rule.name,
            )
            for rule in rules()
        ],
        schema={
            "first": pl.String,
            "second": pl.String,
            "conclusion": pl.String,
            "factor": pl.Float64,
            "through": pl.String,
            "on_disorders": pl.String,
            "rule": pl.String,
        },
        orient="row",
    )


def _generated() -> Iterator[Rule]:
    for predicate, factor in _TRANSITIVE.items():
        yield Rule(predicate, predicate, predicate, factor)
    for predicate in _INHERITED:
        yield Rule("subclass_of", predicate, predicate, _HIERARCHY_FACTOR, through="chemicals")
    for predicate in _WIDENED:
        yield Rule(predicate, "subclass_of", predicate, _HIERARCHY_FACTOR)
    for first in (*_EFFECTS, *_SOURCES):
        for second in _EFFECTS:
            signs = PREDICATES[first].sign, PREDICATES[second].sign
            conclusion = "increases" if signs[0] * signs[1] > 0 else "decreases"
            if signs == (-1, -1):
                yield Rule(first, second, conclusion, _TWICE_LOWERED_FACTOR, "molecules", "never")
            else:
                yield Rule(first, second, conclusion, _EFFECT_FACTOR, "molecules", "supported")
