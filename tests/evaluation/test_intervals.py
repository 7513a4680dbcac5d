from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.evaluation.intervals import bootstrap


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
