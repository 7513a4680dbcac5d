"""What is said of the second thing to the first is no quote for the claim the other way round; inverted verbs are."""

from __future__ import annotations

import pytest

from kg_pipeline.extraction.grounding.direction import is_turned_round


def turned_round(sentence: str, predicate: str, tail: str, head: str) -> bool:
    start = sentence.index(tail)
    end = start + len(tail)
    behind = sentence.index(head, end)
    return is_turned_round(sentence, predicate, (behind, behind + len(head)), (start, end))


@pytest.mark.parametrize(
    ("sentence", "predicate", "tail", "head"),
    [
        ("Aspirin inhibits COX-1.", "inhibits", "Aspirin", "COX-1"),
        ("LPS strongly amplifies the apoptosis.", "increases", "LPS", "apoptosis"),
        ("Insulin, which up-regulates SREBP1, is safe.", "increases", "Insulin", "SREBP1"),
    ],
)
def test_an_active_verb_says_who_does_it(sentence: str, predicate: str, tail: str, head: str) -> None:
    assert turned_round(sentence, predicate, tail, head)


@pytest.mark.parametrize(
    ("sentence", "predicate", "tail", "head"),
    [
        ("The inflammasome contains NLRP3.", "part_of", "inflammasome", "NLRP3"),
        ("The PRC2 complex comprises EZH2.", "part_of", "PRC2 complex", "EZH2"),
        ("The liver accumulates iron.", "located_in", "liver", "iron"),
        ("Lupus features nephritis.", "manifestation_of", "Lupus", "nephritis"),
        ("Lupus presents nephritis.", "manifestation_of", "Lupus", "nephritis"),
    ],
)
def test_a_verb_whose_object_is_the_head_says_what_is_claimed(
    sentence: str, predicate: str, tail: str, head: str
) -> None:
    assert not turned_round(sentence, predicate, tail, head)


def test_what_comes_first_and_symmetric_predicates_are_not_turned_round() -> None:
    assert not is_turned_round("Aspirin inhibits COX-1.", "inhibits", (0, 7), (17, 22))
    assert not turned_round("TP53 binds MDM2.", "binds", "TP53", "MDM2")
