"""Ids that are named when they are asked for behave like those that were named at once."""

from __future__ import annotations

import pytest

from kg_pipeline.graph.traversal.naming import LaterDepths, LaterIds


def test_ids_are_named_once_and_only_when_they_are_asked_for():
    named = []

    def name():
        named.append("asked")
        return ["r1", "r2", "r3"]

    ids = LaterIds(name)
    assert named == []
    assert (len(ids), ids[0], ids[1:], list(ids), "r3" in ids) == (
        3,
        "r1",
        ("r2", "r3"),
        ["r1", "r2", "r3"],
        True,
    )
    assert ids == ("r1", "r2", "r3") == ids
    assert ids == LaterIds(lambda: ("r1", "r2", "r3"))
    assert ids != ("r1",)
    assert hash(ids) == hash(("r1", "r2", "r3"))
    assert named == ["asked"]


def test_the_number_of_nodes_is_known_without_their_names():
    depths = LaterDepths(2, lambda: pytest.fail("nobody asked for a name"))
    assert len(depths) == 2
    named = LaterDepths(2, lambda: {"b": 0, "a": 1})
    assert named == {"b": 0, "a": 1} == named
    assert (list(named), list(named.items()), named["a"], named.get("x")) == (
        ["b", "a"], [("b", 0), ("a", 1)], 1, None,
    )  # fmt: skip


def test_a_neighbourhood_can_still_be_named_after_its_reader_was_closed(versions):
    reader = versions.store.open("cytokines")
    expected = reader.expand(["E:TNF"], depth=2)
    part = reader.expand(["E:TNF"], depth=2)
    assert len(expected.relation_ids) > 0
    reader.close()
    assert (part.depths, part.relation_ids) == (expected.depths, expected.relation_ids)
