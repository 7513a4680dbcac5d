"""Servers and models that do what no protocol foresees: what is read, what is asked again, what it is booked at."""

from __future__ import annotations

import asyncio
import email.utils
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from kg_pipeline.errors import LlmRefused, LlmUnavailable
from kg_pipeline.llm.limits import retry_after
from kg_pipeline.llm.responses import decode, tokens_used
from kg_pipeline.llm.structured import parse_answer

QUESTION = [{"role": "user", "content": "What lowers fever?"}]


class Verdict(BaseModel):
    drug: str
    sure: bool


class Verdicts(BaseModel):
    verdicts: list[Verdict]


GOOD = '{"drug": "aspirin", "sure": true}'
ASPIRIN = Verdict(drug="aspirin", sure=True)


def ask(chat, schema=Verdict, **options):
    return asyncio.run(chat.complete(QUESTION, schema=schema, max_tokens=50, purpose="test", **options))


def events(*pieces, end="data: [DONE]\n\n", finish="stop"):
    said = [
        {"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]} for piece in pieces
    ]
    said.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    lines = "".join(f"data: {json.dumps(each)}\n\n" for each in said)
    return f": keep-alive\n\n{lines}{end}".encode()


def streamed(server, body):
    return server.raw(body, content_type="text/event-stream")


def test_a_stream_that_nobody_asked_for_is_put_together(server, open_scripted):
    server.script = [
        streamed(server, events('{"drug": "asp', 'irin", "sure": true}').removeprefix(b": keep-alive\n\n"))
    ]
    assert ask(open_scripted()).parsed == ASPIRIN
    assert len(server.requests) == 1


def test_an_answer_may_hold_what_only_python_takes_for_the_end_of_a_line(server, open_scripted):
    piece = {
        "choices": [{"delta": {"content": GOOD.replace("aspirin", "aspi\u2028rin")}, "finish_reason": "stop"}]
    }
    body = f"data: {json.dumps(piece, ensure_ascii=False)}\n\ndata: [DONE]\n\n".encode()
    server.script = [streamed(server, body)]
    assert ask(open_scripted()).parsed.drug == "aspi\u2028rin"


def test_a_stream_that_breaks_off_is_asked_for_again(server, open_scripted):
    cut = b'data: {"choices": [{"delta": {"content": "{\\"drug\\": \\"asp"}}]}\n\n'
    server.script = [streamed(server, cut), server.answer(GOOD)]
    assert ask(open_scripted()).parsed == ASPIRIN
    assert len(server.requests) == 2


def test_an_error_in_a_stream_is_an_error(server, open_scripted):
    server.script = [streamed(server, b'data: {"error": {"message": "upstream died"}}\n\n')]
    with pytest.raises(LlmUnavailable, match="upstream died"):
        ask(open_scripted())


@pytest.mark.parametrize(
    "message",
    [
        {"tool_calls": [{"type": "function", "function": {"name": "answer", "arguments": GOOD}}]},
        {"tool_calls": [{"function": {"name": "answer", "arguments": json.loads(GOOD)}}]},
        {"function_call": {"name": "answer", "arguments": GOOD}},
    ],
)
def test_an_answer_given_as_the_arguments_of_a_tool_is_read(server, open_scripted, message):
    server.script = [server.answer(None, "tool_calls", **message)]
    assert ask(open_scripted()).parsed == ASPIRIN


@pytest.mark.parametrize(
    "calls", ["yes", [None], [{"function": "x"}], [{"function": {"arguments": None}}], {}]
)
def test_a_tool_call_without_arguments_says_nothing(server, open_scripted, calls):
    server.script = [server.answer(None, "tool_calls", tool_calls=calls)]
    with pytest.raises(LlmRefused, match="empty answer"):
        ask(open_scripted())


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        "free",
        {"prompt_tokens": -5, "completion_tokens": -9},
        {"prompt_tokens": 10**20, "completion_tokens": 10**20},
        {"prompt_tokens": True, "completion_tokens": "10"},
    ],
)
def test_what_a_server_does_not_report_is_estimated_and_never_free(server, open_scripted, usage):
    completion = json.loads(server.answer(GOOD).body) | {"usage": usage}
    server.script = [server.raw(json.dumps(completion).encode())]
    chat = open_scripted()
    ask(chat)
    assert chat.usage.prompt_tokens > 20
    assert len(GOOD) / 4 < chat.usage.completion_tokens < len(GOOD)


