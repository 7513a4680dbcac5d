from __future__ import annotations

import time
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.inference.transitive import infer_typed
from kg_pipeline.inference.transitive_egot import EGOT_RULE, infer_egot


def typed(relations: pl.DataFrame, categories: dict[str, str] | None = None, **limits: int) -> pl.DataFrame:
    options = {"hub_degree": 200, "max_per_node": 20, "max_total": 1000, **limits}
    return infer_typed(relations, categories or {}, **options)


def triples(frame: pl.DataFrame) -> set[tuple[str, str, str]]:
    return set(frame.select("head_id", "predicate", "tail_id").rows())


def test_a_conclusion_lists_its_premises_and_is_less_sure_than_them(graph: Any) -> None:
    stated = graph([("A", "causes", "B", 0.9), ("B", "causes", "C", 0.8)])
    row = typed(stated).row(0, named=True)
    assert (row["head_id"], row["predicate"], row["tail_id"]) == ("A", "causes", "C")
    assert row["premises"] == stated["relation_id"].to_list()
    assert 0 < row["confidence"] <= 0.72 + 1e-6
    assert row["rule"] == "causes . causes -> causes"
    assert (row["kind"], row["n_evidence"], row["negated"], row["speculative"]) == (
        "transitive",
        0,
        False,
        False,
    )


def test_nothing_is_turned_round(graph: Any) -> None:
    stated = graph([("nucleus", "part_of", "cell"), ("drug", "treats", "disease")])
    assert typed(stated).is_empty()
    against = graph([("A", "causes", "B"), ("C", "causes", "B")])
    assert typed(against).is_empty()


def test_denied_doubted_and_contested_relations_are_no_premises(graph: Any) -> None:
    good = graph([("A", "causes", "B")])
    for bad in (graph([("B", "causes", "C")], negated=True), graph([("B", "causes", "C")], speculative=True)):
        assert typed(pl.concat([good, bad])).is_empty()
    contested = pl.concat([good, graph([("B", "causes", "C")]), graph([("B", "causes", "C")], negated=True)])
    assert typed(contested).is_empty()


def test_a_pair_that_the_texts_relate_is_left_to_the_texts(graph: Any) -> None:
    chain = [("A", "causes", "B"), ("B", "causes", "C")]
    assert typed(graph(chain)).height == 1
    assert typed(graph([*chain, ("A", "associated_with", "C")])).is_empty()
    assert typed(pl.concat([graph(chain), graph([("A", "causes", "C")], negated=True)])).is_empty()


def test_the_predicate_must_fit_the_categories(graph: Any) -> None:
    stated = graph([("drug", "increases", "B"), ("B", "causes", "C")])
    assert triples(typed(stated, {"C": "biolink:Disease"})) == {("drug", "predisposes", "C")}
    assert typed(stated, {"C": "biolink:Gene"}).is_empty()


def test_effects_are_passed_on_by_molecules_only(graph: Any) -> None:
    stated = graph([("drug", "increases", "B"), ("B", "decreases", "C")])
    for middle in ("biolink:Gene", "biolink:Drug", "biolink:SequenceVariant", "made:Up"):
        assert triples(typed(stated, {"B": middle})) == {("drug", "decreases", "C")}
    for middle in ("biolink:BiologicalProcess", "biolink:Disease", "biolink:Cell"):
        assert typed(stated, {"B": middle}).is_empty()
    causal = graph([("A", "causes", "B"), ("B", "causes", "C")])
    assert typed(causal, {"B": "biolink:Disease"}).height == 1


def test_members_inherit_from_classes_of_drugs_only(graph: Any) -> None:
    stated = graph([("member", "subclass_of", "class"), ("class", "treats", "C")])
    assert triples(typed(stated, {"class": "biolink:Drug"})) == {("member", "treats", "C")}
    assert typed(stated, {"class": "biolink:Gene"}).is_empty()


def test_one_cause_less_is_no_less_of_an_illness(graph: Any) -> None:
    for first in ("treats", "prevents", "inhibits", "decreases"):
        assert typed(graph([("drug", first, "B"), ("B", "causes", "C")])).is_empty()


def test_what_is_said_to_rise_and_to_fall_is_not_drawn(graph: Any) -> None:
    rising = [("A", "increases", "B"), ("B", "increases", "C")]
    falling = [("A", "inhibits", "D"), ("D", "increases", "C")]
    assert triples(typed(graph(rising))) == {("A", "increases", "C")}
    both = [*rising, *falling, ("A", "increases", "E"), ("E", "increases", "F")]
    assert triples(typed(graph(both))) == {("A", "increases", "F")}


