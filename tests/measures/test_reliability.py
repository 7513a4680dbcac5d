from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.evaluation.reliability import Judged, Reliability, cross_fitted, fit_scale, rescaled
from kg_pipeline.extraction.relation_model.calibration import Scale, load_scales


def promises(*shares: tuple[float, float], each: int = 300) -> list[Judged]:
    """For each promised and observed share so many triples, spread over thirty articles."""
    rng = np.random.default_rng(1)
    return [
        Judged(promised, bool(rng.random() < observed), f"A{i % 30:02}", promised)
        for promised, observed in shares
        for i in range(each)
    ]


def test_an_exact_reader_is_off_by_no_more_than_chance() -> None:
    exact = Reliability.of("r", promises((0.6, 0.6), (0.75, 0.75), (0.9, 0.9)))
    assert exact.error < 2 * exact.of_chance
    assert [row.triples for row in exact.bins] == [180] * 5
    assert (exact.bins[0].low, exact.bins[-1].high) == (0.6, 0.9)


def test_what_promises_too_much_is_put_right_on_articles_not_seen() -> None:
    bold = promises((0.8, 0.6), (0.9, 0.7), (0.97, 0.8))
    before = Reliability.of("r", bold)
    after = Reliability.of("r", cross_fitted(bold))
    assert before.error == pytest.approx(0.19, abs=0.04)
    assert after.error < before.error / 3
    assert after.observed == before.observed
    assert [row.triples for row in after.bins] == [row.triples for row in before.bins]


def test_a_scale_that_fits_is_left_and_few_triples_move_as_a_whole() -> None:
    fitting = fit_scale(promises((0.6, 0.6), (0.75, 0.75), (0.9, 0.9), each=3000))
    assert fitting.slope == pytest.approx(1, abs=0.15)
    assert fitting.offset == pytest.approx(0, abs=0.15)
    few = promises((0.7, 0.4), (0.8, 0.4), each=12)
    assert {each.raw: each.confidence for each in rescaled(few, fit_scale(few))}[0.8] < 0.65


def test_few_or_no_triples_make_few_bins() -> None:
    assert len(Reliability.of("r", promises((0.7, 0.7), each=20)).bins) == 1
    assert Reliability.of("r", []).bins == ()


@given(
    confidence=st.floats(0, 1),
    slope=st.floats(0.1, 2),
    offset=st.floats(-3, 3),
)
def test_a_scale_keeps_the_order_and_stays_a_probability(
    confidence: float, slope: float, offset: float
) -> None:
    scale = Scale(slope, offset)
    assert 0 <= scale.of(confidence) <= 1
    assert scale.of(confidence) <= scale.of(min(1.0, confidence + 0.05))
    assert Scale().of(0.7) == pytest.approx(0.7, abs=1e-4)


def test_every_reader_has_a_scale_that_keeps_its_order() -> None:
    scales = load_scales()
    assert set(scales) == {"rules", "model", "abstract", "neighbours"}
    assert all(scale.slope > 0 for scale in scales.values())
