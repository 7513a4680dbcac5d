"""The Batch API against a loopback server that has files and batches, and runs that are cut short."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from kg_pipeline.errors import LlmUnavailable
from kg_pipeline.llm.batches import Batches, Outcome
from kg_pipeline.llm.chat import open_chat
from kg_pipeline.llm.structured import Question
from kg_pipeline.settings import LlmSettings
from tests.llm.serving import serving


class Fact(BaseModel):
    name: str


class Cut(BaseException):
    """Ends a run where it waits, as a kill would."""


@dataclass
class BatchServer:
    """Keeps files and batches; a batch is done when it is asked for the second time."""

    url: str
    files: dict[str, str] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: int = 0
    loses_the_answer: bool = False
    has_batches: bool = True
    fails: frozenset[str] = frozenset()
    answered_when_cancelled: int = 0

    def route(self, method: str, path: str, body: bytes) -> tuple[int, Any]:
        if not self.has_batches:
            return 404, {"error": {"message": "no such address"}}
        if (method, path) == ("POST", "/v1/files"):
            (lines,) = re.findall(rb'\r\n\r\n(\{"custom_id.*?)\r\n--', body, re.DOTALL)
            self.files[f"f{len(self.files)}"] = lines.decode()
            return 200, {"id": f"f{len(self.files) - 1}", "object": "file", "bytes": 1, "created_at": 0,
                         "filename": "x", "purpose": "batch", "status": "processed"}  # fmt: skip
        if (method, path) == ("POST", "/v1/batches"):
            wanted = json.loads(body)
            name = f"b{len(self.batches)}"
            self.batches[name] = {
                "id": name, "object": "batch", "created_at": 0, "status": "in_progress", "errors": None,
                "completion_window": "24h", "endpoint": wanted["endpoint"], "output_file_id": None,
                "input_file_id": wanted["input_file_id"], "metadata": wanted["metadata"],
            }  # fmt: skip
            return (
                (500, {"error": {"message": "lost"}}) if self.loses_the_answer else (200, self.batches[name])
            )
        if path.endswith("/cancel"):
            return self._cancel(self.batches[path.split("/")[-2]])
        if path.startswith("/v1/batches/"):
            self.asked += 1
            batch = self.batches[path.rpartition("/")[2]]
            if self.asked > 1 and batch["status"] == "in_progress":
                self._complete(batch)
            if batch["status"] == "cancelling" and self.asked > 1:
                self._complete(batch, self.answered_when_cancelled, status="cancelled")
            return 200, batch
        if path.startswith("/v1/batches"):
            return 200, {"object": "list", "data": list(self.batches.values()), "has_more": False}
        return 200, self.files[path.split("/")[3]]

    def _cancel(self, batch: dict[str, Any]) -> tuple[int, Any]:
        if batch["status"] != "in_progress":
            return 409, {"error": {"message": "it has ended"}}
        batch["status"] = "cancelling"
        return 200, batch

    def _complete(self, batch: dict[str, Any], most: int | None = None, *, status: str = "completed") -> None:
        rows = []
        for line in self.files[batch["input_file_id"]].splitlines()[:most]:
            request = json.loads(line)
            said = request["body"]["messages"][-1]["content"]
            choice = {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": json.dumps({"name": said})},
            }
            body = {"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}
            code = 500 if said in self.fails else 200
            rows.append({"custom_id": request["custom_id"], "response": {"status_code": code, "body": body}})
        self.files[f"out-{batch['id']}"] = "\n".join(json.dumps(row) for row in rows)
        batch |= {"status": status, "output_file_id": f"out-{batch['id']}"}


@pytest.fixture
def server() -> Iterator[BatchServer]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            status, content = state.route(self.command, self.path.partition("?")[0], body)
            data = content.encode() if isinstance(content, str) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = _answer

        def log_message(self, *_: Any) -> None:
            pass

    with serving(Handler) as address:
        state = BatchServer(address)
        yield state


def batches(
    server: BatchServer,
    folder: Path,
    *,
    cut: bool = False,
    announced: list[str] | None = None,
    **options: Any,
) -> Batches:
    values = {"base_url": server.url, "model": "m", "api_key": "k", "price_per_million_input": 10, **options}
    settings = LlmSettings.model_validate(values)

    def wait(seconds: float) -> None:
        if cut:
            raise Cut

    said: list[str] = [] if announced is None else announced
    chat = open_chat(settings, folder)
    return Batches(chat, settings, folder / "batches", Fact, 50, "triples", said.append, wait)


ASKED = [Question([{"role": "user", "content": name}]) for name in ("TP53", "EGFR", "lupus")]


def test_answers_come_at_half_the_price_and_are_found_in_the_cache(
    server: BatchServer, tmp_path: Path
) -> None:
    made = batches(server, tmp_path)
    assert made.answer(iter(ASKED)) == Outcome(answered=3, unanswered=0)
    assert made.chat.ledger.total.cost == pytest.approx(0.5 * 300 * 10 / 1e6)
    assert all(made.chat.has_answer(made._key(each)) for each in ASKED)
    assert not list((tmp_path / "batches").iterdir())
    assert made.answer(iter(ASKED)) == Outcome(0, 0)  # nothing is left to ask
    assert len(server.batches) == 1
    (line, *_) = server.files["f0"].splitlines()
    assert (
        json.loads(line)["body"]["max_completion_tokens" if "max_completion_tokens" in line else "max_tokens"]
        == 50
    )


def test_a_run_that_was_killed_finds_its_batch_again(server: BatchServer, tmp_path: Path) -> None:
    with pytest.raises(Cut):
        batches(server, tmp_path, cut=True).answer(iter(ASKED))
    said: list[str] = []
    again = batches(server, tmp_path, announced=said)
    again.answer(iter(ASKED))
    assert len(server.batches) == 1
    assert all(again.chat.has_answer(again._key(each)) for each in ASKED)
    (line,) = said
    assert "Waiting for batch b0 (3 requests to m)" in line


def test_a_batch_of_another_model_is_cancelled_and_what_it_answered_kept(
    server: BatchServer, tmp_path: Path
) -> None:
    with pytest.raises(Cut):
        batches(server, tmp_path, cut=True).answer(iter(ASKED))
    server.asked, server.answered_when_cancelled = 0, 2
    said: list[str] = []
    other = batches(server, tmp_path, announced=said, model="better")
    assert other.answer(iter(ASKED)) == Outcome(answered=3, unanswered=0)
    assert [each["status"] for each in server.batches.values()] == ["cancelled", "completed"]
    assert "Cancelling batch b0 (3 requests to m)" in said[0]
    first = batches(server, tmp_path)
    assert [first.chat.has_answer(first._key(each)) for each in ASKED] == [True, True, False]


def test_where_no_batches_are_wanted_any_more_the_old_ones_are_cancelled(
    server: BatchServer, tmp_path: Path
) -> None:
    batches(server, tmp_path).cancel()
    assert not server.batches
    with pytest.raises(Cut):
        batches(server, tmp_path, cut=True).answer(iter(ASKED))
    server.asked, server.answered_when_cancelled = 0, 1
    made = batches(server, tmp_path)
    made.cancel()
    assert [each["status"] for each in server.batches.values()] == ["cancelled"]
    assert [made.chat.has_answer(made._key(each)) for each in ASKED] == [True, False, False]
    assert not list((tmp_path / "batches").iterdir())


def test_a_batch_that_has_ended_meanwhile_needs_no_cancelling(server: BatchServer, tmp_path: Path) -> None:
    with pytest.raises(Cut):
        batches(server, tmp_path, cut=True).answer(iter(ASKED))
    server._complete(server.batches["b0"])
    made = batches(server, tmp_path)
    made.cancel()
    assert all(made.chat.has_answer(made._key(each)) for each in ASKED)


def test_a_batch_whose_creation_was_not_confirmed_is_found_by_its_mark(
    server: BatchServer, tmp_path: Path
) -> None:
    server.loses_the_answer = True
    with pytest.raises(LlmUnavailable, match="lost"):
        batches(server, tmp_path).answer(iter(ASKED))
    assert len(server.batches) == 1  # was not sent twice
    server.loses_the_answer = False
    again = batches(server, tmp_path)
    again.answer(iter(ASKED))
    assert len(server.batches) == 1
    assert all(again.chat.has_answer(again._key(each)) for each in ASKED)


def test_a_failed_request_is_left_unanswered(server: BatchServer, tmp_path: Path) -> None:
    server.fails = frozenset({"EGFR"})
    assert batches(server, tmp_path).answer(iter(ASKED)) == Outcome(answered=2, unanswered=1)


def test_no_more_is_sent_than_the_budget_holds(server: BatchServer, tmp_path: Path) -> None:
    made = batches(server, tmp_path, budget_tokens=250)
    outcome = made.answer(iter(ASKED))
    assert outcome.answered < 3
    sent = [line for name, file in server.files.items() if name.startswith("f") for line in file.splitlines()]
    assert len(sent) == outcome.answered


def test_an_endpoint_without_batches_is_said_to_have_none(server: BatchServer, tmp_path: Path) -> None:
    server.has_batches = False
    with pytest.raises(LlmUnavailable, match="unset KG_LLM_BATCH"):
        batches(server, tmp_path).answer(iter(ASKED))
