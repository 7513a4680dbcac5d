"""Traversal rules on graphs small enough to see: hubs, classes, caps, ranked paths; and against brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.graph.reader import ALL_KINDS
from kg_pipeline.graph.snapshot.adjacency import Adjacency, build_adjacency
from kg_pipeline.graph.traversal.expansion import expand
from kg_pipeline.graph.traversal.paths import best_paths


def graph_of(edges):
    """Adjacency of (head, predicate, tail, kind, confidence); nodes are numbered by sorted name."""
    names = sorted({end for head, _, tail, *_ in edges for end in (head, tail)})
    entities = pa.table({"entity_id": pa.array(names, pa.large_string())})
    columns = {
        "relation_id": [f"r{number:03d}" for number in range(len(edges))],
        "head_id": [edge[0] for edge in edges],
        "predicate": [edge[1] for edge in edges],
        "tail_id": [edge[2] for edge in edges],
        "kind": [edge[3] for edge in edges],
    }
    arrays = {name: pa.array(values, pa.large_string()) for name, values in columns.items()}
    relations = pa.table({**arrays, "confidence": pa.array([edge[4] for edge in edges], pa.float32())})
    return names, Adjacency(**build_adjacency(entities, relations))


def asserted(*edges):
    return graph_of([(head, predicate, tail, "asserted", 0.5) for head, predicate, tail in edges])


def reach(names, adjacency, seed, depth, **options):
    options = {"kinds": ALL_KINDS, "per_node": 50, "max_nodes": 500, **options}
    found = expand(adjacency, [names.index(seed)], depth=depth, **options)
    depths = zip(found.nodes().tolist(), found.depths().tolist(), strict=True)
    return {names[node]: level for node, level in depths}, found


def test_a_class_is_not_a_bridge_between_its_members():
    names, graph = asserted(
        ("TP53", "subclass_of", "gene"), ("INS", "subclass_of", "gene"), ("TP53", "binds", "MDM2")
    )
    assert reach(names, graph, "INS", 2)[0] == {"INS": 0, "gene": 1}
    ends = names.index("INS"), names.index("TP53")
    assert best_paths(graph, *ends, max_length=4, k=5, kinds=ALL_KINDS, per_node=50) == []
    assert reach(names, graph, "gene", 1)[0] == {"gene": 0, "INS": 1, "TP53": 1}, (
        "asked for itself, it has members"
    )


def test_a_class_is_passed_where_something_else_leads_to_it():
    names, graph = asserted(
        ("kidney injury", "subclass_of", "injury"),
        ("NSAID", "causes", "injury"),
        ("aspirin", "subclass_of", "NSAID"),
    )
    assert reach(names, graph, "NSAID", 2)[0]["kidney injury"] == 2
    ends = names.index("aspirin"), names.index("kidney injury")
    (path,) = best_paths(graph, *ends, max_length=4, k=5, kinds=ALL_KINDS, per_node=50)
    assert [names[node] for node in path.nodes] == ["aspirin", "NSAID", "injury", "kidney injury"]


def test_a_hub_gives_only_its_best_relations():
    edges = [("hub", "binds", f"n{i:03d}", "asserted", 0.25) for i in range(200)]
    edges += [("hub", "treats", "best", "asserted", 0.75), ("hub", "causes", "guess", "transitive", 1.0)]
    names, graph = graph_of(edges)
    found, expansion = reach(names, graph, "hub", 1, per_node=2)
    assert set(found) == {"hub", "best", "n000"}
    assert expansion.truncated
    assert set(reach(names, graph, "hub", 1, per_node=1, kinds={"transitive"})[0]) == {"hub", "guess"}


def test_room_goes_to_the_best_relations_of_a_level():
    names, graph = graph_of([("a", "binds", f"n{i}", "asserted", 0.125 * i) for i in range(1, 7)])
    found, expansion = reach(names, graph, "a", 1, max_nodes=3)
    assert list(found) == ["a", "n6", "n5"]
    assert len(expansion.ranks()) == 2


def test_equally_long_paths_are_ordered_by_the_product_of_confidences():
    names, graph = graph_of(
        [
            ("a", "binds", "low", "asserted", 1.0), ("low", "binds", "z", "asserted", 0.25),
            ("a", "binds", "mid", "asserted", 0.75), ("mid", "binds", "z", "asserted", 0.75),
            ("a", "binds", "x", "asserted", 1.0), ("x", "binds", "y", "asserted", 1.0), ("y", "binds", "z", "asserted", 1.0),
            ("a", "causes", "mid", "asserted", 0.5),
        ]
    )  # fmt: skip
    ends = names.index("a"), names.index("z")
    found = best_paths(graph, *ends, max_length=4, k=9, kinds=ALL_KINDS, per_node=50)
    assert [[names[node] for node in path.nodes[1:-1]] for path in found] == [["mid"], ["low"], ["x", "y"]]


nodes = st.sampled_from("abcdefg")
edge = st.tuples(
    nodes,
    st.sampled_from(["binds", "causes"]),
    nodes,
    st.sampled_from(["asserted", "transitive", "lexical"]),
    st.sampled_from([0.25, 0.5, 0.75, 1.0]),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(edge, min_size=1, max_size=14))
def test_paths_are_those_of_brute_force(edges):
    names, graph = graph_of(edges)
    best: dict[frozenset[str], float] = {}
    order = sorted(range(len(edges)), key=lambda i: (edges[i][3] != "asserted", -edges[i][4], i))
    for number in order:
        head, _, tail, _, confidence = edges[number]
        best.setdefault(frozenset((head, tail)), confidence)
    source, target = names[0], names[-1]
    expected = []
    for length in range(1, 5):
        for middle in itertools.permutations([n for n in names if n not in (source, target)], length - 1):
            hops = list(itertools.pairwise((source, *middle, target)))
            if source != target and all(frozenset(hop) in best for hop in hops):
                expected.append((length, -float(np.prod([best[frozenset(hop)] for hop in hops])), middle))
    found = best_paths(graph, 0, len(names) - 1, max_length=4, k=10_000, kinds=ALL_KINDS, per_node=100)
    assert {tuple(names[n] for n in path.nodes[1:-1]) for path in found} == {
        middle for *_, middle in expected
    }
    products = [
        (len(path.ranks), -float(np.prod(graph.confidence_by_rank[list(path.ranks)].astype(float))))
        for path in found
    ]
    assert products == sorted((length, product) for length, product, _ in expected)


@settings(max_examples=60, deadline=None)
@given(st.lists(edge, min_size=1, max_size=14), st.integers(0, 3))
def test_without_caps_expansion_reaches_what_a_plain_search_reaches(edges, depth):
    names, graph = graph_of(edges)
    level = {names[0]: 0}
    for step in range(1, depth + 1):
        near = [e for e in edges if {e[0], e[2]} & {n for n, at in level.items() if at == step - 1}]
        for head, _, tail, *_ in near:
            level.setdefault(head, step)
            level.setdefault(tail, step)
    found, expansion = reach(names, graph, names[0], depth)
    assert found == level
    assert not expansion.truncated
    touched = {n for n, at in level.items() if at < depth}
    assert len(expansion.ranks()) == sum(bool({e[0], e[2]} & touched) for e in edges)


def plain_expansion(edges, seeds, depth, kinds, per_node, max_nodes):
    """The rules of the contract word by word, without arrays."""
    order = sorted(edges, key=lambda e: (e[3] != "asserted", -e[4], edges.index(e)))
    depths = dict.fromkeys(dict.fromkeys(seeds[:max_nodes]), 0)
    frontier, classes, met, cut = list(depths), set(), set(), len(set(seeds)) > max_nodes
    for level in range(1, depth + 1):
        steps = []
        for node in frontier:
            touching = [n for n, e in enumerate(order) if node in (e[0], e[2]) and e[3] in kinds]
            cut |= len(touching) > per_node
            for rank in touching[:per_node]:
                head, predicate, tail, *_ = order[rank]
                is_descent = predicate == "subclass_of" and node == tail != head
                if not (is_descent and node in classes):
                    steps.append((rank, node, tail if node == head else head, predicate))
        ways = {}
        known = set(depths)
        for rank, node, other, predicate in sorted(steps):
            if other not in depths:
                if len(depths) >= max_nodes:
                    cut = True
                    continue
                depths[other] = level
            met.add(rank)
            if other not in known:
                ways.setdefault(other, set()).add(predicate == "subclass_of" and node == order[rank][0])
        frontier = list(ways)
        classes = {other for other, climbed in ways.items() if climbed == {True}}
    return depths, sorted(met), cut


taxonomic_edge = st.tuples(
    nodes,
    st.sampled_from(["binds", "subclass_of"]),
    nodes,
    st.sampled_from(["asserted", "transitive"]),
    st.sampled_from([0.25, 0.5, 1.0]),
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(taxonomic_edge, min_size=1, max_size=18, unique=True),
    st.lists(st.integers(0, 6), min_size=1, max_size=3, unique=True),
    st.integers(0, 3),
    st.sampled_from([ALL_KINDS, {"asserted"}, {"transitive"}]),
    st.integers(1, 6),
    st.integers(1, 8),
)
def test_an_expansion_with_caps_is_that_of_the_rules_read_word_by_word(
    edges, seeds, depth, kinds, per_node, max_nodes
):
    names, graph = graph_of(edges)
    chosen = [seed for seed in seeds if seed < len(names)]
    options = {"depth": depth, "kinds": kinds, "per_node": per_node, "max_nodes": max_nodes}
    found = expand(graph, chosen, **options)
    depths, met, cut = plain_expansion(edges, [names[seed] for seed in chosen], **options)
    reached = zip(found.nodes().tolist(), found.depths().tolist(), strict=True)
    assert [(names[node], level) for node, level in reached] == list(depths.items())
    assert found.ranks().tolist() == met
    assert found.truncated == cut


@settings(max_examples=60, deadline=None)
@given(
    st.lists(edge, min_size=1, max_size=20), st.integers(1, 4), st.sets(st.sampled_from(sorted(ALL_KINDS)))
)
def test_incident_relations_are_the_best_of_each_node(edges, per_node, kinds):
    names, graph = graph_of(edges)
    order = sorted(range(len(edges)), key=lambda i: (edges[i][3] != "asserted", -edges[i][4], i))
    met = graph.incident(np.arange(len(names)), kinds, per_node)
    for node, name in enumerate(names):
        touching = [
            r for r, i in enumerate(order) if name in (edges[i][0], edges[i][2]) and edges[i][3] in kinds
        ]
        assert sorted(met.rank[met.owner == node].tolist()) == touching[:per_node]
