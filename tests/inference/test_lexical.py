from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.datasets import empty_frame
from kg_pipeline.inference.lexical import CONFIRMED_RULE, infer_egot, infer_typed
from kg_pipeline.vocabulary.index.lookup import Concept

DISEASE, GENE = "biolink:Disease", "biolink:Gene"


@dataclass(frozen=True)
class Known:
    """A vocabulary of a few concepts: child to parent; a concept without parent has an empty one."""

    parents: Mapping[str, str] = field(default_factory=dict)

    def concept(self, concept_id: str) -> Concept | None:
        if concept_id not in self.parents:
            return None
        return Concept(concept_id, concept_id, DISEASE, (concept_id,), ())

    def is_a(self, child: str, ancestor: str, max_depth: int = 12) -> bool:
        return self.parents.get(child) == ancestor


def entities(names: list[str] | dict[str, str]) -> pl.DataFrame:
    """Entities whose id is their name, diseases unless a mapping says otherwise."""
    categories = names if isinstance(names, dict) else dict.fromkeys(names, DISEASE)
    return pl.DataFrame(
        {"entity_id": list(categories), "name": list(categories), "category": list(categories.values())},
        schema={"entity_id": pl.String, "name": pl.String, "category": pl.String},
    )


def typed(names: list[str] | dict[str, str], known: Known | None = None, **limits: int) -> pl.DataFrame:
    options = {"max_per_node": 20, "max_total": 100, **limits}
    return infer_typed(entities(names), empty_frame("relations"), known or Known(), **options)


def triples(frame: pl.DataFrame) -> set[tuple[str, str, str]]:
    return set(frame.select("head_id", "predicate", "tail_id").rows())


def test_the_last_words_name_the_kind_and_the_first_a_relation() -> None:
    assert triples(typed(["lupus nephritis", "nephritis", "lupus"])) == {
        ("lupus nephritis", "subclass_of", "nephritis"),
        ("lupus", "related_to", "lupus nephritis"),
    }
    assert triples(typed(["carcinoma of lung", "carcinoma"])) >= {
        ("carcinoma of lung", "subclass_of", "carcinoma")
    }


@pytest.mark.parametrize(
    "names",
    [
        ["interleukin-6", "interferon"],
        ["interleukin-6", "interleukin-10"],
        ["interleukin-6", "interleukin"],
        ["non-small cell lung cancer", "small cell lung cancer"],
        ["type 2 diabetes", "type 1 diabetes"],
        ["TGF beta", "TGF"],
        ["rare disease", "disease"],  # says nothing
        ["anti-inflammatory response", "inflammatory response"],
        ["hepatitis B", "hepatitis C"],
        ["lupus", "lupus"],
    ],
)
def test_what_only_looks_alike_is_left_apart(names: list[str]) -> None:
    assert typed(dict.fromkeys(names, GENE)).is_empty()


def test_groups_are_never_crossed() -> None:
    assert typed({"lupus nephritis": DISEASE, "nephritis": GENE, "lupus": "biolink:NamedThing"}).is_empty()


def test_the_vocabulary_decides_where_it_knows_both() -> None:
    names = ["lupus nephritis", "nephritis"]
    unrelated = Known({"lupus nephritis": "", "nephritis": ""})
    assert typed(names, unrelated).is_empty()
    known = typed(names, Known({"lupus nephritis": "nephritis", "nephritis": ""}))
    assert set(known["rule"]) == {CONFIRMED_RULE}
    assert known["confidence"][0] > typed(names)["confidence"][0]
    numbered = ["type 2 diabetes", "diabetes"]
    assert typed(numbered).is_empty()
    assert typed(numbered, Known({"type 2 diabetes": "diabetes", "diabetes": ""})).height == 1


def test_the_most_particular_parent_is_taken() -> None:
    names = ["chronic lupus nephritis", "lupus nephritis", "nephritis"]
    parents = {
        t for h, p, t in triples(typed(names)) if h == "chronic lupus nephritis" and p == "subclass_of"
    }
    assert parents == {"lupus nephritis"}


def test_what_a_text_asserts_is_not_repeated(graph: Any) -> None:
    asserted = graph([("lupus nephritis", "subclass_of", "nephritis")])
    found = infer_typed(
        entities(["lupus nephritis", "nephritis"]), asserted, Known(), max_per_node=5, max_total=5
    )
    assert found.is_empty()


def test_caps_hold() -> None:
    names = ["nephritis", *(f"{word} nephritis" for word in ("acute", "lupus", "viral", "foetal", "toxic"))]
    assert typed(names, max_per_node=3).height == 3
    assert typed(names, max_total=2).height == 2


def test_egot_links_names_that_share_four_letters() -> None:
    names = entities(["capitalism", "capitalist decay", "capsule", "IL-6"])
    found = infer_egot(names, empty_frame("relations"), max_total=10)
    assert triples(found) == {("capitalism", "related_to", "capitalist decay")}
    assert infer_egot(names, empty_frame("relations"), max_total=0).is_empty()


NAMES = st.lists(
    st.lists(
        st.sampled_from(["lupus", "nephritis", "acute", "renal", "2", "beta", "non"]), min_size=1, max_size=4
    ).map(" ".join),
    unique=True,
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(NAMES, st.integers(0, 6))
def test_a_kind_ends_with_its_parent(names: list[str], total: int) -> None:
    found = typed(names, max_total=total)
    assert found.height <= total
    for head, predicate, tail in triples(found):
        assert head != tail
        if predicate == "subclass_of":
            assert head.endswith(tail)
        assert ("2" in head.split()) == ("2" in tail.split())
    assert typed(names[::-1], max_total=total).equals(found)
