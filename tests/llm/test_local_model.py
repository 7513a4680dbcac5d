"""A real model behind a real server: what the protocol promises, never how good the answers are.

It runs `models/local-llm` of the shared test data, or uses a server that is already there: TEST_LLM_URL.
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from kg_pipeline.errors import LlmRefused
from kg_pipeline.extraction.llm.triples import Passage, extract_chunk
from kg_pipeline.llm.chat import open_chat
from kg_pipeline.settings import LlmSettings
from kg_pipeline.vocabulary.predicates import PREDICATES

pytestmark = [pytest.mark.integration, pytest.mark.shared, pytest.mark.timeout(900)]

#: What the prebuilt engine was compiled for; without it the process dies of an illegal instruction.
NEEDED = {"avx512f", "avx_vnni"}
SENTENCES = (
    "Hydroxychloroquine reduced disease flares in lupus nephritis.",
    "Metformin did not reduce interferon levels.",
)


@pytest.fixture(scope="module")
def url(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    running = os.environ.get("TEST_LLM_URL")
    if running:
        yield running
        return
    cpuinfo = Path("/proc/cpuinfo")
    flags = set(cpuinfo.read_text().split()) if cpuinfo.exists() else set()
    if not flags >= NEEDED:
        pytest.skip(
            f"the local model's engine needs a CPU with {', '.join(sorted(NEEDED - flags))} (or set TEST_LLM_URL)"
        )
    command = str(shared / "models" / "local-llm")
    fetched = subprocess.run([command, "fetch", "0.5b"], capture_output=True, text=True, check=False)
    if fetched.returncode:
        pytest.skip(f"the local model cannot be fetched: {fetched.stderr.strip()[-200:]}")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = tmp_path_factory.mktemp("llm") / "server.log"
    with log.open("wb") as sink:
        process = subprocess.Popen([command, "serve", "0.5b", str(port)], stdout=sink, stderr=sink)
    try:
        if not _is_ready(f"http://127.0.0.1:{port}/health", process):
            pytest.skip(f"the local model does not start: exit {process.poll()}, {log.read_text()[-200:]}")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(30)


def _is_ready(address: str, process: subprocess.Popen[bytes]) -> bool:
    for _ in range(120):
        if process.poll() is not None:
            return False
        try:
            with urllib.request.urlopen(address, timeout=2) as response:
                if response.status == 200:
                    return True
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    return False


def settings(url: str) -> LlmSettings:
    return LlmSettings.model_validate(
        {"base_url": url, "model": "local", "api_key": "none", "timeout_seconds": 300}
    )


class Verdict(BaseModel):
    drug: str
    helps: bool


def test_a_real_server_keeps_to_the_schema_and_repeats_itself(url, tmp_path):
    messages = [{"role": "user", "content": f"{SENTENCES[0]} Which drug helped? Answer in JSON."}]

    def ask(cache):
        chat = open_chat(settings(url), cache)
        completion = asyncio.run(chat.complete(messages, schema=Verdict, max_tokens=60, purpose="test"))
        return completion, chat.usage

    first, usage = ask(tmp_path / "a")
    assert isinstance(first.parsed, Verdict)
    assert usage.calls == 1
    assert usage.prompt_tokens > 10
    again, _ = ask(tmp_path / "b")
    assert (again.text, again.cached) == (first.text, False)
    replayed, free = ask(tmp_path / "a")
    assert (replayed.text, replayed.cached, free.tokens) == (first.text, True, 0)


def test_a_real_server_keeps_to_the_names_that_it_is_given(url, tmp_path):
    messages = [{"role": "user", "content": f"{SENTENCES[0]} Which drug helped? Answer in JSON."}]
    chat = open_chat(settings(url), tmp_path)
    choices = {"drug": ("drug A", "drug B")}  # neither of them is in the text
    completion = asyncio.run(
        chat.complete(messages, schema=Verdict, max_tokens=60, purpose="test", choices=choices)
    )
    assert isinstance(completion.parsed, Verdict)
    assert completion.parsed.drug in choices["drug"]


def test_a_real_answer_is_cut_off_where_asked(url, tmp_path):
    chat = open_chat(settings(url), tmp_path)
    messages = [{"role": "user", "content": "Count from one to a hundred in words."}]
    completion = asyncio.run(chat.complete(messages, schema=None, max_tokens=8, purpose="test"))
    assert completion.finish_reason == "length"


def test_a_real_server_refuses_what_exceeds_its_context(url, tmp_path):
    chat = open_chat(settings(url), tmp_path)
    messages = [{"role": "user", "content": "lupus nephritis " * 9000}]
    with pytest.raises(LlmRefused, match="400"):
        asyncio.run(chat.complete(messages, schema=None, max_tokens=8, purpose="test"))


def test_whatever_a_real_model_says_only_what_the_text_bears_out_is_kept(url, tmp_path):
    text = " ".join(SENTENCES)
    first = (0, len(SENTENCES[0]))
    passage = Passage("PMC1", "Lupus", text, 0, len(text), (first, (first[1] + 1, len(text))), (), ())
    chat = open_chat(settings(url), tmp_path)
    extraction = asyncio.run(extract_chunk(chat, passage, max_tokens=500))
    assert extraction.status == "ok" or extraction.reason.startswith("truncated")
    for triple in extraction.triples:
        assert text[triple.start : triple.end] == triple.quote
        assert triple.predicate in PREDICATES
        for mention in (triple.head, triple.tail):
            assert text[mention.start : mention.end] == mention.text
            assert mention.mention_id == f"PMC1:{mention.start}-{mention.end}"
    again = asyncio.run(extract_chunk(open_chat(settings(url), tmp_path), passage, max_tokens=500))
    assert again == extraction
