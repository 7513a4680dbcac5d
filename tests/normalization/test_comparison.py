from __future__ import annotations

from kg_pipeline.normalization.comparison import NO_REASON, compare
from kg_pipeline.normalization.standardise import Form


def form(name: str, count: int = 1, category: str = "biolink:Disease", concept: str | None = None) -> Form:
    return Form(name, category, concept, count)


def test_the_published_stem_joins_what_guards_keep_apart_with_the_reason() -> None:
    found = compare(
        [
            form("hypertension", 5),
            form("hyperthyroidism", 3),
            form("IL-6", 4, "biolink:Gene"),
            form("interleukin-6", 2, "biolink:Gene", "HGNC:6018"),
            form("interferon gamma", 7, "biolink:Gene", "HGNC:5438"),
        ]
    )
    assert (found.guarded_entities, found.egot_entities) == (5, 3)
    reasons = {(one.name, one.other): one.reason for one in found.only_egot}
    assert reasons["interleukin-6", "interferon gamma"] == "concepts differ: HGNC:5438 | HGNC:6018"
    assert reasons["hyperthyroidism", "hypertension"] == NO_REASON
    assert found.objections == {"concepts differ": 1, NO_REASON: 1}


def test_the_guards_join_spellings_that_a_stem_does_not() -> None:
    found = compare([form("IL-6", 4, "biolink:Gene"), form("IL 6", 2, "biolink:Gene")])
    assert found.guarded_entities == 1
    assert [(one.name, one.other) for one in found.only_guarded] == [("IL 6", "IL-6")]


def test_nothing_to_compare_is_nothing_joined() -> None:
    found = compare([])
    assert (found.forms, found.only_egot, found.only_guarded) == (0, (), ())
