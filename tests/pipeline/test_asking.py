"""`kg ask` and `kg mcp` as a person and as a program use them: processes of their own, a pipe, a terminal, a client."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.pipeline.command import command, environment, run_kg

pytestmark = pytest.mark.integration
QUESTION = "What does belimumab inhibit?"


def test_an_answer_is_explained_and_made_a_page(built: Path, tmp_path: Path) -> None:
    page = tmp_path / "new folder" / "answer.html"
    result = run_kg(built, "ask", "demo", QUESTION, "--explain", "--html", str(page))
    assert result.returncode == 0, result.stderr
    assert "BAFF" in result.stdout
    assert "Choice of the method" in result.stdout
    assert "Verification of" in result.stdout
    text = page.read_text(encoding="utf-8")
    assert text.lstrip().startswith("<!DOCTYPE html>")
    assert "PMC99900005 (sample article)" in text
    assert "articles/PMC999000" not in text, "PMC has no page of a sample article"


def test_a_pipe_of_questions_is_answered_in_turn(built: Path) -> None:
    lines = [QUESTION, "Does it treat lupus nephritis?", ":why", ":nothing", ""]
    done = subprocess.run(
        command("ask", "demo", "-i"), env=environment(built), cwd=built, input="\n".join(lines).encode() + b"\nbad \xff\n:quit\nnot read",
        capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    shown = done.stdout.decode()
    assert "“it” is read as belimumab." in shown
    assert "Verification of" in shown
    assert "There is no command :nothing" in shown
    assert "not read" not in shown
    assert "Traceback" not in done.stderr.decode()
    assert done.returncode == 1  # one line was an error


@contextmanager
def terminal(home: Path) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """`kg ask demo -i` with a terminal of its own."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command("ask", "demo", "-i"), env=environment(home) | {"TERM": "dumb"}, cwd=home, stdin=theirs, stdout=theirs, stderr=theirs,
        start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    try:
        yield ours, process
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def read_until(terminal: int, words: str, seconds: float = 60) -> str:
    """What the terminal shows, up to and with the words."""
    os.set_blocking(terminal, False)
    shown, end = "", time.monotonic() + seconds
    while words not in shown:
        assert time.monotonic() < end, shown
        try:
            shown += os.read(terminal, 65536).decode(errors="replace")
        except BlockingIOError:
            time.sleep(0.02)
        except OSError:
            break  # the process has closed its side
    return shown


def test_a_terminal_session_outlives_ctrl_c_and_ends_with_ctrl_d(built: Path) -> None:
    with terminal(built) as (screen, process):
        read_until(screen, "> ")
        process.send_signal(signal.SIGINT)
        read_until(screen, "Leave with :quit or Ctrl-D.")
        os.write(screen, b":help\n")
        told = read_until(screen, ":quit            leave")
        assert ":why" in told
        if "> " not in told.partition(":quit            leave")[2]:
            read_until(screen, "> ")  # before the prompt, Ctrl-D would be for nobody
        os.write(screen, b"\x04")
        rest = read_until(screen, "\0")
        assert process.wait(20) == 0
        assert "Traceback" not in rest


def test_ctrl_c_ends_a_piped_session_without_a_traceback(built: Path) -> None:
    process = subprocess.Popen(
        command("ask", "demo", "-i"), env=environment(built), cwd=built,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b":method\n")
    assert b"> :method" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (130, b"")


def test_ctrl_c_ends_a_server_that_waits_for_its_client(built: Path) -> None:
    pytest.importorskip("mcp", reason="the extra mcp is not installed")
    process = subprocess.Popen(
        command("mcp", "demo"), env=environment(built), cwd=built,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    assert b'"id":1' in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == -signal.SIGINT
    assert process.stderr is not None
    assert process.stderr.read() == b""
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()


async def test_a_client_of_the_protocol_uses_every_tool(built: Path) -> None:
    mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")
    program, *arguments = command("mcp", "demo")
    server = mcp.StdioServerParameters(command=program, args=arguments, env=environment(built), cwd=built)
    async with mcp.Client(mcp.stdio_client(server)) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert sorted(tools) == ["ask", "neighbourhood", "path", "search"]
        assert all(tool.annotations.read_only_hint and tool.output_schema for tool in tools.values())
        answer = (await client.call_tool("ask", {"question": QUESTION})).structured_content
        assert answer["answered"]
        assert any("belimumab neutralises BAFF" in source["quote"] for source in answer["sources"])
        near = (
            await client.call_tool("neighbourhood", {"entity": "belimumab", "limit": 2})
        ).structured_content
        assert len(near["relations"]) == 2
        assert all(relation["sources"] for relation in near["relations"])
        path = {"source": "belimumab", "target": "lupus nephritis"}
        assert (await client.call_tool("path", path)).structured_content["paths"]
        found = (
            await client.call_tool("search", {"question": "ultraviolet light", "limit": 3})
        ).structured_content
        assert len(found["passages"]) == 3
        for arguments, words in (
            ({"entity": "nothing of the kind"}, "The graph has no entity"),
            ({"entity": "belimumab", "limit": 1000}, "between 1 and 50"),
            ({}, "entity: field required"),
        ):
            refused = await client.call_tool("neighbourhood", arguments)
            assert refused.is_error
            assert words in refused.content[0].text
            assert "\n" not in refused.content[0].text
