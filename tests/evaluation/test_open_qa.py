"""Answers to public multi-hop questions, from a small file in MuSiQue's format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from kg_pipeline.cli.app import app
from kg_pipeline.errors import BenchmarkFileError, LlmError, LlmRefused, LlmUnavailable, SettingsError
from kg_pipeline.settings import load_settings
from retrieval.answer import Answer, Citation, EvidenceGraph
from retrieval.evaluation.open_qa.benchmark import OpenQaSettings, run_open_qa
from retrieval.evaluation.open_qa.published import of_benchmark
from retrieval.evaluation.open_qa.reading import RuleReader
from retrieval.evaluation.open_qa.running import Scoring, run_questions
from retrieval.evaluation.open_qa.shortening import RuleShortener
from retrieval.evaluation.page.figures import figures_of
from retrieval.evaluation.questions import QaQuestion
from retrieval.evaluation.readers import read_questions
from retrieval.graph import Graph
from retrieval.methods.context import CachedEmbedder, Context
from retrieval.reasoning.extractive import ExtractiveReasoner
from tests.evaluation.test_multihop import ADA, ASH, ELM, fake_model, folder, reader, settings
from tests.evaluation.test_readers import HOTPOT, musique, write
from tests.llm.conftest import Response, ScriptedServer, server
from tests.retrieval.memory_graph import HashingEmbedder, split

__all__ = ["fake_model", "folder", "reader", "server", "settings"]


def answering(question: str, text: str, **more: Any) -> Answer:
    values: dict[str, Any] = {
        "question": question,
        "text": text,
        "answered": True,
        "sentences": (),
        "citations": (),
        "verdict": None,
        "method": "m",
        "reasoner": "extractive",
        "corpus": "b",
        "version": "v",
    }
    return Answer(**(values | more))


def cited(passage_id: str) -> Citation:
    return Citation(1, passage_id, "", "", passage_id, 0, 1, "q", "passage")


async def test_rules_read_the_name_in_the_sentence_nearest_to_the_question(reader: Any) -> None:
    rules = RuleReader(reader, split)
    passages = reader.chunks([ADA.passage_id, ELM.passage_id, ASH.passage_id])
    assert await rules.read("Who founded Elm in 900?", passages) == "Bo"
    assert await rules.read("Where was Ada born?", passages) == "Elm"
    assert await rules.read("Where was Ada born?", passages[2:]) == ""


async def test_rules_find_the_words_that_are_compared(reader: Any) -> None:
    rules = RuleShortener(reader)
    founded = answering(
        "Who founded Elm?", "Elm was founded by Bo in 900. [1]", citations=(cited(ELM.passage_id),)
    )
    assert await rules.shorten(founded) == "Bo"
    assert await rules.shorten(answering("Is Elm old?", "Yes, it is. [1]", verdict="yes")) == "yes"
    assert await rules.shorten(answering("How many towns?", "There are three. [1][2]")) == "3"
    assert await rules.shorten(answering("How many towns?", "Listed.", items=("Elm", "Ash"))) == "2"
    assert await rules.shorten(answering("Which town?", "Listed.", items=("Elm", "Ash"))) == "Elm"
    nameless = answering("What is Ash?", "A tree of the north.", citations=(cited(ASH.passage_id),))
    assert await rules.shorten(nameless) == "A tree of the north."
    assert await rules.shorten(answering("?", "no information available", answered=False)) == ""
    known = answering(
        "Who?", "It was Bo.", graph=EvidenceGraph(entities=dict.fromkeys(reader.find_entities("Bo"), "Bo"))
    )
    assert await rules.shorten(known) == "Bo"


@pytest.mark.usefixtures("fake_model")
def test_the_command_answers_ranks_and_writes_a_report(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "300")
    output = tmp_path / "report.json"
    arguments = [
        "bench",
        "open-qa",
        str(folder / "questions.json"),
        "--methods",
        "naive,egot,egot-no-thoughts",
    ]
    result = CliRunner().invoke(
        app, [*arguments, "--sample", "4", "--output", str(output)], catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    report = json.loads(output.read_text())
    assert (report["of"], report["questions"], report["passages"]) == ("musique", 4, 3)
    assert [(row["method"], row["passages"]) for row in report["rows"]] == [
        ("dense", "ranked"),
        ("bm25", "ranked"),
        ("ppr", "ranked"),
        ("naive", "cited"),
        ("egot", "cited"),
        ("egot-no-thoughts", "cited"),
    ]
    # The sentence that shares most words with the question is that of the first hop, and rules get no further.
    assert {row["outcomes"][0]["prediction"] for row in report["rows"][:3]} == {"Elm"}
    assert report["shortening"] == "rules"
    # The triples beside the questions were read: without them there are no relations to walk.
    assert report["graph"]["counts"]["relations"] == 3
    assert {"settings", "versions", "hardware", "bootstrap"} <= set(report)
    shown = figures_of("open-qa", report)
    assert {figure.metric for figure in shown} >= {"exact match", "F1", "all@5", "calls", "tokens", "seconds"}
    assert len({figure.key for figure in shown}) == len(shown)
    (ablation,) = report["ablations"]
    assert (ablation["full"], ablation["method"]) == ("egot", "egot-no-thoughts")
    assert ablation["losses"]["gold_read"]["n"] == 4
    naive = report["rows"][3]
    # What was read holds the gold passages, whether they are cited or not.
    assert naive["scores"]["gold_read"]["mean"] > naive["scores"]["recall@10"]["mean"]
    assert 0.0 < naive["passages_read"] <= 3.0
    assert 0.0 <= ablation["same"] <= 1.0
    assert "What a part is worth" in result.output


@pytest.mark.usefixtures("fake_model")
def test_a_language_model_answers_and_shortens_its_answer(
    folder: Path, tmp_path: Path, server: ScriptedServer
) -> None:
    def reply(body: dict[str, Any]) -> Response:
        system, asked = (message["content"] for message in body["messages"][:2])
        if "accepted answers" in system:
            assert body["model"] == "another"
            return server.answer(json.dumps({"correct": "Given answer: <data>Bo</data>" in asked}))
        if "numbered passages" in system:
            assert "Passage 1: <data>" in asked
            return server.answer('{"answer": "the Bo"}')
        if "shortest words" in system:
            assert "<data>Ada was born in Elm. Elm was founded by Bo.</data>" in asked
            return server.answer('{"answer": "Bo"}')
        told = [
            {"text": f"{text}.", "citations": [int(asked.partition(f">{text}")[0].rpartition('id="')[2][:1])]}
            for text in ("Ada was born in Elm", "Elm was founded by Bo")
        ]
        return server.answer(json.dumps({"answerable": True, "sentences": told, "confidence": 0.9}))

    server.script = [reply]
    server.models = [{"id": "m"}, {"id": "another"}]
    # Every word of it is in the corpus; a question with a word that is nowhere is not answered at all.
    questions = (folder / "questions.json").read_text().replace("the place where", "Elm, where")
    (folder / "questions.json").write_text(questions)
    settings = load_settings(
        {
            "KG_HOME": str(tmp_path / "home"),
            "KG_LLM_BASE_URL": server.url,
            "KG_LLM_MODEL": "m",
            "KG_LLM_API_KEY": "k",
        }
    )
    run = run_open_qa(
        folder / "questions.json",
        settings,
        OpenQaSettings(methods=("naive",), sample=2, judge=f"another@{server.url}"),
        corpus=folder / "corpus_3.json",
    )
    *rankings, row = run.rows
    # One call for each, the same for two questions that are one text over the same passages, and scored as SQuAD does.
    assert [(found.method, found.scores["em"].mean, found.calls) for found in rankings] == [
        ("dense", 1.0, 1.0),
        ("bm25", 1.0, 1.0),
        ("ppr", 1.0, 1.0),
    ]
    assert [outcome.prediction for outcome in row.outcomes] == ["Bo", "Bo"]
    assert (row.scores["em"].mean, row.scores["f1"].mean) == (1.0, 1.0)
    # The answer cites both gold passages, and not the third one.
    assert (row.scores["all@5"].mean, len(row.outcomes[0].passages)) == (1.0, 2)
    assert row.tokens > 0
    assert (run.report["answering"], run.report["shortening"]) == ("llm:m", "llm:m")
    # The judge of the INSES paper beside exact match: "the Bo" is exact by the rules, and not what this judge accepts.
    judged = {found.method: found.scores["judge"].mean for found in run.rows}
    assert judged == {"dense": 0.0, "bm25": 0.0, "ppr": 0.0, "naive": 1.0}
    assert run.report["judge"] == "llm:another"
    with pytest.raises(SettingsError, match="must not judge its own"):
        run_open_qa(folder / "questions.json", settings, OpenQaSettings(judge="m"))


def test_a_file_tells_of_which_benchmark_it_is(tmp_path: Path) -> None:
    rag = {"query": "Who?", "answer": "Bo", "question_type": "x", "gold_list": [{"title": "T", "fact": "F."}]}
    for name, record in {
        "musique": musique(),
        "hotpot": HOTPOT,
        "2wiki": HOTPOT | {"evidences": []},
        "multihop-rag": rag,
    }.items():
        found, benchmark = read_questions(write(tmp_path / "q.json", [record]))
        assert (found, len(benchmark.questions)) == (name, 1)
    for wrong, message in (([{"text": "?"}], "no record has"), ([], "no record has")):
        with pytest.raises(BenchmarkFileError, match=message):
            read_questions(write(tmp_path / "q.json", wrong))
    with pytest.raises(BenchmarkFileError, match="There is no file"):
        read_questions(tmp_path / "absent.json")
    with pytest.raises(BenchmarkFileError, match="no question that has"):
        read_questions(write(tmp_path / "q.json", [musique(answerable=False)]))


def test_published_figures_stand_beside_their_own_benchmark() -> None:
    assert of_benchmark("hotpot")["eGoT"] == {"em": 63.0, "f1": 71.11}
    assert of_benchmark("multihop-rag")["eGoT"] == {"f1": 76.3, "accuracy": 79.1}
    assert of_benchmark("musique") == {}


class Dead:
    """A method whose language model is gone, or refuses."""

    name = "dead"

    def __init__(self, error: LlmError) -> None:
        self.error = error

    async def answer(self, question: str, context: Context) -> Answer:
        raise self.error


def test_a_model_that_is_gone_ends_the_run_and_one_that_refuses_does_not(reader: Any) -> None:
    embedder = CachedEmbedder(HashingEmbedder())
    graph = Graph(Context(reader, embedder, split, ExtractiveReasoner(reader, embedder, split)))
    asked = [QaQuestion("q1", "Where was Ada born?", ("Elm",), frozenset({ADA.passage_id}), "2hop")]
    with pytest.raises(LlmUnavailable, match="gone"):
        run_questions(graph, asked, Dead(LlmUnavailable("gone")), RuleShortener(reader), Scoring())
    row = run_questions(graph, asked, Dead(LlmRefused("no JSON")), RuleShortener(reader), Scoring())
    assert (row.failed, row.scores["em"].mean, row.outcomes[0].reason) == (1, 0.0, "no JSON")
