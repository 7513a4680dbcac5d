from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

import kg_pipeline.cli.bench.everything as bench_all
from kg_pipeline.cli.app import app
from kg_pipeline.errors import NoGraphError, SettingsError
from retrieval.evaluation.page.figures import Figure, figures_of
from retrieval.evaluation.page.html import render_page, values_of
from retrieval.evaluation.page.plots import bars


def interval(mean: float) -> dict[str, float]:
    return {"mean": mean, "low": mean / 2, "high": min(2 * mean, 1.0), "n": 4}


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
    last = values_of({"boundaries": report(0.4)})
    page = render_page({"boundaries": report(0.5)}, {}, last)
    assert '<td class="number up">+10.0</td>' in page
    assert '<td class="number">same</td>' in page
    assert '<td class="number down">-10.0</td>' in render_page({"boundaries": report(0.3)}, {}, last)
    assert "no page before" in render_page({"boundaries": report(0.3)}, {}, {})


def test_the_page_is_one_file_in_which_nothing_is_markup_but_ours() -> None:
    page = render_page({"boundaries": report(0.5)}, {"x": "<script>no</script>"}, {})
    assert "a &lt;b&gt;" in page
    assert not {"<script", "http://", "https://", "src="} & {
        part for part in ("<script", "http://", "https://", "src=") if part in page
    }
    assert "&lt;script&gt;" in page


def test_the_page_says_of_how_many_and_where_everything_is() -> None:
    page = render_page({"boundaries": report(0.5)}, {}, {})
    assert '<th class="number">of</th>' in page
    assert '<td class="number">25 to 100</td><td class="number">4</td>' in page
    assert '<a href="boundaries.json">' in page


def test_a_gain_is_told_in_points_with_its_sign() -> None:
    row = {"graph": "OpenIE", "retriever": "ours", "score": interval(0.5), "gain": interval(0.25)}
    found = {
        "judge": "words",
        "rows": [row],
        "published_per_cent": {"OpenIE": 29.84},
        "inses_gains_points": {"OpenIE": 27.5},
    }
    page = render_page({"graph-quality": found}, {}, {})
    assert "+25.0 points" in page
    assert "+12 to +50" in page
    assert "INSES: +27.5" in page


def test_bars_are_as_long_as_their_values() -> None:
    drawn = ElementTree.fromstring(
        bars([Figure("b", "one", "m", 0.25, 0.1, 0.5), Figure("b", "two", "m", 1.0)], "m")
    )
    widths = [float(rect.get("width", "0")) for rect in drawn.iter("rect")]
    assert widths[1] == 4 * widths[0]
    assert len([line for line in drawn.iter("line") if line.get("class") == "interval"]) == 1


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
    CliRunner().invoke(app, [*arguments, "--only", "boundaries"], catch_exceptions=False)
    assert "+20.0" in (tmp_path / "out" / "index.html").read_text()
    wrong = CliRunner().invoke(app, [*arguments, "--only", "boundary"])
    assert isinstance(wrong.exception, SettingsError)
