"""Decisions of people: kept in a readable file, carried out by every standardisation, and able to veto."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.errors import CorpusError
from kg_pipeline.normalization.decisions import (
    APART,
    MERGE,
    Decisions,
    decide,
    decisions_file,
    pair_of,
    read_decisions,
)
from kg_pipeline.normalization.pinning import pinned
from kg_pipeline.normalization.standardise import Form, Standardised, standardise

UVB, LONG = "UVB", "ultraviolet B radiation"


def entities(result: Standardised) -> list[list[str]]:
    return sorted(sorted(form.name for form in cluster.forms) for cluster in result.clusters)


def test_the_file_is_readable_and_a_newer_decision_replaces_the_older_one(tmp_path: Path) -> None:
    pair = pair_of(UVB, LONG)
    assert decide(tmp_path, "lupus", MERGE, pair) == "new"
    assert decide(tmp_path, "lupus", MERGE, pair) == "known"
    assert decide(tmp_path, "other", APART, pair) == "new"
    assert decide(tmp_path, "lupus", APART, pair) == "replaced"
    assert read_decisions(tmp_path, "lupus") == Decisions(frozenset(), frozenset({pair}))
    text = decisions_file(tmp_path).read_text()
    assert '[[lupus.apart]]\nnames = ["UVB", "ultraviolet B radiation"]' in text
    assert "lupus.merge" not in text


def test_decisions_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    pairs = [pair_of(f"a{number}", f"b{number}") for number in range(24)]
    with ThreadPoolExecutor(8) as threads:
        told = threads.map(lambda pair: decide(tmp_path, "lupus", MERGE, pair), pairs)
        assert set(told) == {"new"}
    assert read_decisions(tmp_path, "lupus").merged == set(pairs)


def test_a_file_that_is_being_written_for_long_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kg_pipeline.normalization.decisions._PATIENCE", 0.01)
    (tmp_path / "locks").mkdir()
    with FileLock(tmp_path / "locks" / "merges.lock"):  # that of a build of the corpus `merges`
        assert decide(tmp_path, "merges", MERGE, pair_of(UVB, LONG)) == "new"
    with (
        FileLock(tmp_path / "locks" / "merges.toml.lock"),
        pytest.raises(CorpusError, match="another command"),
    ):
        decide(tmp_path, "merges", APART, pair_of(UVB, LONG))


def test_no_file_is_no_decision_and_any_decision_changes_the_digest(tmp_path: Path) -> None:
    assert read_decisions(tmp_path, "lupus").digest == ""
    decide(tmp_path, "lupus", MERGE, pair_of(UVB, LONG))
    first = read_decisions(tmp_path, "lupus").digest
    decide(tmp_path, "lupus", APART, pair_of(UVB, LONG))
    assert len({"", first, read_decisions(tmp_path, "lupus").digest}) == 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[[lupus.merge]]\nnames = 3", "each entry"),
        ('[[lupus.merge]]\nnames = ["a"]', "each entry"),
        ('[[lupus.merge]]\nnames = ["a", "a "]', "not two names"),
        ("[lupus]\nmerge = 1", "double brackets"),
        ("[[lupus.unite]]\nnames = []", "neither merge nor apart"),
        ("lupus = 1", "outside of a section"),
        ("[[lupus", "cannot be read"),
        ('[[lupus.merge]]\nnames = ["a", "b"]\n[[lupus.apart]]\nnames = ["b", "a"]', "both lists"),
    ],
)
def test_a_file_with_a_mistake_says_where(tmp_path: Path, content: str, message: str) -> None:
    decisions_file(tmp_path).write_text(content)
    with pytest.raises(CorpusError, match=message):
        read_decisions(tmp_path, "lupus")


@settings(deadline=None, max_examples=15)
@given(st.lists(st.tuples(st.text(min_size=1, max_size=8), st.text(min_size=1, max_size=8)), max_size=6))
def test_any_names_come_back_from_the_file(tmp_path_factory: pytest.TempPathFactory, names: list) -> None:
    home = tmp_path_factory.mktemp("home")
    pairs = set()
    for one, other in names:
        if len({" ".join(one.split()), " ".join(other.split()), ""}) == 3:
            pairs.add(pair_of(one, other))
            decide(home, "c", MERGE, pair_of(one, other))
    assert read_decisions(home, "c").merged == pairs


FORMS = [
    Form("lupus", "biolink:Disease", "C1", 5),
    Form("SLE", "biolink:Disease", "C1", 3),
    Form("sle", "biolink:Disease", "C1", 1),
    Form("butterfly disease", "biolink:Disease", None, 2),
]


def test_a_merge_joins_the_smaller_entity_to_the_larger_one() -> None:
    result = pinned(standardise(FORMS), Decisions(frozenset({("butterfly disease", "lupus")})))
    [cluster] = result.clusters
    assert cluster.entity_id == "C1"
    assert [form.name for form in cluster.forms if form.pinned_to] == ["butterfly disease"]


def test_a_merge_keeps_the_id_of_the_vocabulary_however_rare_its_names_are() -> None:
    forms = [
        Form("SHP2", "biolink:Gene", None, 9),
        Form("protein tyrosine phosphatase 2C", "biolink:Gene", "HGNC:9644", 1),
    ]
    decisions = Decisions(frozenset({("SHP2", "protein tyrosine phosphatase 2C")}))
    assert [cluster.entity_id for cluster in pinned(standardise(forms), decisions).clusters] == ["HGNC:9644"]


def test_a_veto_parts_a_name_with_its_spellings_even_from_its_concept() -> None:
    result = pinned(standardise(FORMS), Decisions(apart=frozenset({("SLE", "lupus")})))
    assert entities(result) == [["SLE", "sle"], ["butterfly disease"], ["lupus"]]


def test_a_veto_holds_against_a_chain_of_merges() -> None:
    forms = [
        Form(name, "biolink:Disease", None, count) for name, count in (("a1x", 3), ("b2y", 2), ("c3z", 1))
    ]
    decisions = Decisions(frozenset({("a1x", "b2y"), ("b2y", "c3z")}), frozenset({("a1x", "c3z")}))
    assert entities(pinned(standardise(forms), decisions)) == [["a1x", "b2y"], ["c3z"]]


def test_decisions_about_absent_names_change_nothing() -> None:
    plain = standardise(FORMS)
    decisions = Decisions(frozenset({("lupus", "nowhere")}), frozenset({("lupus", "never")}))
    assert pinned(plain, decisions) == plain
    assert pinned(plain, Decisions()) is plain
