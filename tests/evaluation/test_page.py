from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

import kg_pipeline.cli.bench.everything as bench_all
from kg_pipeline.cli.app import app
from kg_pipeline.cli.bench.unfinished import Unfinished
from kg_pipeline.errors import NoGraphError, SettingsError
from retrieval.evaluation.page.figures import figures_of
from retrieval.evaluation.page.html import render_page
from retrieval.evaluation.page.last import Last, read_last
from retrieval.evaluation.page.model import Curve, Figure, Grid
from retrieval.evaluation.page.plots import bars, lines


def interval(mean: float) -> dict[str, float]:
    return {"mean": mean, "low": mean / 2, "high": min(2 * mean, 1.0), "n": 40}


def report(refused: float) -> dict[str, Any]:
    row = {
        "method": "a <b>",
        "answered": interval(0.5),
        "own_abstract": interval(0.25),
        "refused": interval(refused),
        "right": interval(0.5),
    }
    return {"benchmark": "boundaries", "yes": 0.6, "rows": [row], "versions": {"python": "3"}}


def test_a_change_is_shown_against_the_last_page() -> None:
    last = Last().with_reports({"boundaries": report(0.4)})
    page = render_page({"boundaries": report(0.5)}, {}, last)
    assert '<span class="up">+10.0</span>' in page
    assert '<span class="note">same</span>' in page
    assert '<span class="down">-10.0</span>' in render_page({"boundaries": report(0.3)}, {}, last)
    assert "no page before" in render_page({"boundaries": report(0.3)}, {}, Last())


def test_what_a_page_keeps_is_what_the_next_one_reads(tmp_path: Path) -> None:
    kept = Last().with_reports({"boundaries": report(0.4)})
    (tmp_path / "values.json").write_text(kept.to_json())
    assert read_last(tmp_path / "values.json") == kept
    (tmp_path / "values.json").write_text('{"boundaries / x": 1}')
    assert read_last(tmp_path / "values.json") == read_last(tmp_path / "none.json") == Last()


def test_another_graph_or_setting_is_told_beside_the_change() -> None:
    before = report(0.4) | {"graph": {"version": "v1"}, "settings": {"size": 4}}
    last = Last().with_reports({"boundaries": before})
    now = before | {"graph": {"version": "v2"}, "versions": {"python": "4"}}
    assert last.differs("boundaries", now) == ["graph", "versions"]
    assert "Not the same as on the page before: graph, versions." in render_page(
        {"boundaries": now}, {}, last
    )
    row = {**report(0.4)["rows"][0], "outcomes": [{"item_id": "another"}]}
    assert last.differs("boundaries", before | {"rows": [row]}) == ["questions"]
    assert last.differs("boundaries", before) == last.differs("retrieval", now) == []


def test_figures_that_a_benchmark_no_longer_gives_are_forgotten() -> None:
    kept = Last({"boundaries / gone / own answered": 0.5, "retrieval / x / y": 0.1})
    found = kept.with_reports({"boundaries": report(0.4)}).figures
    assert "boundaries / gone / own answered" not in found
    assert found["retrieval / x / y"] == 0.1


def test_the_page_is_one_file_in_which_nothing_is_markup_but_ours() -> None:
    page = render_page({"boundaries": report(0.5)}, {"x": "<script>no</script>"}, Last())
    assert "a &lt;b&gt;" in page
    assert not {"<script", "http://", "https://", "src="} & {
        part for part in ("<script", "http://", "https://", "src=") if part in page
    }
    assert "&lt;script&gt;" in page


def test_the_page_says_of_how_many_and_where_everything_is() -> None:
    page = render_page({"boundaries": report(0.5)}, {}, Last())
    assert "<b>50.0</b> <small>[25, 100] n 40</small>" in page
    assert '<a href="boundaries.json">' in page
    assert 'href="#boundaries"' in page
    assert '<h2 id="boundaries">' in page


def test_no_interval_is_shown_of_very_few_values() -> None:
    few = {**report(0.5)["rows"][0], "answered": interval(0.5) | {"n": 4}}
    page = render_page({"boundaries": report(0.5) | {"rows": [few]}}, {}, Last())
    assert "<b>50.0</b> <small>n 4</small>" in page


def test_what_needs_a_model_is_told_as_not_run() -> None:
    def not_run(**more: str) -> str:
        page = render_page({"boundaries": report(0.5) | more}, {}, Last())
        return page.partition('id="not-run"')[2]

    offline = not_run(answering="extractive")
    assert "KG_LLM_BASE_URL" in offline
    assert "no judge is named" in offline
    assert not_run(answering="llm:small", judge="llm:large") == ""


def test_a_gain_is_told_in_points_with_its_sign() -> None:
    row = {"graph": "OpenIE", "retriever": "ours", "score": interval(0.5), "gain": interval(0.25)}
    found = {
        "judge": "words",
        "rows": [row],
        "published_per_cent": {"OpenIE": 29.84},
        "inses_gains_points": {"OpenIE": 27.5},
    }
    page = render_page({"graph-quality": found}, {}, Last())
    assert "<b>+25.0</b> <small>[+12, +50] n 40</small>" in page
    assert "published INSES: +27.5" in page


