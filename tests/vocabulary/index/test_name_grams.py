"""Similar names from the index are those that comparing all pairs finds, and building and asking stay bounded."""

from __future__ import annotations

import math
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.vocabulary.index import name_grams
from kg_pipeline.vocabulary.index.name_grams import LEAST, NameGrams, grams_of, write_name_grams


def built(folder: Path, keys: list[str]) -> NameGrams:
    write_name_grams(lambda: [keys[start : start + 7] for start in range(0, len(keys), 7)], folder)
    return NameGrams(folder, keys.__getitem__)


def trigrams(key: str) -> set[str]:
    padded = f" {key} "
    return {padded[at : at + 3] for at in range(len(padded) - 2)}


def all_pairs(keys: list[str], key: str, least: float) -> dict[int, float]:
    """What a comparison of all pairs finds, without hashing."""
    counts = Counter(gram for one in keys for gram in trigrams(one))

    def weight(gram: str) -> float:
        return math.log((1 + len(keys)) / (1 + counts[gram])) + 1

    def length(grams: set[str]) -> float:
        return math.sqrt(sum(weight(gram) ** 2 for gram in grams))

    asked = trigrams(key)
    cosines = {
        number: sum(weight(gram) ** 2 for gram in asked & trigrams(one))
        / (length(asked) * length(trigrams(one)))
        for number, one in enumerate(keys)
        if one
    }
    return {number: cosine for number, cosine in cosines.items() if cosine >= least}


def names(count: int) -> list[str]:
    draw = random.Random(3)
    stems = [
        "nephritis",
        "arthritis",
        "carcinoma",
        "anemia",
        "syndrome",
        "deficiency",
        "renal",
        "acute",
        "familial",
    ]
    return [" ".join(draw.choices(stems, k=draw.randint(1, 3))) + draw.choice(["", "s", " 2"]) for _ in range(count)]  # fmt: skip


@pytest.mark.parametrize("asked", ["renal carcinomas", "nephritis acute", "familial anemia syndrom", "acute"])
def test_the_index_finds_what_comparing_all_pairs_finds(
    tmp_path: Path, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(name_grams, "MAX_COMPARED", 10_000)
    keys = names(300)
    found = built(tmp_path, keys).similar(asked, LEAST)
    wanted = all_pairs(keys, asked, LEAST)
    assert wanted
    assert {one.number for one in found} == wanted.keys()
    assert all(abs(one.cosine - wanted[one.number]) < 1e-3 for one in found)
    assert [one.cosine for one in found] == sorted((one.cosine for one in found), reverse=True)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.text(alphabet="abcdé αβ-\n'12", max_size=12), min_size=1, max_size=12), st.integers(0, 11))
def test_any_name_finds_itself(
    tmp_path_factory: pytest.TempPathFactory, keys: list[str], chosen: int
) -> None:
    grams = built(tmp_path_factory.mktemp("grams"), keys)
    number = chosen % len(keys)
    found = {one.number: one.cosine for one in grams.similar(keys[number], LEAST)}
    has_grams = len(grams_of([keys[number]]).buckets) > 0
    assert (found.get(number) == 1.0) is has_grams


def test_a_question_reads_no_more_than_its_bound_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(name_grams, "MAX_COMPARED", 5)
    keys = [f"renal disease {number}" for number in range(100)]
    assert len(built(tmp_path, keys).similar("renal disease", LEAST)) <= 5
    assert not list(tmp_path.glob("*.tmp"))
    monkeypatch.setattr(name_grams, "MAX_READ", 0)
    assert built(tmp_path, keys).similar("renal disease", LEAST) == []


def test_an_empty_vocabulary_and_too_low_a_bound(tmp_path: Path) -> None:
    grams = built(tmp_path, [])
    assert grams.similar("asthma", LEAST) == []
    with pytest.raises(ValueError, match="from a cosine of"):
        grams.similar("asthma", LEAST - 0.1)


def test_the_index_is_the_same_whatever_the_slices(tmp_path: Path) -> None:
    keys = names(40)
    built(tmp_path, keys)
    other = tmp_path / "other"
    other.mkdir()
    write_name_grams(lambda: [keys], other)
    for path in tmp_path.glob("*.npy"):
        assert np.array_equal(np.load(path), np.load(other / path.name)), path.name