def test_an_answer_of_ten_megabytes_is_refused_within_seconds(server, open_scripted):
    server.script = [server.answer(f'{{"drug": "{"[{" * 5_000_000}')]
    started = time.monotonic()
    with pytest.raises(LlmRefused, match="10000010 characters"):
        ask(open_scripted())
    assert time.monotonic() - started < 20


@pytest.mark.parametrize("text", ["[{" * 300_000, '{"a": "' * 80_000, '{"a": [' + "1, " * 200_000])
def test_answers_of_nothing_but_brackets_are_read_in_seconds(text):
    started = time.process_time()
    assert parse_answer(text, Verdicts) is None
    assert time.process_time() - started < 5


def test_a_body_nested_a_hundred_thousand_deep_is_no_answer(server, open_scripted):
    server.script = [server.raw(b"[" * 100_000), server.answer(GOOD)]
    assert ask(open_scripted()).parsed == ASPIRIN


def test_a_server_that_sends_a_byte_now_and_then_is_given_up(server, open_scripted):
    slow = server.answer(GOOD)
    slow.pause = 0.05
    server.script = [slow, server.answer(GOOD)]
    started = time.monotonic()
    assert ask(open_scripted(timeout_seconds=0.3)).parsed == ASPIRIN
    assert len(server.requests) >= 2
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("wait", ["1e9", "inf", "86400", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_server_that_asks_to_wait_for_ever_is_unavailable_at_once(server, open_scripted, waits, wait):
    server.script = [server.error(429, "slow down", retry_after=wait)]
    with pytest.raises(LlmUnavailable, match="slow down"):
        ask(open_scripted())
    assert len(server.requests) == 1
    assert waits.seconds == []


@pytest.mark.parametrize(
    "wait", ["-5", "soon", "", "nan", "Fri, 31 Dec 1999 23:59:59 GMT", "Mon, 99 Foo 2020"]
)
def test_a_wait_that_is_none_is_not_waited_for_long(server, open_scripted, waits, wait):
    server.script = [server.error(429, retry_after=wait), server.answer(GOOD)]
    assert ask(open_scripted()).parsed == ASPIRIN
    assert sum(waits.seconds) <= 1


def test_a_date_is_waited_for(server, open_scripted, waits):
    when = email.utils.formatdate(time.time() + 30, usegmt=True)
    server.script = [server.error(503, retry_after=when), server.answer(GOOD)]
    ask(open_scripted())
    assert 20 < waits.seconds[0] <= 30


@given(st.text(max_size=40))
def test_no_retry_after_breaks_anything(value):
    wait = retry_after({"retry-after": value}, 1_700_000_000.0)
    assert wait is None or wait >= 0


@given(st.binary(max_size=200).map(lambda raw: raw.decode("latin-1")))
def test_no_response_breaks_the_reader(text):
    for body in (
        text,
        f"data: {text}",
        f'data: {{"choices": [{{"delta": {{"content": {json.dumps(text)}}}}}]}}',
    ):
        decoded = decode(body)
        assert decoded is None or tokens_used(decoded, prompt_estimate=7)[0] >= 0


def test_names_are_closed_where_a_schema_is_enforced_and_open_where_it_is_only_described(
    server, open_scripted
):
    def picky(body):
        if body.get("response_format", {}).get("type") == "json_schema":
            return server.error(400, "response_format json_schema is not supported")
        return server.answer(GOOD)

    names = {"drug": ("aspirin", "ibuprofen")}
    server.script = [server.answer(GOOD)]
    ask(open_scripted(), choices=names)
    closed = server.requests[0]["response_format"]["json_schema"]["schema"]["properties"]["drug"]
    assert closed["enum"] == ["aspirin", "ibuprofen"]
    server.script, server.requests[:] = [picky], []
    assert not ask(
        open_scripted(), choices={"drug": ("aspirin", "zinc")}
    ).cached  # another set, another request
    assert "zinc" in json.dumps(server.requests[0])
    assert "zinc" not in json.dumps(server.requests[-1])
