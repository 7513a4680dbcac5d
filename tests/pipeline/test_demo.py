"""The main job, end to end: build the demo corpus, ask, rebuild."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest

import kg_pipeline
from tests.pipeline.command import run_kg

pytestmark = pytest.mark.integration

DEMO = Path(kg_pipeline.__file__).parent / "demo"


def ask(home: Path, question: str) -> dict[str, object]:
    result = run_kg(home, "ask", "demo", question, "--json")
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    assert isinstance(answer, dict)
    return answer


def test_a_second_build_changes_nothing_and_says_so(built: Path) -> None:
    result = run_kg(built, "build", "demo")
    assert result.returncode == 0, result.stderr
    assert "Nothing changed" in result.stdout


def test_the_retracted_article_has_a_status_and_no_edges(built: Path) -> None:
    from kg_pipeline.datasets import Datasets

    datasets = Datasets(built / "datasets")
    articles = datasets.scan("articles", "demo").collect()
    retracted = articles.filter(articles["status"] == "retracted")["article_id"].to_list()
    assert len(retracted) == 1
    evidence = datasets.scan("evidence", "demo").collect()
    assert not set(retracted) & set(evidence["article_id"].to_list())


def test_every_citation_quotes_its_article(built: Path) -> None:
    from kg_pipeline.datasets import Datasets

    texts = dict(
        Datasets(built / "datasets")
        .scan("documents", "demo")
        .select("article_id", "text")
        .collect()
        .iter_rows()
    )
    questions = tomllib.loads((DEMO / "questions.toml").read_text())["question"]
    for question in [q for q in questions if q.get("demo")]:
        answer = ask(built, question["text"])
        assert answer["answered"], question["text"]
        assert answer["citations"], question["text"]
        for citation in answer["citations"]:
            assert texts[citation["article_id"]][citation["start"] : citation["end"]] == citation["quote"]


def test_a_question_the_corpus_cannot_answer_says_so(built: Path) -> None:
    answer = ask(built, "What is the capital of France?")
    assert not answer["answered"]
    assert "no information available" in str(answer["text"]).lower()


def test_a_question_may_use_a_name_that_no_article_uses(built: Path) -> None:
    answer = ask(built, "Which antibody treats oat cell lung cancer?")
    assert answer["answered"]
    assert any("Tarlatamab treats small cell lung cancer" in each["quote"] for each in answer["citations"])


def test_an_added_article_adds_and_a_removed_one_leaves_no_trace(warm: Path) -> None:
    articles = sorted((DEMO / "articles").glob("*.xml"))
    source = warm / "source"
    source.mkdir()
    for path in articles[:3]:
        shutil.copy(path, source)
    versions = []
    for change in ("none", "add", "remove"):
        if change == "add":
            shutil.copy(articles[3], source)
        if change == "remove":
            (source / articles[3].name).unlink()
        result = run_kg(warm, "build", "mine", "--source", str(source))
        assert result.returncode == 0, result.stderr
        versions.append((warm / "graphs" / "mine" / "CURRENT").read_text())
    assert versions[0] == versions[2] != versions[1]


def test_corpora_and_versions_are_listed(built: Path) -> None:
    current = (built / "graphs" / "demo" / "CURRENT").read_text().strip()
    assert current in run_kg(built, "corpora").stdout
    assert current in run_kg(built, "versions", "demo").stdout


def test_doctor_finds_nothing_missing(built: Path) -> None:
    result = run_kg(built, "doctor")
    assert result.returncode == 0, result.stdout
    assert "KG_LLM_BASE_URL" in result.stdout


def test_doctor_names_a_setting_that_cannot_be_used_and_shows_the_rest(built: Path) -> None:
    result = run_kg(built, "doctor", KG_SHARDS="many")
    assert result.returncode == 1
    assert "KG_SHARDS" in result.stdout
    assert "concepts" in result.stdout


def test_the_demo_prints_what_the_readme_shows(built: Path) -> None:
    readme = (Path(kg_pipeline.__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    shown = readme.split("Printed by `make demo`", 1)[1].split("```")[1]
    result = run_kg(built, "demo")
    assert result.returncode == 0, result.stderr
    printed = " ".join(result.stdout.split())
    for piece in pieces(shown):
        assert piece in printed


def pieces(shown: str) -> list[str]:
    """Rows of the table, and what stands between the places where the rest was cut; how long it took is left out."""
    table, text = shown.split("\n\n", 1)
    cut = re.sub(r", \d+\.\d s\b", "…", text).replace("\n\n", "…")
    found = [" ".join(piece.split()) for piece in [*table.splitlines(), *cut.split("…")]]
    return [piece for piece in found if piece.strip("\"' .")]
