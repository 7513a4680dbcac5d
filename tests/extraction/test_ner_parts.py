"""Parts of the recogniser: labels, lexicon, what abbreviations tell, and consistency within an article."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.extraction.mentions.ner.abbreviated import Abbreviations
from kg_pipeline.extraction.mentions.ner.consistency import Name, Sentence, make_consistent
from kg_pipeline.extraction.mentions.ner.features import FeatureMaker
from kg_pipeline.extraction.mentions.ner.labels import decode, encode
from kg_pipeline.extraction.mentions.ner.lexicon import KINDS, Lexicon, lexicon_key
from kg_pipeline.extraction.mentions.ner.tokens import fold_token, tokenize
from kg_pipeline.extraction.mentions.ner.words import WordClasses, shape
from kg_pipeline.text.abbreviations import find_definitions

CHEM, DIS = (1 << KINDS.index(kind) for kind in ("chem", "dis"))


@given(st.text(alphabet="aB1 -α(\n", max_size=30))
def test_tokens_cover_everything_but_white_space_in_order(text: str) -> None:
    tokens = tokenize(text)
    assert all(text[token.start : token.end] == token.text for token in tokens)
    assert "".join(token.text for token in tokens) == "".join(text.split())


@given(
    st.lists(st.tuples(st.integers(1, 3), st.integers(0, 2), st.sampled_from(["chem", "dis"])), max_size=5)
)
def test_labels_give_the_spans_back(names: list[tuple[int, int, str]]) -> None:
    tokens = tokenize("w " * 30)
    spans, position = [], 0
    for length, gap, kind in names:
        spans.append((position, position + length - 1, kind))
        position += length + gap
    labels = encode(tokens, [(tokens[a].start, tokens[b].end, kind) for a, b, kind in spans])
    assert decode(labels) == spans


def test_names_that_break_off_end_where_their_labels_do() -> None:
    assert decode(["B-chem", "I-chem", "O", "I-dis", "E-dis", "B-dis", "S-chem"]) == [
        (0, 1, "chem"),
        (3, 4, "dis"),
        (5, 5, "dis"),
        (6, 6, "chem"),
    ]


def test_a_name_inside_a_token_takes_the_token_and_overlaps_are_not_labelled_twice() -> None:
    tokens = tokenize("antiTNF drug")
    assert encode(tokens, [(4, 7, "gene"), (0, 12, "chem")]) == ["S-gene", "O"]


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    names = {"breast cancer": DIS, "cancer": DIS, "TNF-alpha": CHEM, "vitamin D": CHEM, "cold": DIS | CHEM}
    return Lexicon.build({lexicon_key(name): bits for name, bits in names.items()})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Breast cancers here", [(0, 1, DIS), (1, 1, DIS)]),
        ("high TNFα or TNF-α", [(3, 5, CHEM)]),
        ("vitamin-D", [(0, 2, CHEM)]),
        ("a cold", [(1, 1, DIS | CHEM)]),
        ("cancerous colder", []),
    ],
)
def test_the_lexicon_finds_names_in_other_spellings(
    lexicon: Lexicon, text: str, expected: list[tuple[int, int, int]]
) -> None:
    assert lexicon.find(tokenize(text)) == expected


def test_a_short_form_looks_like_its_long_form_before_its_definition_too(lexicon: Lexicon) -> None:
    text = "BC in women. Breast cancer (BC) is common."
    classes = WordClasses(["cancer"], np.array([[7]], np.uint16))
    maker = FeatureMaker(lexicon, classes)
    abbreviations = Abbreviations(find_definitions(text), {}, lexicon, classes)
    first, woman = (maker.features(tokenize("BC in women."), abbreviations, 0)[index] for index in (0, 2))
    assert {"aw=cancer", "agdisW", "ac0=7"} <= set(first)
    assert not any(feature.startswith(("aw=", "ag")) for feature in woman)
    second = maker.features(tokenize(text[13:]), abbreviations, 13)
    assert "longB" in second[0]
    assert "longE" in second[1]


def test_glossary_entries_count_as_definitions(lexicon: Lexicon) -> None:
    classes = WordClasses.none()
    abbreviations = Abbreviations([], {"BC": "breast cancer"}, lexicon, classes)
    assert "aw=cancer" in abbreviations.features(tokenize("BC"), 0)[0]


def test_shapes_and_folding() -> None:
    assert shape("Tp53-x") == "Aa00-a"
    assert [fold_token(text) for text in ("TNFα", "Β", "(", "µ")] == ["tnfalpha", "beta", "", "mu"]


def consistent(text: str, names: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Names of a text after `names` (its first occurrences) were found; one sentence a line."""
    sentences, offset = [], 0
    for line in text.split("\n"):
        sentences.append(Sentence(offset, tokenize(line)))
        offset += len(line) + 1
    found: list[Name] = []
    for name, kind in names:
        wanted = [token.text for token in tokenize(name)]
        found.append(
            next(
                (number, first, first + len(wanted) - 1, kind)
                for number, sentence in enumerate(sentences)
                for first in range(len(sentence.tokens))
                if [token.text for token in sentence.tokens[first : first + len(wanted)]] == wanted
            )
        )
    result = make_consistent(sentences, found, find_definitions(text))
    texts = [[token.text for token in sentence.tokens] for sentence in sentences]
    return [(" ".join(texts[number][first : last + 1]), kind) for number, first, last, kind in result]


def test_a_name_is_found_in_its_other_places() -> None:
    assert consistent("Foxamide works.\nWe gave foxamide and Foxamide.", [("Foxamide", "chem")]) == [
        ("Foxamide", "chem"),
        ("Foxamide", "chem"),
    ]


def test_a_word_that_is_rarely_a_name_is_not_spread() -> None:
    assert consistent("cold\nas cold as cold or cold", [("cold", "dis")]) == [("cold", "dis")]


def test_a_short_form_has_the_kind_of_its_long_form() -> None:
    text = "Benign foxitis (BF) is mild.\nBF heals."
    expected = [("Benign foxitis", "dis"), ("BF", "dis"), ("BF", "dis")]
    assert consistent(text, [("Benign foxitis", "dis"), ("BF", "gene")]) == expected


def test_a_short_form_of_no_name_is_none() -> None:
    assert consistent("The overall survival (OS) was long.\nOS fell.", [("OS", "gene")]) == []


def test_a_short_form_with_two_meanings_has_the_kind_of_each() -> None:
    text = "Benign foxitis (BF) heals.\nBF fell.\nBlue foxamide (BF) helps.\nBF rose."
    found = consistent(text, [("Benign foxitis", "dis"), ("Blue foxamide", "chem")])
    assert [kind for name, kind in found if name == "BF"] == ["dis", "dis", "chem", "chem"]


def test_a_longer_name_keeps_its_words() -> None:
    text = "Foxamide sulfate and foxitis.\nFoxamide sulfate again."
    assert consistent(text, [("Foxamide sulfate", "chem"), ("foxitis", "dis")])[-1] == (
        "Foxamide sulfate",
        "chem",
    )
