from __future__ import annotations

from typing import Any

import pytest

from kg_pipeline.extraction.annotations.indra import read_statement
from kg_pipeline.extraction.annotations.records import BroughtRelation, Unreadable

EVIDENCE = {
    "source_api": "reach",
    "pmid": "44",
    "text": "ERK2 phosphorylates Elk-1.",
    "annotations": {"agents": {"raw_text": ["ERK2", "Elk-1"]}},
    "epistemics": {"negated": True, "hypothesis": True},
}
MAPK1 = {"name": "MAPK1", "db_refs": {"HGNC": "6871", "TEXT": "ERK-2", "UP": "P28482"}}
ELK1 = {"name": "ELK1", "db_refs": {"HGNC": "3321"}}


def read(**parts: Any) -> list[Any]:
    return list(read_statement({"evidence": [EVIDENCE], **parts}, "item 1"))


def test_a_statement_has_the_words_of_its_evidence_before_the_standard_names() -> None:
    (found,) = read(type="Phosphorylation", enz=MAPK1, sub=ELK1)
    assert isinstance(found, BroughtRelation)
    assert found.head.names == ("ERK2", "ERK-2", "MAPK1")
    assert found.tail.names == ("Elk-1", "ELK1")
    assert (found.head.identifiers, found.head.category) == (("HGNC:6871",), "biolink:Gene")
    assert (found.quotes, found.is_quoted) == (("ERK2 phosphorylates Elk-1.",), True)
    assert (found.negated, found.speculative, found.source) == (True, True, "INDRA/reach")


@pytest.mark.parametrize(
    ("statement", "ends"),
    [
        ({"type": "Activation", "subj": MAPK1, "obj": ELK1}, [("MAPK1", "ELK1")]),
        ({"type": "Gef", "gef": MAPK1, "ras": ELK1}, [("MAPK1", "ELK1")]),
        ({"type": "Complex", "members": [MAPK1, ELK1]}, [("MAPK1", "ELK1")]),
        ({"type": "Conversion", "subj": None, "obj_from": [MAPK1], "obj_to": [ELK1]}, [("MAPK1", "ELK1")]),
        ({"type": "Influence", "subj": {"concept": MAPK1}, "obj": {"concept": ELK1}}, [("MAPK1", "ELK1")]),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else "",
)
def test_agents_of_each_kind_of_statement(statement: dict[str, Any], ends: list[tuple[str, str]]) -> None:
    assert [(found.head.names[-1], found.tail.names[-1]) for found in read(**statement)] == ends


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [(1, -1, "Influence negative"), (-1, -1, "Influence positive"), (None, 1, "Influence")],
)
def test_an_influence_has_the_sign_of_both_deltas(first: int | None, second: int, kind: str) -> None:
    ends = [
        {"concept": agent, "delta": {"polarity": sign}} for agent, sign in ((MAPK1, first), (ELK1, second))
    ]
    (found,) = read(type="Influence", subj=ends[0], obj=ends[1])
    assert found.relation == kind


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ({"type": "Autophosphorylation", "enz": MAPK1}, "not_binary"),
        ({"type": "Phosphorylation", "enz": None, "sub": ELK1}, "not_binary"),
        ({"type": "Complex", "members": [MAPK1] * 9}, "not_binary"),
        ({"type": "Activation", "subj": MAPK1, "obj": ELK1, "evidence": []}, "no_evidence"),
        ({"type": "Activation", "subj": MAPK1, "obj": ELK1, "evidence": ["x"]}, "malformed"),
        ({"type": "Activation", "subj": MAPK1, "obj": ELK1, "evidence": [{"text": "x"}]}, "no_article"),
    ],
    ids=["one agent", "no enzyme", "large complex", "no evidence", "evidence of no shape", "no article"],
)
def test_why_a_statement_gives_no_relation(statement: dict[str, Any], reason: str) -> None:
    (found,) = read(**statement)
    assert isinstance(found, Unreadable)
    assert found.reason == reason


@pytest.mark.parametrize(
    "value", [None, 7, "x", [], {}, [[]], {"name": []}, {"name": "A", "db_refs": {"HGNC": [["1", 0.5]]}}]
)
@pytest.mark.parametrize("field", ["subj", "obj", "members", "evidence"])
def test_fields_of_wrong_types_break_nothing(field: str, value: Any) -> None:
    statement = {"type": "Activation", "subj": MAPK1, "obj": ELK1, field: value}
    assert all(isinstance(found, BroughtRelation | Unreadable) for found in read(**statement))


def test_evidence_without_a_text_is_looked_for_in_its_article() -> None:
    (found,) = read(
        type="Inhibition", subj=MAPK1, obj=ELK1, evidence=[{"source_api": "biopax", "pmid": "44"}]
    )
    assert (found.quotes, found.is_quoted) == ((), False)
