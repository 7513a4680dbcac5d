"""Hypotheses from vectors of names: what they stand on, what they are never made of, and that they are reproducible."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.inference import near_names
from kg_pipeline.inference.community import NAMES_RULE, infer_offline
from kg_pipeline.schema import EMBEDDING_DIMENSIONS

DRUG, DISEASE, VARIANT = "biolink:Drug", "biolink:Disease", "biolink:SequenceVariant"
OPTIONS = {"hub_degree": 50, "max_per_node": 20, "max_total": 100}
#: Two groups that no relation joins but the last two: x is related to b, and a to y.
EDGES = [
    *((f"m{i}", "regulates", f"m{j}") for i, j in combinations(range(5), 2)),
    *((f"n{i}", "regulates", f"n{j}") for i, j in combinations(range(5), 2)),
    *(("a", "regulates", f"m{i}") for i in range(4)),
    *(("b", "regulates", f"n{i}") for i in range(4)),
    ("x", "treats", "b"),
    ("a", "treats", "y"),
]
KINDS = {"a": DRUG, "x": DRUG, "b": DISEASE, "y": DISEASE}


def vectors(near: dict[str, tuple[str, float]], others: tuple[str, ...] = ()) -> pl.LazyFrame:
    """Vectors of names: each name of `near` has this cosine with its model, all else are at right angles."""
    models = sorted({model for model, _ in near.values()} | set(others))
    rows = {model: np.eye(1, EMBEDDING_DIMENSIONS, i)[0] for i, model in enumerate(models)}
    for i, (name, (model, cosine)) in enumerate(sorted(near.items()), start=len(models)):
        rows[name] = cosine * rows[model] + (1 - cosine**2) ** 0.5 * np.eye(1, EMBEDDING_DIMENSIONS, i)[0]
    return pl.LazyFrame({"id": list(rows), "vector": np.array(list(rows.values()), np.float32)})


ALIKE = vectors({"x": ("a", 0.8), "y": ("b", 0.7)})


def drawn(graph: Any, edges: Any = EDGES, names: pl.LazyFrame = ALIKE, **kinds: str) -> pl.DataFrame:
    return infer_offline(graph(edges), KINDS | kinds, names, **OPTIONS)


def pairs(found: pl.DataFrame) -> set[tuple[str, str]]:
    return set(found.select("head_id", "tail_id").rows())


def test_each_end_is_related_to_something_with_a_name_like_the_other_end(graph: Any) -> None:
    stated = graph(EDGES)
    found = drawn(graph)
    assert pairs(found) == {("a", "b"), ("x", "y")}  # by the same two relations x is related to y
    row = found.filter(head_id="a").row(0, named=True)
    assert row["predicate"] == "related_to"
    assert row["kind"] == "community"
    assert row["speculative"]
    assert not row["negated"]
    assert row["rule"].startswith(f"{NAMES_RULE} those of x and y, across the communities of ")
    known = {each["relation_id"]: each for each in stated.iter_rows(named=True)}
    premises = [(known[each]["head_id"], known[each]["tail_id"]) for each in row["premises"]]
    assert sorted(premises) == [("a", "y"), ("x", "b")]
    assert row["confidence"] < 0.5 * min(known[each]["confidence"] for each in row["premises"])


@pytest.mark.parametrize("gone", [("x", "treats", "b"), ("a", "treats", "y")])
def test_a_hypothesis_goes_with_either_of_its_premises(graph: Any, gone: Any) -> None:
    assert drawn(graph, [each for each in EDGES if each != gone]).is_empty()


def test_what_is_denied_or_said_of_the_two_is_no_hypothesis(graph: Any) -> None:
    denied = graph([("b", "affects", "a")], negated=True)
    stated = pl.concat([graph(EDGES), denied])
    assert pairs(infer_offline(stated, KINDS, ALIKE, **OPTIONS)) == {("x", "y")}


def test_one_side_alone_is_not_enough(graph: Any) -> None:
    assert drawn(graph, names=vectors({"x": ("a", 0.99)}, others=("b", "y"))).is_empty()
    assert drawn(graph, names=vectors({"y": ("b", 0.99)}, others=("a", "x"))).is_empty()


def test_a_kind_is_like_its_own_kind_only(graph: Any) -> None:
    assert drawn(graph, x=DISEASE).is_empty()
    assert drawn(graph, b=DRUG, y=DRUG).is_empty()  # head and tail of one kind are alike, not related


def test_names_of_variants_say_nothing(graph: Any) -> None:
    assert drawn(graph, a=VARIANT, x=VARIANT).is_empty()


def test_less_near_names_need_a_neighbour_in_common(graph: Any) -> None:
    names = vectors({"x": ("a", 0.6), "y": ("b", 0.6)})
    assert drawn(graph, names=names).is_empty()
    met = [*EDGES, ("a", "affects", "c"), ("c", "affects", "b")]
    found = drawn(graph, met, names)
    assert pairs(found) == {("a", "b")}
    assert len(found["premises"][0]) == 4


def test_nothing_follows_from_a_hub(graph: Any) -> None:
    hub = [("x", "treats", f"z{i}") for i in range(51)]
    assert pairs(drawn(graph, [*EDGES, *hub])) == {
        ("x", "y")
    }  # x is a hub: it may be an end, and is no model


def test_entities_without_a_vector_and_graphs_without_any_are_left_alone(graph: Any) -> None:
    nothing = ALIKE.filter(pl.lit(value=False))
    assert drawn(graph, names=nothing).is_empty()
    assert infer_offline(graph([]), KINDS, ALIKE, **OPTIONS).is_empty()
    blank = ALIKE.with_columns(
        pl.lit([0.0] * EMBEDDING_DIMENSIONS, ALIKE.collect_schema()["vector"]).alias("vector")
    )
    assert drawn(graph, names=blank).is_empty()


def made_up(seed: int, size: int = 60) -> tuple[list[tuple[str, str, str]], dict[str, str], pl.LazyFrame]:
    rng = np.random.default_rng(seed)
    edges = sorted({(f"e{a:02}", f"e{b:02}") for a, b in rng.integers(0, size, (2 * size, 2)) if a != b})
    ids = [f"e{i:02}" for i in range(size)]
    kinds = {each: (DRUG, DISEASE, "biolink:Gene")[i % 3] for i, each in enumerate(ids)}
    names = rng.standard_normal((6, EMBEDDING_DIMENSIONS))[rng.integers(0, 6, size)]
    names = names + 0.5 * rng.standard_normal(names.shape)
    names /= np.linalg.norm(names, axis=1, keepdims=True)
    frame = pl.LazyFrame({"id": ids, "vector": names.astype(np.float32)})
    return [(a, "affects", b) for a, b in edges], kinds, frame


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_hypotheses_are_the_same_in_any_order_and_in_blocks(graph: Any, seed: int) -> None:
    edges, kinds, names = made_up(seed)
    stated = graph(edges)
    whole = infer_offline(stated, kinds, names, **OPTIONS)
    turned = infer_offline(stated.reverse(), kinds, names.reverse(), **OPTIONS)
    assert turned.equals(whole)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near_names, "_BLOCK_ENTRIES", 40)
        assert infer_offline(stated, kinds, names, **OPTIONS).equals(whole)
    known = set(stated["relation_id"])
    assert all(set(premises) <= known for premises in whole["premises"])


def test_there_are_hypotheses_to_compare(graph: Any) -> None:
    edges, kinds, names = made_up(1)
    found = infer_offline(graph(edges), kinds, names, **OPTIONS)
    assert found.filter(pl.col("rule").str.starts_with(NAMES_RULE)).height > 3


def test_cosines_are_the_same_by_any_number_of_threads() -> None:
    code = """
import hashlib, numpy as np
from kg_pipeline.inference.near_names import _alike
rows = np.rint(np.random.default_rng(3).standard_normal((700, 384)) * 30).clip(-127, 127).astype(np.float32)
rows[1::2] = np.rint(0.6 * rows[::2] + 0.4 * rows[1::2])
found = _alike(np.arange(700), rows, np.full(700, "gene"), np.zeros(700, bool))
print(len(found.cosine), hashlib.sha256(found.cosine.tobytes() + found.other.tobytes()).hexdigest())
"""
    told = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "OPENBLAS_NUM_THREADS": each},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for each in ("1", "2")
    ]
    assert told[0] == told[1]
    assert int(told[0].split()[0]) >= 700


def test_only_the_best_connected_names_are_compared(graph: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(graph).height == 2
    monkeypatch.setattr(near_names, "MOST_NAMES", 2)  # a and b, and none that they are like
    assert drawn(graph).is_empty()
