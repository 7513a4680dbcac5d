"""What `kg bench entities` and `kg bench relations` write is what the page of all benchmarks reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from kg_pipeline.cli.app import app
from retrieval.evaluation.page.figures import figures_of
from retrieval.evaluation.page.html import render_page
from retrieval.evaluation.page.last import Last
from retrieval.evaluation.page.model import Figure

TITLE, ABSTRACT = "Losartan and kidneys.", "Losartan inhibits renin. Losartan caused hypotension."
MENTIONS = (
    ("Losartan", "ChemicalEntity", "D019808"),
    ("renin", "GeneOrGeneProduct", "5972"),
    ("hypotension", "DiseaseOrPhenotypicFeature", "D007022"),
)
RELATIONS = ("Negative_Correlation\t5972\tD019808", "Positive_Correlation\tD019808\tD007022")


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    text = f"{TITLE} {ABSTRACT}"
    lines = [f"1|t|{TITLE}", f"1|a|{ABSTRACT}"]
    for name, kind, identifier in MENTIONS:
        starts = [at for at in range(len(text)) if text.startswith(name, at)]
        lines += [f"1\t{at}\t{at + len(name)}\t{name}\t{kind}\t{identifier}" for at in starts]
    lines += [f"1\t{relation}\tNovel" for relation in RELATIONS]
    sentence = {"text": "<< Losartan >> inhibits [[ renin ]].", "label": "INHIBITOR"}
    for folder, content in (
        ("biored/dev.PubTator", "\n".join(lines) + "\n"),
        ("chemprot_scibert/dev.jsonl", json.dumps(sentence) + "\n"),
    ):
        path = tmp_path / "gold" / folder
        path.parent.mkdir(parents=True)
        path.write_text(content, encoding="utf-8")
    return tmp_path / "gold"


def run(command: str, gold: Path) -> dict[str, Any]:
    output = gold.parent / f"{command}.json"
    arguments = ["bench", command, "--gold", str(gold), "--output", str(output)]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
    assert set(found) >= {"versions", "hardware"} or set(found["context"]) >= {"versions", "hardware"}
    return found


def test_both_reports_have_figures_on_the_page(
    gold: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KG_HOME", str(tmp_path_factory.getbasetemp() / "shared-vocabulary"))
    reports = {name: run(name, gold) for name in ("entities", "relations")}
    entities, relations = (
        {(figure.row, figure.metric): figure for figure in figures_of(name, reports[name])}
        for name in ("entities", "relations")
    )
    spans = entities["BioRED, mentions stage", "names found, F1"]
    assert spans.value == 1.0
    assert spans.low == spans.high == 1.0  # of one article
    assert entities["BioRED", "concept of an annotated span right"].value == 1.0
    assert relations["BioRED, entities given, all", "F1"].value > 0
    assert relations["ChemProt, entities given", "F1"].value == 1.0
    assert all(figure.low is not None for (_, metric), figure in relations.items() if metric == "F1")
    ends = [
        figure
        for (row, metric), figure in relations.items()
        if row.startswith("BioRED, end to end") and metric == "F1"
    ]
    assert ends
    assert all(figure.published for figure in ends)
    page = render_page(reports, {}, Last())
    assert all(isinstance(figure, Figure) and figure.row in page for figure in (spans, *ends))
    assert "cpu" in page
