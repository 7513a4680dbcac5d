"""Which two relations make a third: from (a, p, b) and (b, q, c) to (a, r, c).

Composition keeps direction, multiplies signs and never turns an edge round: from "X treats Y" nothing follows about
what Y does to X. Associations, correlations, bindings and biomarkers are not composed; they are not transitive.
Each rule has a factor below one, by which the conclusion is less sure than its premises taken together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import polars as pl

from kg_pipeline.vocabulary.predicates import PREDICATES


@dataclass(frozen=True, slots=True)
class Rule:
    """`first` then `second` gives `conclusion`, `factor` times as sure as both premises."""

    first: str
    second: str
    conclusion: str
    factor: float

    @property
    def name(self) -> str:
        """How the rule is named in the relations table."""
        return f"{self.first} . {self.second} -> {self.conclusion}"


#: Chains of one predicate that give the same predicate.
_TRANSITIVE = {"subclass_of": 0.95, "part_of": 0.9, "located_in": 0.85, "causes": 0.9, "converts_to": 0.7}
#: Predicates with a sign that act on an amount or activity.
_EFFECTS = ("activates", "inhibits", "increases", "decreases")
_EFFECT_FACTOR = 0.7
#: A process that produces or brings about something passes on what that does.
_SOURCES = ("produces", "causes")
#: What holds of a kind is taken to hold of its members, and of causes, of the wider kind of their effects.
_INHERITED = (
    "causes", "treats", "prevents", "activates", "inhibits", "increases", "decreases", "regulates", "predisposes", "targets",
)  # fmt: skip
_WIDENED = ("causes", "predisposes", "located_in", "manifestation_of")
_HIERARCHY_FACTOR = 0.7
_PARTICULAR = (
    Rule("located_in", "part_of", "located_in", 0.85),
    Rule("part_of", "located_in", "located_in", 0.8),
    Rule("causes", "predisposes", "predisposes", 0.7),
    Rule("predisposes", "causes", "predisposes", 0.7),
    Rule("increases", "causes", "predisposes", 0.6),
    Rule("activates", "causes", "predisposes", 0.5),
    Rule("increases", "predisposes", "predisposes", 0.6),
    Rule("decreases", "causes", "decreases", 0.5),
    Rule("inhibits", "causes", "decreases", 0.5),
    Rule("prevents", "causes", "decreases", 0.6),
    Rule("treats", "causes", "decreases", 0.5),
)


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, at most one for a pair of predicates, sorted."""
    table: dict[tuple[str, str], Rule] = {}
    for rule in (*_PARTICULAR, *_generated()):
        table.setdefault((rule.first, rule.second), rule)
    return tuple(table[key] for key in sorted(table))


def rule_frame() -> pl.DataFrame:
    """The rules as a table to join with: first, second, conclusion, factor, rule."""
    return pl.DataFrame(
        [(rule.first, rule.second, rule.conclusion, rule.factor, rule.name) for rule in rules()],
        schema={
            "first": pl.String,
            "second": pl.String,
            "conclusion": pl.String,
            "factor": pl.Float64,
            "rule": pl.String,
        },
        orient="row",
    )


def _generated() -> Iterator[Rule]:
    for predicate, factor in _TRANSITIVE.items():
        yield Rule(predicate, predicate, predicate, factor)
    for predicate in _INHERITED:
        yield Rule("subclass_of", predicate, predicate, _HIERARCHY_FACTOR)
    for predicate in _WIDENED:
        yield Rule(predicate, "subclass_of", predicate, _HIERARCHY_FACTOR)
    for first in (*_EFFECTS, *_SOURCES):
        for second in _EFFECTS:
            sign = PREDICATES[first].sign * PREDICATES[second].sign
            yield Rule(first, second, "increases" if sign > 0 else "decreases", _EFFECT_FACTOR)
        yield Rule(first, "regulates", "regulates", _EFFECT_FACTOR)
    for second in (*_EFFECTS, "regulates"):
        yield Rule("regulates", second, "regulates", _EFFECT_FACTOR)