def test_bars_are_as_long_as_their_values() -> None:
    figures = [Figure("b", "one", "m", 0.25, 0.1, 0.5), Figure("b", "two", "m", 1.0)]
    drawn = ElementTree.fromstring(bars(figures, "m", {"theirs": 0.5}))
    rows = list(drawn.iter("rect"))
    widths = [float(rect.get("width", "0")) for rect in rows]
    assert widths[1] == 4 * widths[0] == 2 * widths[2]
    assert [rect.get("class") for rect in rows] == ["bar", "bar", "bar told"]
    assert len([line for line in drawn.iter("line") if line.get("class") == "interval"]) == 1


def test_labels_fit_beside_their_bars() -> None:
    def start(label: str) -> float:
        drawn = ElementTree.fromstring(bars([Figure("b", label, "m", 0.5)], "m"))
        return float(next(drawn.iter("rect")).get("x", "0"))

    assert start("a much longer label") - start("short") >= 6 * (len("a much longer label") - len("short"))
    whole = "x" * 200
    drawn = bars([Figure("b", whole, "m", 0.5)], "m")
    assert f"<title>{whole}</title>" in drawn  # what is cut can be read on it
    assert start(whole) < 500


def test_lines_go_up_where_values_do() -> None:
    points = tuple((at, Figure("b", "r", "m", at / 2, at / 4, at)) for at in (0.0, 0.5, 1.0))
    drawn = ElementTree.fromstring(lines(Curve("c", {"one": points}, {"theirs": ((0.0, 1.0), (1.0, 1.0))})))
    one, theirs = (line.get("points", "").split() for line in drawn.iter("polyline"))
    heights = [float(point.split(",")[1]) for point in one]
    assert heights[0] > heights[1] > heights[2] > float(theirs[0].split(",")[1])
    assert [line.get("stroke-dasharray") for line in drawn.iter("polyline")] == [None, "5 4"]


def test_columns_follow_their_order_and_then_their_first_figure() -> None:
    grid = Grid(
        "t",
        (Figure("b", "r", "z", 1), Figure("b", "r", "y", 1)),
        {"p": {"a": "1", "x": "2"}},
        order=("x", "y"),
    )
    assert grid.columns == ["x", "y", "z", "a"]


def test_reports_that_the_page_does_not_know_have_no_figures() -> None:
    assert figures_of("something-else", {"rows": []}) == []


def test_all_runs_what_it_can_and_says_what_it_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = [0.4]

    def runs(*_: object) -> dict[str, Any]:
        def broken(path: Path) -> None:
            raise NoGraphError("nothing is built")

        return {
            "boundaries": lambda path: path.write_text(json.dumps(report(figures[-1]))),
            "retrieval": lambda path: None,
            "multihop-qa": broken,
        }

    monkeypatch.setattr(bench_all, "_runs", runs)
    arguments = ["bench", "all", "--output", str(tmp_path / "out")]
    first = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert "Not run: multihop-qa: nothing is built" in first.output
    assert "Not run: retrieval: its data are not here" in first.output
    figures.append(0.6)
    (tmp_path / "out" / "retrieval.json").write_text('{"rows": []}')  # of a version that wrote something else
    CliRunner().invoke(app, [*arguments, "--only", "boundaries"], catch_exceptions=False)
    page = (tmp_path / "out" / "index.html").read_text()
    assert "+20.0" in page
    assert 'id="retrieval"' not in page
    CliRunner().invoke(app, [*arguments, "--only", "multihop-qa"], catch_exceptions=False)
    page = (tmp_path / "out" / "index.html").read_text()
    assert "<b>60.0</b>" in page  # measured last, and still there
    assert "Measured by an earlier run" in page
    assert "same" not in page.partition("</style>")[2]
    wrong = CliRunner().invoke(app, [*arguments, "--only", "boundary"])
    assert isinstance(wrong.exception, SettingsError)


def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def runs(*_: object) -> dict[str, Any]:
        def first(path: Path) -> None:
            ran.append("boundaries")
            path.write_text(json.dumps(report(0.5)))

        def second(path: Path) -> None:
            ran.append("retrieval")
            if len(ran) < 3:
                raise KeyboardInterrupt

        return {"boundaries": first, "retrieval": second}

    monkeypatch.setattr(bench_all, "_runs", runs)
    folder = tmp_path / "out"
    arguments = ["bench", "all", "--output", str(folder)]
    CliRunner().invoke(app, arguments)
    assert not (folder / "index.html").exists()
    again = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert ran == ["boundaries", "retrieval", "retrieval"]
    assert "boundaries: measured before this run was stopped" in again.output
    assert "<b>50.0</b>" in (folder / "index.html").read_text()
    # Nothing is left to go on with: the next run measures everything, and so does one of another kind that follows a stop.
    CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert ran[3:] == ["boundaries", "retrieval"]
    unfinished = Unfinished(folder, ("this",))
    unfinished.finish("boundaries")
    assert Unfinished(folder, ("this",)).finished == ["boundaries"]
    assert Unfinished(folder, ("that",)).finished == []