def test_what_befalls_an_illness_needs_another_neighbour_in_common(graph: Any) -> None:
    kinds = {"C": "biolink:Disease", "N": "biolink:Gene"}
    chain = [("drug", "increases", "B", 0.9), ("B", "decreases", "C", 0.9)]
    assert typed(graph(chain), kinds).is_empty()
    assert typed(graph([*chain, ("drug", "binds", "N"), ("D", "associated_with", "C")]), kinds).is_empty()
    weak, sure = [("drug", "binds", "M", 0.3), ("M", "binds", "C", 0.3)], [("N", "binds", "drug", 0.25)]
    stated = graph([*chain, *weak, *sure, ("C", "correlated_with", "N", 0.95)])
    (row,) = typed(stated, kinds).iter_rows(named=True)
    assert (row["head_id"], row["predicate"], row["tail_id"]) == ("drug", "decreases", "C")
    known = {each["relation_id"]: each for each in stated.iter_rows(named=True)}
    named = [{known[each]["head_id"], known[each]["tail_id"]} for each in row["premises"]]
    assert named == [{"drug", "B"}, {"B", "C"}, {"drug", "M"}, {"M", "C"}]  # the surer of the two ways
    assert row["confidence"] == pytest.approx(0.3)
    for gone in row["premises"][2:]:
        left = stated.filter((pl.col("relation_id") != gone) & (pl.col("head_id") != "N"))
        assert typed(left, kinds).is_empty()
    assert typed(graph(chain), {"C": "biolink:Gene"}).height == 1


def test_a_hub_in_common_supports_nothing(graph: Any) -> None:
    chain = [("drug", "increases", "B"), ("B", "decreases", "C"), ("drug", "binds", "H"), ("H", "binds", "C")]
    stated = graph([*chain, *((f"x{i}", "binds", "H") for i in range(9))])
    assert typed(stated, {"C": "biolink:Disease"}).height == 1
    assert typed(stated, {"C": "biolink:Disease"}, hub_degree=8).is_empty()


def test_less_of_what_lessens_an_illness_brings_on_none(graph: Any) -> None:
    stated = graph(
        [("drug", "inhibits", "B"), ("B", "decreases", "C"), ("drug", "binds", "N"), ("N", "binds", "C")]
    )
    assert typed(stated, {"C": "biolink:Disease"}).is_empty()
    assert triples(typed(stated, {"C": "biolink:Gene"})) == {("drug", "increases", "C")}


def test_batches_do_not_show(graph: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    kinds = {f"e{i}": ("biolink:Disease" if i % 3 == 0 else "biolink:Gene") for i in range(40)}
    names = ["increases", "decreases", "causes", "binds", "activates"]
    drawn = {
        (f"e{h}", names[p], f"e{t}")
        for h, p, t in zip(*(random.integers(0, n, 400) for n in (40, 5, 40)), strict=True)
        if h != t
    }
    stated = graph(sorted(drawn))
    whole, published = typed(stated, kinds, max_per_node=3), infer_egot(stated, max_total=30)
    assert whole.height > 20
    for size in (1, 50):
        monkeypatch.setattr("kg_pipeline.inference.transitive._BATCH_PAIRS", size)
        monkeypatch.setattr("kg_pipeline.inference.transitive_egot._BATCH_PAIRS", size)
        monkeypatch.setattr("kg_pipeline.inference.support._BATCH_NEIGHBOURS", size)
        assert typed(stated, kinds, max_per_node=3).equals(whole)
        assert infer_egot(stated, max_total=30).equals(published)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("ABCDEFGH"), st.sampled_from("ABCDEFGH"), st.floats(0.0625, 1.0, width=16)),
        max_size=30,
        unique_by=lambda edge: edge[:2],
    ),
    st.integers(1, 9),
)
def test_the_published_rule_keeps_the_surest_of_all_pairs(graph: Any, edges: Any, total: int) -> None:
    stated = graph([(h, "causes", t, c) for h, t, c in edges if h != t])
    best: dict[frozenset[str], float] = {}
    rows = list(stated.iter_rows(named=True))
    for a in rows:
        for b in rows:
            if a["tail_id"] == b["head_id"] and a["head_id"] != b["tail_id"]:
                sure = min(round(a["confidence"] * b["confidence"], 6), a["confidence"], b["confidence"])
                pair = frozenset((a["head_id"], b["tail_id"]))
                best[pair] = max(best.get(pair, 0.0), sure)
    kept = infer_egot(stated, max_total=total)
    wanted = sorted(best.values(), reverse=True)[:total]
    assert sorted(kept["confidence"].to_list(), reverse=True) == pytest.approx(wanted, abs=1e-6)


