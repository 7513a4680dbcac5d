from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.graph.reader import Entity
from retrieval.words.name_guard import name_conflict, share_a_name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("IL-1", "IL-10"),
        ("interleukin 1", "interleukin 10"),
        ("TGF-α", "TGF-beta"),
        ("vitamin D", "vitamin K"),
        ("type I interferon", "type II interferon"),
        ("hypothyroidism", "hyperthyroidism"),
        ("CD4 T cells", "CD8 T cells"),
        ("interferon", "interferon gamma"),
        ("receptor agonist", "receptor antagonist"),
    ],
)
def test_like_names_of_other_things_are_kept_apart(one: str, other: str) -> None:
    assert name_conflict(one, other)
    assert name_conflict(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("butterfly", "adult butterflies"),
        ("type I interferon", "type 1 interferon"),
        ("TNF-α", "TNF alpha"),
        ("B cells", "autoreactive B cells"),
        ("lupus nephritis", "nephritis of lupus"),
    ],
)
def test_other_spellings_and_forms_are_not(one: str, other: str) -> None:
    assert name_conflict(one, other) == ""


@given(st.text(max_size=30), st.text(max_size=30))
def test_the_order_of_the_names_does_not_matter(one: str, other: str) -> None:
    assert bool(name_conflict(one, other)) == bool(name_conflict(other, one))
    assert name_conflict(one, one) == ""


def test_a_shared_alias_is_the_same_thing() -> None:
    one = Entity("1", "cisplatin", "biolink:Drug", ("CDDP",), 1, 1)
    other = Entity("2", "cis-platinum", "biolink:Drug", ("cddp",), 1, 1)
    third = Entity("3", "carboplatin", "biolink:Drug", (), 1, 1)
    assert share_a_name(one, other)
    assert not share_a_name(one, third)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("upstream", "downstream"),
        ("intrinsic", "extrinsic"),
        ("inclusion", "exclusion"),
        ("hypotension", "hypertension"),
        ("endocytosis", "exocytosis"),
        ("intercellular", "intracellular"),
    ],
)
def test_opposites_are_told_apart_whichever_list_knows_them(one: str, other: str) -> None:
    assert "opposed" in name_conflict(one, other)
    assert "opposed" in name_conflict(other, one)
