from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import retrieval.evaluation.multihop as multihop
from kg_pipeline.cli.app import app
from kg_pipeline.errors import BenchmarkFileError
from kg_pipeline.graph.reader import GraphReader
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.graph.versions.verify import verify_version
from kg_pipeline.settings import Settings, load_settings
from retrieval.evaluation.questions import make_passage
from retrieval.evaluation.report import cpu_model
from retrieval.evaluation.triple_graph import publish_graph
from retrieval.evaluation.triples import read_triples
from tests.evaluation.words import Words

ADA = make_passage("Ada", "Ada was born in Elm, near the river.")
ELM = make_passage("Elm", "Elm was founded by Bo in 900.")
ASH = make_passage("Ash", "Ash is a tree of the north.")
TRIPLES = {
    ADA.passage_id: [("Ada", "was born in", "Elm"), ("Ada", "lives near", "the River")],
    ELM.passage_id: [("elm", "founded by", "Bo"), ("Elm", "is", "...")],
}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings({"KG_HOME": str(tmp_path / "home")})


@pytest.fixture
def reader(settings: Settings) -> Iterator[GraphReader]:
    manifest = publish_graph([ADA, ELM, ASH], TRIPLES, settings, "b", embedder=Words())
    found = VersionStore(settings.graphs).open("b", manifest.version)
    yield found
    found.close()


def test_the_graph_holds_passages_names_and_statements(reader: GraphReader) -> None:
    (elm,) = reader.entities(reader.find_entities("ELM"))
    assert (elm.name, set(elm.aliases), elm.n_articles) == ("Elm", {"Elm", "elm"}, 2)
    assert set(reader.chunks_of([elm.entity_id])[elm.entity_id]) == {ADA.passage_id, ELM.passage_id}
    relations = reader.relations(reader.neighbours([elm.entity_id]))
    assert {relation.predicate for relation in relations} == {"related_to"}
    said = {row.predicate_text for row in reader.evidence([r.relation_id for r in relations])}
    assert said == {"was born in", "founded by"}
    assert reader.manifest.counts["chunks"] == 3


def test_a_name_without_letters_is_no_entity(reader: GraphReader) -> None:
    assert reader.find_entities("...") == []
    assert reader.manifest.counts["relations"] == 3


def test_the_graph_passes_verification(settings: Settings) -> None:
    manifest = publish_graph([ADA, ELM, ASH], TRIPLES, settings, "b", embedder=Words())
    folder = VersionStore(settings.graphs).folder("b", manifest.version)
    assert verify_version(folder) == []


def test_the_same_input_gives_the_same_version(settings: Settings) -> None:
    first = publish_graph([ADA, ELM], TRIPLES, settings, "b", embedder=Words())
    assert publish_graph([ADA, ELM], TRIPLES, settings, "b", embedder=Words()).version == first.version
    assert publish_graph([ADA, ASH], TRIPLES, settings, "b", embedder=Words()).version != first.version


def test_malformed_triples_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "openie.json"
    rows = [["Ada", "born in", "Elm"], ["Ada", "born"], "x", ["Elm", "population", 900]]
    path.write_text(json.dumps({"docs": [{"title": ADA.title, "text": ADA.text, "extracted_triples": rows}]}))
    found = read_triples(path)
    assert (found.total, found.malformed) == (2, 2)
    assert found.by_passage[ADA.passage_id][1] == ("Elm", "population", "900")
    path.write_text("[]")
    with pytest.raises(BenchmarkFileError, match="extracted triples"):
        read_triples(path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A benchmark of six questions over three passages; the second hop shares no word with the question."""
    found = tmp_path / "data"
    found.mkdir()
    passages = [ADA, ELM, ASH]
    questions = [
        {
            "id": f"2hop__{number}",
            "question": "Who founded the place where Ada was born?",
            "paragraphs": [
                {"title": p.title, "paragraph_text": p.text, "is_supporting": p is not ASH} for p in passages
            ],
            "answer": "Bo",
            "answerable": True,
        }
        for number in range(6)
    ]
    (found / "questions.json").write_text(json.dumps(questions))
    (found / "corpus_3.json").write_text(json.dumps([{"title": p.title, "text": p.text} for p in passages]))
    docs = [
        {"title": p.title, "text": p.text, "extracted_triples": TRIPLES.get(p.passage_id, [])}
        for p in passages
    ]
    (found / "openie_x.json").write_text(json.dumps({"docs": docs}))
    return found


@pytest.fixture
def fake_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kg_pipeline.llm.embeddings.load_embedder", lambda settings: Words())
    monkeypatch.setattr("kg_pipeline.graph.assembly.embed.load_embedder", lambda settings: Words())


@pytest.mark.usefixtures("fake_model")
def test_a_run_is_repeatable_and_reports_what_it_needs(folder: Path, settings: Settings) -> None:
    run = multihop.run_multihop(folder, settings)
    again = multihop.run_multihop(folder, settings)
    assert [result.scores for result in run.results] == [result.scores for result in again.results]
    assert [result.rankings for result in run.results] == [result.rankings for result in again.results]
    scores = {result.method: result.scores["all"] for result in run.results}
    assert set(scores) == {"bm25", "dense", "ppr"}
    assert scores["ppr"]["recall@2"].mean == 1.0
    assert scores["ppr"]["all@5"].n == 6
    halves = run.report["benchmark"]["questions"]
    assert halves["tune"] + halves["test"] == halves["all"] == 6
    json.dumps(run.report)
    assert run.report["settings"]["damping"] == 0.5
    assert run.report["hardware"]["cpu"]
    assert "numpy" in run.report["versions"]


@pytest.mark.usefixtures("fake_model")
def test_the_command_prints_the_table_and_writes_the_report(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    output = tmp_path / "out" / "report.json"
    result = CliRunner().invoke(app, ["bench", "retrieval", "--data", str(folder), "--output", str(output)])
    assert result.exit_code == 0, result.output
    assert "start: 60-line PPR" in result.output
    assert "Gain of ppr over this graph's own vectors" in result.output
    assert json.loads(output.read_text())["llm_calls"] == 0


def test_the_command_says_what_is_absent(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["bench", "retrieval", "--data", str(tmp_path / "nowhere")])
    assert result.exit_code == 0
    assert result.output.startswith("Skipped: the folder ")


def test_the_processor_is_named(tmp_path: Path) -> None:
    info = tmp_path / "cpuinfo"
    info.write_text("processor : 0\nmodel name : Fast Chip 3\n")
    assert cpu_model(info) == "Fast Chip 3"
    assert cpu_model(tmp_path / "absent")
