from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.graph.reader import ASSERTED, Relation
from retrieval.graph import Graph
from retrieval.search import SearchSettings, cut, exploration_depth


def test_depth_follows_equation_8_at_its_borders() -> None:
    settings = SearchSettings()
    depths = [exploration_depth(value, settings) for value in (-1.0, 0.29, 0.3, 0.9, 0.91)]
    assert depths == [0, 0, 1, 1, 2]


def test_published_values_are_the_defaults() -> None:
    assert (SearchSettings().shallow, SearchSettings().deep) == (0.3, 0.9)


@pytest.mark.parametrize(("shallow", "deep"), [(0.9, 0.3), (0.0, 0.9), (0.3, 1.0)])
def test_thresholds_out_of_order_are_refused(shallow: float, deep: float) -> None:
    with pytest.raises(ValueError, match="0 < shallow < deep < 1"):
        SearchSettings(shallow=shallow, deep=deep)


def test_passages_over_the_threshold_come_with_their_documents(lupus_graph: Graph) -> None:
    found = lupus_graph.search("UV radiation and keratinocyte apoptosis")
    assert found.passages[0].chunk.chunk_id == "PMC1:c0"
    assert all(passage.score >= SearchSettings().threshold for passage in found.passages)
    assert [d.article_id for d in found.documents] == list(
        dict.fromkeys(p.chunk.article_id for p in found.passages)
    )


def test_a_near_entity_is_explored_two_steps_deep_and_a_far_one_not_at_all(lupus_graph: Graph) -> None:
    found = lupus_graph.search("UV radiation")
    distance = {seed.entity.entity_id: seed.distance for seed in found.entities}
    assert distance["C1"] == 0
    assert distance["C2"] <= 1
    assert distance["C3"] <= 2
    assert "C15" not in distance  # stroke is neither near the query nor near an entity that is


def test_a_foreign_query_finds_nothing(lupus_graph: Graph) -> None:
    found = lupus_graph.search("capital of France")
    assert (found.passages, found.entities, found.relations, found.text) == ((), (), (), "")


def test_the_layout_is_the_published_one(lupus_graph: Graph) -> None:
    lines = lupus_graph.search("plasmacytoid dendritic cell type I interferon").text.splitlines()
    assert any(line.startswith("Chunk: PMC3:c0 (score 0.") for line in lines)
    assert "Cell: C8 (plasmacytoid dendritic cell; pDC)" in lines
    assert "Subject: C8 (plasmacytoid dendritic cell) PRODUCES Object: C7 (type I interferon)" in lines


def test_inferred_relations_are_marked_and_come_after_stated_ones(lupus_graph: Graph) -> None:
    found = lupus_graph.search("plasmacytoid dendritic cell type I interferon")
    kinds = [relation.kind for relation in found.relations]
    assert "transitive" in kinds
    assert kinds == sorted(kinds, key=lambda kind: kind != "asserted")
    assert "[inferred: transitive]" in found.text


def test_kinds_can_be_left_out(lupus_graph: Graph) -> None:
    found = lupus_graph.search("plasmacytoid dendritic cell", SearchSettings(kinds=ASSERTED))
    assert {relation.kind for relation in found.relations} == {"asserted"}


def test_searching_twice_gives_the_same(lupus_graph: Graph) -> None:
    assert lupus_graph.search("lupus and UV") == lupus_graph.search("lupus and UV")


def relation(i: int, head: str, tail: str, kind: str = "asserted") -> Relation:
    return Relation(f"r{i:03}", kind, head, "binds", tail, False, False, 0.5, 1, 1, (), "")


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.booleans()), max_size=80))
def test_the_cut_is_bounded_and_ignores_the_order_it_gets(edges: list[tuple[int, int, bool]]) -> None:
    rows = [
        relation(i, f"e{a}", f"e{b}", "asserted" if s else "lexical") for i, (a, b, s) in enumerate(edges)
    ]
    settings = SearchSettings(max_relations=10, per_entity=3)
    kept = cut(rows, {f"e{i}": i / 5 for i in range(6)}, settings)
    assert len(kept) <= 10
    assert kept == cut(rows[::-1], {f"e{i}": i / 5 for i in range(6)}, settings)
    assert [r.kind for r in kept] == sorted((r.kind for r in kept), key=lambda kind: kind != "asserted")


def test_a_hub_does_not_take_all_places() -> None:
    hub = [relation(i, "hub", f"e{i}") for i in range(200)]
    other = [relation(300, "a", "b")]
    kept = cut([*hub, *other], {"hub": 1.0, "a": 0.1, "b": 0.1}, SearchSettings())
    assert other[0] in kept
    assert sum(r.head_id == "hub" for r in kept) <= 3 * SearchSettings().per_entity
