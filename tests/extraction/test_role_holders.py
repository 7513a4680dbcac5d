"""Who has the role that an apposition names."""

from __future__ import annotations

import pytest
import spacy
from spacy.tokens import Doc

from kg_pipeline.extraction.rules.role_holders import holders


@pytest.mark.parametrize(
    ("words", "heads", "labels", "pos", "role", "holder"),
    [
        # The role opens the text, and the clause about its holder ends it.
        ("Kinase , JAK2 that binds STAT3", [2, 2, 2, 4, 2, 4], "appos punct ROOT nsubj relcl dobj", "NOUN PUNCT PROPN PRON VERB PROPN", 0, 2),
        # The parse hangs the role on the arm, but it follows what the clause ends with.
        ("JAK2 that binds STAT3 , oncogene", [0, 2, 0, 2, 0, 0], "ROOT nsubj relcl dobj punct appos", "PROPN PRON VERB PROPN PUNCT NOUN", 5, 3),
        ("JAK2 , oncogene", [0, 0, 0], "ROOT punct appos", "PROPN PUNCT NOUN", 2, 0),
    ],
)  # fmt: skip
def test_an_apposition_is_about_the_noun_it_stands_beside(
    words: str, heads: list[int], labels: str, pos: str, role: int, holder: int
) -> None:
    parsed = Doc(
        spacy.blank("en").vocab, words=words.split(), heads=heads, deps=labels.split(), pos=pos.split()
    )
    assert [token.i for token in holders(parsed[role])] == [holder]
