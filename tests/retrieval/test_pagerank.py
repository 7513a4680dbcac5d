from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.egot import understand
from retrieval.graph import Graph
from retrieval.pagerank import PageRankSettings, fuse, pagerank, rank_chunks, seed_weights, walk_search

SETTINGS = PageRankSettings()


@given(
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.floats(0.01, 1)), max_size=30),
    st.integers(0, 7),
)
def test_shares_sum_to_one_and_are_not_negative(edges: list[tuple[int, int, float]], seed: int) -> None:
    start = np.zeros(8)
    start[seed] = 2.0
    shares = pagerank(edges, start, SETTINGS)
    assert shares.sum() == pytest.approx(1.0)
    assert (shares >= 0).all()


def test_shares_fall_with_distance_and_stay_in_the_component() -> None:
    start = np.array([1.0, 0, 0, 0, 0])
    shares = pagerank([(0, 1, 1.0), (1, 2, 1.0), (3, 4, 1.0)], start, SETTINGS)
    assert shares[0] > shares[1] > shares[2] > 0
    assert shares[3] == shares[4] == 0


def test_fusion_prefers_what_two_rankings_agree_on() -> None:
    assert fuse([["a", "b", "c"], ["d", "b"]], 60)[0] == "b"
    assert fuse([["b"], ["a"]], 60) == ["a", "b"]


def test_the_walk_reaches_a_passage_that_shares_no_word_with_the_question(lupus_graph: Graph) -> None:
    question = understand("What does UV radiation lead to?", lupus_graph.context)
    reader = lupus_graph.reader
    ranked = dict(rank_chunks(reader, seed_weights(reader, question, SETTINGS), SETTINGS))
    assert ranked["PMC1:c1"] > 0  # autoantigens and immune complexes
    assert ranked["PMC1:c0"] > ranked.get("PMC4:c0", 0.0)


def test_a_foreign_question_walks_nowhere(lupus_graph: Graph) -> None:
    question = understand("What is the capital of France?", lupus_graph.context)
    assert walk_search(lupus_graph.context, question, SETTINGS).passages == ()


def test_ppr_answers_with_one_call(lupus_graph: Graph) -> None:
    answer = lupus_graph.ask("How is UV related to lupus?", method="ppr")
    assert answer.answered
    assert (answer.method, answer.usage.calls) == ("ppr", 1)
    assert len(answer.graph.edges) == 4


@pytest.mark.parametrize("question", ["What is the capital of France?", "Does aspirin prevent stroke?"])
def test_ppr_abstains_too(lupus_graph: Graph, question: str) -> None:
    assert not lupus_graph.ask(question, method="ppr").answered
