"""Phrases that name a thing through a mention have one name, whatever the order of their words."""

from __future__ import annotations

import pytest

from kg_pipeline.extraction.rules.triples import extract
from kg_pipeline.extraction.syntax.sentence_parser import load_parser
from tests.extraction.marked import MODEL, sentence_of


@pytest.mark.parametrize(
    ("marked", "names"),
    [
        ("[ABCB1|g] causes [paclitaxel|c] resistance.", {"resistance to paclitaxel"}),
        ("[ABCB1|g] causes resistance to [paclitaxel|c].", {"resistance to paclitaxel"}),
        (
            "[ABCB1|g] causes resistance to [paclitaxel|c] and [docetaxel|c].",
            {"resistance to paclitaxel", "resistance to docetaxel"},
        ),
        ("[Drug|c] lowers [lupus|d] disease activity.", {"disease activity in lupus"}),
        ("[Drug|c] lowers disease activity in patients with [lupus|d].", {"disease activity in lupus"}),
        ("[MOG|g] antibodies cause [optic neuritis|d].", {"anti-MOG antibodies"}),
        ("Anti-[MOG|g] antibodies cause [optic neuritis|d].", {"anti-MOG antibodies"}),
        ("[TNF|g] causes [optic neuritis|d].", set()),
    ],
)
def test_phrases_of_one_thing_have_one_name(marked: str, names: set[str]) -> None:
    sentence = sentence_of(marked, start=7)
    triples = extract(load_parser(MODEL), [sentence])
    assert triples
    named = [mention for triple in triples for mention in triple.new_mentions]
    assert {mention.normal_form for mention in named} == names
    for mention in named:
        assert mention.text == sentence.text[mention.start - 7 : mention.end - 7]
        assert mention.mention_id == f"A:{mention.start}-{mention.end}"
        assert mention.concept_id is None


def test_a_reaction_of_something_is_no_reaction_to_it() -> None:
    (triple,) = extract(load_parser(MODEL), [sentence_of("[IL-2|g] increases [T cell|a] activation.")])
    assert triple.new_mentions == ()
    assert extract(load_parser(MODEL), [sentence_of("[IL-2|g] increases [T cell|a] responses.")]) == []
