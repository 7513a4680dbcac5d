"""Judges behind a real HTTP server that speaks the OpenAI protocol."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kg_pipeline.errors import SettingsError
from kg_pipeline.settings import load_settings
from retrieval.evaluation.biomedhop.build import Built
from retrieval.evaluation.biomedhop.items import write_items
from retrieval.evaluation.judges import open_judge, open_model
from retrieval.evaluation.mine.entailment import LlmEntailment
from retrieval.evaluation.multihop_qa import benchmark
from retrieval.evaluation.multihop_qa.benchmark import QaSettings, run_benchmark
from retrieval.evaluation.verification import RuleJudge
from tests.evaluation.conftest import Small
from tests.evaluation.test_multihop_qa import context_of
from tests.llm.conftest import ScriptedServer, server

__all__ = ["server"]
VERDICT = {
    "answer_correct": False,
    "evidence_support": 0.25,
    "reasoning_completeness": 0.5,
    "error_type": "wrong_hop",
}


def test_two_judges_over_http_are_compared(
    server: ScriptedServer, small: Small, built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reply(body: dict[str, object]) -> object:
        other = VERDICT | {"error_type": "counting"}
        return server.answer(json.dumps(VERDICT if body["model"] == "one" else other))

    server.script = [reply]
    monkeypatch.setattr(benchmark, "make_context", context_of)
    item = next(item for item in built.items if item.family == "intersection")
    write_items(tmp_path / "items.jsonl", [item])
    judges = (f"one@{server.url}", f"two@{server.url}")
    # Where answers of models are kept must be this test's own.
    settings = small.settings.model_copy(update={"home": tmp_path, "corpora_file": tmp_path / "c.toml"})
    (tmp_path / "graphs").symlink_to(small.settings.graphs)
    run = run_benchmark(tmp_path / "items.jsonl", settings, QaSettings(methods=("naive",), judges=judges))
    (row,) = run.report["rows"]
    assert row["verification"]["llm:one"]["families"]["intersection"]["evidence"]["mean"] == 0.25
    assert row["verification"]["llm:two"]["errors"] == {"counting": 1.0}
    agreed = row["judge_agreement"]["llm:one and llm:two"]
    assert (agreed["answer"]["share"], agreed["error_type"]["share"]) == (1.0, 0.0)
    assert {request["model"] for request in server.requests} == {"one", "two"}


def test_a_model_tells_what_a_context_says(server: ScriptedServer, tmp_path: Path) -> None:
    server.script = [server.answer('{"stated": true}'), server.answer("I cannot tell.")]
    settings = load_settings({"KG_HOME": str(tmp_path)})
    judge = LlmEntailment(open_model(f"m@{server.url}", settings))
    assert judge.judge([("A fact.", ["a statement"])]) == [True]
    # A reply that is no verdict finds nothing; it does not end the run.
    assert judge.judge([("Another fact.", ["a statement"])]) == [False]


def test_a_judge_without_an_endpoint_says_what_to_set(tmp_path: Path) -> None:
    settings = load_settings({"KG_HOME": str(tmp_path)})
    assert isinstance(open_judge("rules", settings), RuleJudge)
    with pytest.raises(SettingsError, match="KG_LLM_BASE_URL"):
        open_judge("some-model", settings)
