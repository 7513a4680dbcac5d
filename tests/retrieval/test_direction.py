from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.words.direction import acts, reverses
from retrieval.words.terms import name_keys

NAMES = [name_keys([name]) for name in ("STAT3", "curcumin", "IL-6")]
STAT3, CURCUMIN, IL6 = range(3)


@pytest.mark.parametrize(
    "text",
    [
        "Curcumin inhibits STAT3.",
        "STAT3 is inhibited by curcumin.",
        "STAT3 was strongly inhibited in these cells by curcumin.",
        "Inhibition of STAT3 by curcumin was seen in all cells.",
        "Curcumin strongly and lastingly inhibits the phosphorylation of STAT3.",
    ],
)
def test_voice_and_order_tell_who_acts(text: str) -> None:
    assert acts(text, NAMES) == {(CURCUMIN, STAT3)}


@pytest.mark.parametrize(
    "text",
    [
        "Curcumin is associated with STAT3.",
        "Curcumin was given; IL-6 activates STAT3 elsewhere.".replace("IL-6", "it"),
        "Curcumin, which inhibits growth, was given with STAT3.",
        "Curcumin and STAT3.",
        "",
    ],
)
def test_what_is_not_clear_says_nothing(text: str) -> None:
    assert acts(text, NAMES) == frozenset()


def test_names_of_one_thing_are_no_act() -> None:
    aliases = [name_keys(["STAT3", "signal transducer 3"])]
    assert acts("STAT3 activates signal transducer 3", aliases) == frozenset()


def test_a_reverse_that_is_stated_both_ways_is_no_reversal() -> None:
    claim = frozenset({(CURCUMIN, STAT3)})
    assert reverses(claim, frozenset({(STAT3, CURCUMIN)}))
    assert not reverses(claim, frozenset({(STAT3, CURCUMIN), (CURCUMIN, STAT3)}))
    assert not reverses(claim, frozenset())


@given(st.permutations([STAT3, CURCUMIN, IL6]), st.sampled_from(["inhibits", "activates", "reduces"]))
def test_swapping_the_ends_of_a_statement_reverses_it(order: list[int], verb: str) -> None:
    name = ["STAT3", "curcumin", "IL-6"]
    one, other, _ = order
    stated = acts(f"{name[one]} {verb} {name[other]}.", NAMES)
    assert stated == {(one, other)}
    assert reverses(acts(f"{name[other]} {verb} {name[one]}.", NAMES), stated)
