"""Strict spans, abbreviation pairs, and `kg bench entities` on a corpus of two articles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from kg_pipeline.cli.bench.commands import bench
from kg_pipeline.evaluation.abbreviation_pairs import measure_abbreviations, score_pairs
from kg_pipeline.evaluation.annotated import CHEMICAL, DISEASE, PUBTATOR, from_pubtator
from kg_pipeline.evaluation.entity_recognition import MICRO, score_spans
from kg_pipeline.evaluation.gold import GoldAbbreviations, read_pubtator
from kg_pipeline.extraction.mentions.ner.recogniser import load_recogniser
from kg_pipeline.text.abbreviations import find_definitions
from kg_pipeline.text.sentences import load_splitter

KINDS = (CHEMICAL, DISEASE)


def test_a_name_is_right_where_both_ends_and_the_kind_agree() -> None:
    gold = [[(0, 4, CHEMICAL), (6, 9, DISEASE), (6, 9, DISEASE)], [(0, 3, DISEASE)]]
    found = [[(0, 4, CHEMICAL), (6, 8, DISEASE), (20, 22, "biolink:Gene")], [(0, 3, CHEMICAL)]]
    micro, chemical, disease = score_spans(gold, found, KINDS)
    assert (micro.kind, micro.right, micro.found, micro.annotated) == (MICRO, 1, 3, 3)
    assert (micro.precision, micro.recall, micro.f1) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert (chemical.precision, chemical.recall, disease.f1) == (0.5, 1.0, 0.0)


def test_articles_that_do_not_correspond_are_refused() -> None:
    with pytest.raises(ValueError, match="2 annotated articles cannot be compared with 1"):
        score_spans([[], []], [[]], KINDS)


SPANS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(6, 9), st.sampled_from([*KINDS, "biolink:Gene"])), max_size=6
)


@given(st.lists(st.tuples(SPANS, SPANS), min_size=1, max_size=5))
def test_scores_are_shares_within_their_interval_and_symmetric(pairs: list[tuple[list, list]]) -> None:
    gold, found = [one for one, _ in pairs], [one for _, one in pairs]
    for ours, theirs in zip(score_spans(gold, found, KINDS), score_spans(found, gold, KINDS), strict=True):
        assert (ours.precision, ours.recall, ours.f1) == (theirs.recall, theirs.precision, theirs.f1)
        assert 0 <= ours.low <= ours.high <= 1
        assert min(ours.precision, ours.recall) - 1e-9 <= ours.f1 <= max(ours.precision, ours.recall) + 1e-9
    assert all(score.f1 == 1 or not score.annotated for score in score_spans(gold, gold, KINDS))


def test_abbreviation_pairs_are_counted_by_record() -> None:
    records = [
        GoldAbbreviations("1", "", frozenset({("A1", "alpha one"), ("B2", "beta two")})),
        GoldAbbreviations("2", "", frozenset({("A1", "alpha one")})),
    ]
    scores = score_pairs("x", records, [frozenset({("A1", "alpha one"), ("C3", "c")}), frozenset()])
    assert (scores.right, scores.found, scores.annotated) == (1, 2, 3)
    assert (scores.precision, scores.recall, scores.f1) == pytest.approx((1 / 2, 1 / 3, 2 / 5))


ARTICLE = """7|t|Foxamide and lithium.
7|a|Lithium caused nephropathy.
7\t13\t20\tlithium\tChemical\tD008094
7\t22\t29\tLithium\tChemical\tD008094
7\t37\t48\tnephropathy\tDisease\tD007674
"""


def test_the_command_measures_what_is_there_and_names_what_is_not(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KG_HOME", str(tmp_path_factory.getbasetemp() / "shared-vocabulary"))
    (tmp_path / "bc5cdr").mkdir()
    (tmp_path / "bc5cdr" / "test.PubTator.txt").write_text(ARTICLE, encoding="utf-8")
    (tmp_path / "ab3p_med1250").mkdir()
    (tmp_path / "ab3p_med1250" / "test_2.txt").write_text(
        "7\nInterleukin 6 (IL-6) rose.\n  IL-6|Interleukin 6\n", encoding="utf-8"
    )
    output = tmp_path / "report.json"
    result = CliRunner().invoke(
        bench, ["entities", "--gold", str(tmp_path), "--split", "test", "--output", str(output)]
    )
    assert result.exit_code == 0, result.output
    assert "BioRED was skipped" in result.output
    assert "Not measured: MedMentions" in result.output
    report = json.loads(output.read_text(encoding="utf-8"))
    stage = next(one for one in report["recognition"] if one["way"] == "mentions stage")
    assert (stage["corpus"], stage["scores"][0]["annotated"]) == ("BC5CDR", 3)
    assert stage["scores"][0]["recall"] == 1.0
    assert [one["f1"] for one in report["abbreviations"]] == [1.0, 1.0]
    assert report["linking"]["BC5CDR"][-1]["mentions"] == 3
    assert (report["end_to_end"]["BC5CDR"][0]["right"], report["end_to_end"]["BC5CDR"][0]["annotated"]) == (
        3,
        3,
    )
    assert report["context"]["split"] == "test"


@pytest.mark.shared
@pytest.mark.parametrize(
    ("corpus", "file", "least"), [("BC5CDR", "dev.PubTator.txt", 0.83), ("BioRED", "dev.PubTator", 0.80)]
)
def test_the_shipped_recogniser_reaches_its_targets_on_held_out_articles(
    shared: Path, corpus: str, file: str, least: float
) -> None:
    folder, categories = PUBTATOR[corpus]
    gold = list(read_pubtator(shared / "data" / "gold" / folder / file))[:100]
    articles = [from_pubtator(one, load_splitter()) for one in gold]
    found = [
        [
            (name.start, name.end, name.category)
            for name in load_recogniser().recognise(one.text, one.sentences, find_definitions(one.text), {})
        ]
        for one in articles
    ]
    assert score_spans([one.spans for one in articles], found, categories)[0].f1 >= least


@pytest.mark.shared
def test_definitions_are_found_better_than_by_ab3p(shared: Path) -> None:
    ours, without_letters, tool = measure_abbreviations(shared / "data" / "gold" / "ab3p_med1250", "dev")
    assert ours.f1 > tool.f1
    assert ours.precision > 0.96
    assert without_letters.f1 >= 0.895