def test_cycles_give_no_self_loops(graph: Any) -> None:
    stated = graph([("A", "causes", "B"), ("B", "causes", "C"), ("C", "causes", "A")])
    assert typed(stated).is_empty()  # each conclusion is the reverse of a stated relation
    longer = graph([("A", "causes", "B"), ("B", "causes", "C"), ("C", "causes", "D"), ("D", "causes", "A")])
    inferred = typed(longer)
    assert (inferred["head_id"] != inferred["tail_id"]).all()
    assert triples(inferred) == {
        ("A", "causes", "C"),
        ("C", "causes", "A"),
        ("B", "causes", "D"),
        ("D", "causes", "B"),
    }


def test_a_long_chain_is_no_recursion(graph: Any) -> None:
    size = 100_000
    names = [f"n{i:06d}" for i in range(size)]
    stated = graph([(names[i], "causes", names[i + 1]) for i in range(size - 1)])
    assert typed(stated, max_total=10**6).height == size - 2


def test_a_hub_is_capped_or_not_composed_through(graph: Any) -> None:
    into = [(f"in{i}", "causes", "hub") for i in range(100)]
    out = [("hub", "causes", f"out{i}") for i in range(100)]
    stated = graph([*into, *out])
    inferred = typed(stated, hub_degree=500, max_per_node=7)
    assert 0 < inferred.height <= 700
    assert inferred.group_by("head_id").len()["len"].max() <= 7
    assert inferred.group_by("tail_id").len()["len"].max() <= 7
    assert typed(stated, hub_degree=500, max_total=50).height == 50
    assert typed(stated, hub_degree=100).is_empty()


def test_the_surest_derivation_is_kept(graph: Any) -> None:
    stated = graph(
        [
            ("A", "causes", "B", 0.5),
            ("B", "causes", "C", 0.5),
            ("A", "causes", "D", 0.9),
            ("D", "causes", "C", 0.9),
        ]
    )
    inferred = typed(stated)
    assert inferred.height == 1
    assert inferred["confidence"][0] == pytest.approx(0.9**3)


def test_egot_is_blind_to_predicates_and_bounded_by_one_cap(graph: Any) -> None:
    stated = graph(
        [("A", "treats", "B"), ("B", "biomarker_of", "C"), ("C", "binds", "D"), ("X", "treats", "Y")]
    )
    inferred = infer_egot(stated, max_total=10)
    assert triples(inferred) == {("A", "related_to", "C"), ("B", "related_to", "D")}
    assert set(inferred["rule"]) == {EGOT_RULE}
    assert infer_egot(stated, max_total=1).height == 1
    assert infer_egot(stated, max_total=0).is_empty()


def test_five_thousand_entities_take_seconds(graph: Any) -> None:
    random = np.random.default_rng(7)
    heads, tails = (random.integers(0, 5000, 20_000) for _ in range(2))
    edges = sorted({(f"e{h}", "increases", f"e{t}") for h, t in zip(heads, tails, strict=True) if h != t})
    started = time.perf_counter()
    inferred = typed(graph(edges), max_total=200_000)
    assert time.perf_counter() - started < 30
    assert inferred.height > 10_000


EDGES = st.lists(
    st.tuples(
        st.sampled_from("ABCDEF"),
        st.sampled_from(["causes", "inhibits", "increases", "subclass_of", "part_of", "binds", "treats"]),
        st.sampled_from("ABCDEF"),
        st.floats(0.015625, 1.0, width=32),
    ),
    max_size=30,
    unique_by=lambda edge: edge[:3],
)


@settings(max_examples=60, deadline=None)
@given(EDGES, st.integers(0, 4), st.integers(0, 9), st.booleans())
def test_inferred_relations_stand_on_their_premises(
    graph: Any, edges: Any, per_node: int, total: int, egot: bool
) -> None:
    from_edges = graph(edges)
    inferred = (
        infer_egot(from_edges, max_total=total)
        if egot
        else typed(from_edges, max_per_node=per_node, max_total=total)
    )
    known = {row["relation_id"]: row for row in from_edges.iter_rows(named=True)}
    assert inferred.height <= total
    for row in inferred.iter_rows(named=True):
        first, second = (known[each] for each in row["premises"])
        assert first["tail_id"] == second["head_id"]
        assert 0 < row["confidence"] <= min(first["confidence"], second["confidence"])
        assert row["head_id"] != row["tail_id"]
    if not egot:
        for end in ("head_id", "tail_id"):
            assert all(n <= per_node for n in inferred.group_by(end).len()["len"])


@settings(max_examples=40, deadline=None)
@given(EDGES, st.randoms(use_true_random=False))
def test_row_order_does_not_show_and_a_gone_premise_takes_its_conclusions(
    graph: Any, edges: Any, random: Any
) -> None:
    stated = graph(edges)
    shuffled = graph(random.sample(edges, len(edges)))
    assert typed(stated).equals(typed(shuffled))
    if edges:
        gone = stated["relation_id"][0]
        remaining = typed(stated.filter(pl.col("relation_id") != gone))
        assert not remaining["premises"].list.contains(gone).any()
