"""Repairs change the configurations they are for, and leave right parses as they are."""

from __future__ import annotations

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from kg_pipeline.extraction.syntax.parse_repairs import repair

WORDS = ["Mutations", "cause", "A", ",", "and", "B", "predispose", "to", "C"]
POS = ["NOUN", "VERB", "NOUN", "PUNCT", "CCONJ", "NOUN", "VERB", "ADP", "NOUN"]
WRONG = (
    [1, 1, 6, 2, 2, 2, 1, 6, 7],
    ["nsubj", "ROOT", "nsubj", "punct", "cc", "conj", "ccomp", "prep", "pobj"],
)
RIGHT = (
    [1, 1, 1, 1, 1, 6, 1, 6, 7],
    ["nsubj", "ROOT", "dobj", "punct", "cc", "nsubj", "conj", "prep", "pobj"],
)


def doc(heads: list[int], labels: list[str], words: list[str] = WORDS) -> Doc:
    return Doc(Vocab(), words=words, heads=heads, deps=labels, pos=POS)


def parse_of(parsed: Doc) -> tuple[list[int], list[str]]:
    return [token.head.i for token in parsed], [token.dep_ for token in parsed]


def test_two_clauses_taken_for_one_are_parted() -> None:
    assert parse_of(repair(doc(*WRONG))) == RIGHT


def test_a_right_parse_is_left_alone() -> None:
    assert parse_of(repair(doc(*RIGHT))) == RIGHT


@pytest.mark.parametrize("comma", [";", "that"])
def test_a_pair_without_a_comma_stays_a_joint_subject(comma: str) -> None:
    words = [*WORDS[:3], comma, *WORDS[4:]]
    assert parse_of(repair(doc(*WRONG, words=words))) == WRONG
