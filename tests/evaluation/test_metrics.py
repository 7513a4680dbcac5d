from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.evaluation.metrics import (
    all_recall_at,
    chosen_option,
    count_exact,
    exact_match,
    extract_count,
    f1,
    family_average,
    holds_answer,
    normalise_answer,
    open_accuracy,
    option_accuracy,
    overall_average,
    recall_at,
)

TEXT = st.text(st.sampled_from("abcAB .,-'0129theno"), max_size=25)
IDS = st.lists(st.sampled_from("abcdefgh"), unique=True)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("The Beatles", "beatles"),
        ("  A  big, BIG   cat! ", "big big cat"),
        ("U.S.A.", "usa"),
        ("an apple a day", "apple day"),
        ("anthem", "anthem"),  # articles are whole words
        ("O'Neill's", "oneills"),
        ("1,890", "1890"),
        ("the", ""),
        (
            "caf\u00e9 \u2013 bar",
            "caf\u00e9 \u2013 bar",
        ),  # only ASCII punctuation goes, as in the official script
        ("well-known", "wellknown"),
    ],
)
def test_normalisation(text: str, normal: str) -> None:
    assert normalise_answer(text) == normal


@pytest.mark.parametrize(
    ("prediction", "gold", "em", "f"),
    [
        ("G. Stanley Hall", "Stanley Hall", 0.0, 0.8),
        ("the Stanley Hall", "Stanley Hall.", 1.0, 1.0),
        ("in 1952", "1952", 0.0, 2 / 3),
        ("Paris Paris", "Paris", 0.0, 2 / 3),  # repeated words count once
        ("London", "Paris", 0.0, 0.0),
        ("", "Paris", 0.0, 0.0),
        ("", "the", 1.0, 1.0),
    ],
)
def test_known_pairs(prediction: str, gold: str, em: float, f: float) -> None:
    assert exact_match(prediction, [gold]) == em
    assert f1(prediction, [gold]) == pytest.approx(f)


def test_hotpot_gives_nothing_for_a_wrong_yes_or_no() -> None:
    assert f1("yes it is", ["yes"], "hotpot") == 0.0
    assert f1("yes", ["no it is not yes"], "hotpot") == 0.0
    assert f1("Yes.", ["yes"], "hotpot") == 1.0
    assert (f1("", ["the"]), f1("", ["the"], "hotpot")) == (1.0, 0.0)  # no word in common, in its script
    assert f1("yes it is", ["yes"]) == pytest.approx(0.5)


def test_the_best_accepted_answer_counts() -> None:
    assert exact_match("hall", ["G. Stanley Hall", "Hall"]) == 1.0
    assert f1("hall", ["G. Stanley Hall", "Hall"]) == 1.0
    assert f1("hall", []) == 0.0


@given(TEXT, TEXT)
def test_scores_are_bounded_and_f1_is_symmetric(one: str, other: str) -> None:
    score = f1(one, [other])
    assert 0.0 <= exact_match(one, [other]) <= score <= 1.0
    assert score == pytest.approx(f1(other, [one]))
    assert f1(one, [other], "hotpot") <= score
    assert normalise_answer(normalise_answer(one)) == normalise_answer(one)


@given(IDS, IDS.filter(bool), st.integers(1, 9))
def test_recall_grows_with_k(ranked: list[str], gold: list[str], k: int) -> None:
    here, further = recall_at(ranked, gold, k), recall_at(ranked, gold, k + 1)
    assert 0.0 <= here <= further <= 1.0
    assert all_recall_at(ranked, gold, k) == float(set(gold) <= set(ranked[:k]))


def test_recall_counts_the_share_of_gold_passages() -> None:
    assert recall_at(["a", "x", "b"], {"a", "b"}, 2) == 0.5
    assert recall_at(["a", "x", "b"], {"a", "b"}, 3) == 1.0
    with pytest.raises(ValueError, match="no recall"):
        recall_at(["a"], set(), 2)


@pytest.mark.parametrize(
    ("prediction", "chosen"),
    [
        ("B", 1),
        ("(b)", 1),
        ("B.", 1),
        ("Answer: C", 2),
        ("The answer is A.", 0),
        ("b) il-6", 1),
        ("Interleukin 1 receptor", 2),
        ("B. IL-1", None),  # the letter of one option with the words of another
        ("E", None),
        ("IL-6 or IL-1", None),
        ("A patient", None),
        ("", None),
    ],
)
def test_chosen_option(prediction: str, chosen: int | None) -> None:
    options = ["IL-1", "IL-6", "interleukin-1 receptor"]
    assert chosen_option(prediction, options) == chosen
    assert option_accuracy(prediction, options, 1) == float(chosen == 1)


def test_open_answers_may_be_aliases_or_identifiers() -> None:
    accepted = ["tumor necrosis factor", "TNF-\u03b1", "HGNC:11892"]
    assert open_accuracy("TNF alpha", accepted) == 1.0
    assert open_accuracy("Tumour necrosis factor", accepted) == 1.0
    assert open_accuracy("hgnc:11892", accepted) == 1.0
    assert open_accuracy("TNF-\u03b2", accepted) == 0.0
    assert open_accuracy("", accepted) == 0.0
    assert open_accuracy("", [""]) == 0.0


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("3", 3),
        ("There are twelve diseases.", 12),
        ("Answer: 4. I looked at 7 paths.", 4),
        ("I looked at 7 paths, so the count is 4", 4),
        ("Of 9 candidates, 5 remain", 5),
        ("The total number of diseases is 1,024.", 1024),
        ("IL-6 and p53 in stage 2.5", None),
        ("none", None),
    ],
)
def test_extract_count(text: str, count: int | None) -> None:
    assert extract_count(text) == count


def test_count_exact_collapses_aliases_and_asks_for_every_entity() -> None:
    gold = {"BRCA1": ["breast cancer 1", "HGNC:1100"], "BRCA2": ["FANCD1"]}
    assert count_exact(["BRCA1", "brca2"], gold) == 1.0
    assert count_exact(["breast cancer 1", "BRCA1", "FANCD1"], gold) == 1.0
    assert count_exact(["BRCA1", "brca 1"], gold) == 0.0
    assert count_exact(["BRCA1", "BRCA2", "TP53"], gold) == 0.0
    assert count_exact("2 genes", gold) == 1.0
    assert count_exact("2 genes", 3) == 0.0
    assert count_exact(["BRCA1", "brca1", "TP53"], 2) == 1.0


def test_averages_are_those_of_the_published_table() -> None:
    # BioMedHop's table 4: BioWeave, ToG-2 and IO.
    rows = {
        59.8: ([(80.4, 50.6), (80.2, 34.6), (73.2, 68.6)], 45.4),
        49.35: ([(74.2, 38.5), (69.5, 22.4), (63.1, 61.8)], 32.5),
        18.2: ([(23.0, 2.4), (34.0, 9.3), (26.7, 25.5)], 12.5),
    }
    for overall, (families, count) in rows.items():
        averages = [family_average(*pair) for pair in families]
        assert overall_average([*averages, count]) == pytest.approx(overall, abs=0.06)


def test_an_answer_stands_in_a_text_in_whole_words() -> None:
    assert holds_answer(["It was found by the Bo, in 1912."], ["The Bo"]) == 1.0
    assert holds_answer(["Bovine serum."], ["Bo"]) == 0.0
    assert holds_answer([], ["Bo"]) == holds_answer(["Bo"], [""]) == 0.0
