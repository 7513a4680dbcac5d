from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.words.terms import (
    asks_what_is_denied,
    content_stems,
    coverage,
    directions,
    find_name,
    is_hedged,
    is_negated,
    name_keys,
    numbers,
    stem,
    tokenise,
)


@given(st.text(max_size=200))
def test_tokens_keep_their_offsets_and_order(text: str) -> None:
    tokens = tokenise(text)
    assert all(token.start < token.end for token in tokens)
    assert all(one.end <= other.start for one, other in pairwise(tokens))
    assert all(token.text for token in tokens)


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("IL-6", "Serum IL-6 rose.", True),
        ("IL-6", "Serum IL6 rose.", True),
        ("IL-6", "interleukin: IL 6", True),
        ("IL-6", "IL-6R was blocked.", False),
        ("IL-6", "IL-61 was blocked.", False),
        ("IL-1", "IL-10 rose.", False),
        ("IL-1", "IL-1β rose.", False),
        ("TNF-alpha", "TNF-α and TNFα", True),
        ("TGF", "TGF-β rose.", False),
        ("keratinocyte", "Keratinocytes died.", True),
        ("lupus", "lupus", True),
        ("lupu", "lupus", False),
        ("ACE", "The ace of spades; ACE2", True),
        ("ACE", "ACE2 binds.", False),
    ],
)
def test_names_are_found_as_whole_words_only(name: str, text: str, found: bool) -> None:
    assert (find_name(tokenise(text), name_keys([name])) is not None) is found


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("inflammation", "inflammatory", True),
        ("apoptosis", "apoptotic", True),
        ("forecasting", "forecast", True),
        ("expressed", "expresses", True),
        ("express", "expressed", True),
        ("photosensitivity", "photosensitive", True),
        ("interferon", "interleukin", False),
        ("keratin", "keratinocyte", False),
        ("hypotension", "hypertension", False),
    ],
)
def test_stems_join_inflections_and_nothing_else(one: str, other: str, same: bool) -> None:
    assert (stem(one) == stem(other)) is same


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("Metformin did not reduce PSA.", True),
        ("No effect was seen.", True),
        ("It didn't help.", True),
        ("The drug failed to prevent relapse.", True),
        ("Not only IL-6 but also TNF rose.", False),
        ("Notch signalling rose.", False),
        ("The norm was exceeded.", False),
    ],
)
def test_denials_are_seen(text: str, negated: bool) -> None:
    assert is_negated(text) is negated


def test_digits_of_names_are_no_numbers() -> None:
    assert numbers("IL-6 fell by 50% in 1,200 patients with CD8 cells (p = 0.05)") == {"50", "1200", "0.05"}


def test_directions_come_from_the_predicate_vocabulary() -> None:
    assert directions("A increases B") == {1}
    assert directions("A inhibits B") == {-1}
    assert directions("A binds B") == frozenset()


def test_suggestions_are_hedged() -> None:
    assert is_hedged("UV forecasts could prevent flares")
    assert not is_hedged("UV light causes flares")


def test_coverage_of_nothing_is_complete() -> None:
    assert coverage([], ["a"]) == 1.0
    assert coverage(["a", "b"], ["a"]) == 0.5


def test_stop_words_carry_no_content() -> None:
    assert content_stems("How is it that they are in the what?") == []


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which drugs do not treat lupus?", True),
        ("What did not reduce disease activity?", True),
        ("Which factors don't cause nephritis?", True),
        ("Which genes are not associated with SLE?", True),
        ("Which drugs treat lupus that does not respond?", False),
        ("Does vitamin D not reduce flares?", False),
        ("What causes lupus nephritis?", False),
    ],
)
def test_questions_for_what_is_denied_are_told_apart(question: str, expected: bool) -> None:
    assert asks_what_is_denied(question) is expected
