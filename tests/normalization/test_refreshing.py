"""Standardising what changed gives what standardising everything gives, whatever was added, taken away or counted anew."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.normalization import refreshing
from kg_pipeline.normalization.refreshing import GIVEN, STATE, forms_of, standardise_again
from kg_pipeline.normalization.standardise import Form, standardise

# Names of which some are spellings of each other, one tells itself apart by a word, and one has no letters.
NAMES = ["TNF-α", "TNFalpha", "tnf alpha", "hepatitis", "Hepatitis", "chronic hepatitis", "IL-6", "IL6", "IL-10", "++", "asthma"]  # fmt: skip
CATEGORIES = ["biolink:Gene", "biolink:Disease", "biolink:NamedThing"]
CONCEPTS = ["", "", "A:1", "B:2"]
rows = st.tuples(
    st.sampled_from(NAMES), st.sampled_from(CATEGORIES), st.sampled_from(CONCEPTS), st.integers(1, 4), st.sampled_from("abc"),
    st.sampled_from([0.0, 0.5, 0.9]), st.booleans(),
)  # fmt: skip
tables = st.lists(rows, max_size=14, unique_by=lambda row: row[:3])
NOTHING = pl.DataFrame(schema=STATE)


def table(forms: list[tuple[object, ...]]) -> pl.DataFrame:
    return pl.DataFrame(forms, schema=GIVEN, orient="row")


@settings(deadline=None, max_examples=60)
@given(tables, tables, st.sets(st.integers(0, 13)))
def test_a_refresh_is_a_build_from_nothing(
    first: list[tuple[object, ...]], second: list[tuple[object, ...]], kept: set[int]
) -> None:
    shared = [row for at, row in enumerate(first) if at in kept]
    taken = {row[:3] for row in shared}
    now = table([*shared, *(row for row in second if row[:3] not in taken)])
    before = standardise_again(table(first), NOTHING)[1]
    refreshed, state = standardise_again(now, before)
    whole = standardise(forms_of(now))
    assert refreshed == whole
    assert refreshed.vetoed == whole.vetoed
    assert state.equals(standardise_again(now, NOTHING)[1])


def test_what_shares_nothing_with_the_change_is_not_standardised_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many = [
        (f"disorder {word}itis", "biolink:Disease", "", 1, "m", 1.0, False)
        for word in ("neur", "arthr", "derm")
    ]
    _, before = standardise_again(table(many), NOTHING)
    asked: list[str] = []

    def watched(forms: list[Form]):
        asked.extend(form.name for form in forms)
        return standardise(forms)

    monkeypatch.setattr(refreshing, "standardise", watched)
    standardise_again(
        table([*many, ("Disorder-Dermitis", "biolink:Disease", "", 2, "m", 1.0, False)]), before
    )
    assert sorted(asked) == ["Disorder-Dermitis", "disorder dermitis"]
