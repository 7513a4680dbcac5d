from __future__ import annotations

from kg_pipeline.graph.inspection.hubs import find_hubs, hub_share


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


def test_the_share_of_relations_at_hubs_counts_each_relation_once(workplace):
    spokes = [("coenzyme A", "binds", f"enzyme{n}") for n in range(9)]
    others = [("ATP", "binds", f"kinase{n}") for n in range(7)] + [("ATP", "binds", "coenzyme A")]
    folder = workplace.build({"P1": spokes, "P2": [*others, ("a", "binds", "b"), ("c", "binds", "d")]})
    found = hub_share(folder, 6, shown=1)
    assert (found.n_hubs, found.n_touching, found.n_relations) == (2, 17, 19)
    assert [hub.name for hub in found.greatest] == ["coenzyme A"]
    assert found.share == 17 / 19
    none = hub_share(folder, 100)
    assert (none.n_hubs, none.greatest, none.share) == (0, (), 0.0)
