from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.evaluation.intervals import bootstrap, bootstrap_f1


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_the_interval_holds_the_mean_and_stays_in_range(values: list[float]) -> None:
    found = bootstrap(values, resamples=50)
    assert min(values) - 1e-9 <= found.low <= found.mean <= found.high <= max(values) + 1e-9


def test_the_seed_decides() -> None:
    values = [i * 0.37 % 1 for i in range(40)]
    assert bootstrap(values, seed=3) == bootstrap(values, seed=3)
    assert bootstrap(values, seed=3) != bootstrap(values, seed=4)


def test_more_questions_make_it_narrower() -> None:
    few, many = bootstrap([0.0, 1.0] * 10), bootstrap([0.0, 1.0] * 250)
    assert many.high - many.low < (few.high - few.low) / 3
    assert few.high - few.low == pytest.approx(0.44, abs=0.06)  # 2 x 1.96 x 0.5 / sqrt(20)


def test_nothing_has_no_interval() -> None:
    with pytest.raises(ValueError, match="no values"):
        bootstrap([])
    with pytest.raises(ValueError, match="level"):
        bootstrap([1.0], level=95)


def test_f1_is_of_all_articles_together_and_its_interval_of_articles_drawn() -> None:
    # Right, found, annotated: 3 of 4 found and 3 of 5 annotated make an F1 of 6/9.
    found = bootstrap_f1([(3, 3, 3), (0, 1, 2)])
    assert found.mean == pytest.approx(6 / 9)
    # Two articles can be drawn in three ways: the first twice (F1 1), the second twice (F1 0), or each once.
    assert (found.low, found.high, found.n) == (0.0, 1.0, 2)
    same = bootstrap_f1([(1, 2, 2)] * 9)
    assert (same.low, same.mean, same.high) == (0.5, 0.5, 0.5)
    assert bootstrap_f1([(0, 0, 0)]).mean == 0.0
    with pytest.raises(ValueError, match="no values"):
        bootstrap_f1([])


def test_f1_over_more_articles_is_surer() -> None:
    articles = [(1, 2, 1), (0, 1, 2), (2, 2, 3)]
    few, many = bootstrap_f1(articles * 4), bootstrap_f1(articles * 100)
    assert many.high - many.low < (few.high - few.low) / 3
