from __future__ import annotations

from kg_pipeline.graph.hubs import find_hubs


def test_a_promiscuous_node_is_named_with_the_sources_of_its_relations(workplace):
    articles = {
        "P1": [("coenzyme A", "binds", f"enzyme{n}") for n in range(9)],
        "P2": [("coenzyme A", "part_of", "cell"), ("enzyme1", "part_of", "cell")],
    }
    folder = workplace.build(articles)
    (hub,) = find_hubs(folder, 6)
    assert (hub.entity_id, hub.degree) == ("E:coenzyme A", 10)
    assert hub.predicates == (("binds", 9), ("part_of", 1))
    assert hub.articles == (("P1", 9), ("P2", 1))
    assert str(hub).startswith("coenzyme A [E:coenzyme A] has 10 relations: binds (9), part_of (1), P1 (9)")
    assert find_hubs(folder, 10) == []
