from __future__ import annotations

import asyncio
import json
import logging
import threading
import time

import pytest
from pydantic import BaseModel

from kg_pipeline.errors import BudgetExhausted, LlmRefused, LlmUnavailable, SettingsError
from kg_pipeline.llm.chat import open_chat

SECRET = "sk-test-0123456789abcdef"
QUESTION = [{"role": "user", "content": "What lowers fever?"}]


class Verdict(BaseModel):
    drug: str
    sure: bool


GOOD = '{"drug": "aspirin", "sure": true}'


def ask(chat, schema=Verdict, messages=QUESTION, max_tokens=50):
    return asyncio.run(chat.complete(messages, schema=schema, max_tokens=max_tokens, purpose="test"))


def test_a_structured_answer_is_parsed_counted_and_asked_with_the_schema(server, open_scripted):
    server.script = [server.answer(GOOD)]
    chat = open_scripted(price_per_million_input=1.0, price_per_million_output=10.0)
    completion = ask(chat)
    assert completion.parsed == Verdict(drug="aspirin", sure=True)
    assert (completion.finish_reason, completion.cached) == ("stop", False)
    request = server.requests[0]
    assert request["response_format"]["json_schema"]["schema"]["required"] == ["drug", "sure"]
    assert (request["temperature"], request["max_tokens"]) == (0, 50)
    assert (chat.usage.calls, chat.usage.prompt_tokens, chat.usage.completion_tokens) == (1, 100, 10)
    assert chat.usage.cost == pytest.approx(0.0002)
    assert list(chat.usage_by_purpose) == ["test"]


def test_the_same_request_is_paid_for_once_even_by_another_process_or_at_the_same_time(server, open_scripted):
    server.script = [server.answer(GOOD)]

    async def three_times(chat):
        calls = (chat.complete(QUESTION, schema=Verdict, max_tokens=50, purpose="test") for _ in range(3))
        return await asyncio.gather(*calls)

    completions = asyncio.run(three_times(open_scripted()))
    assert [c.cached for c in completions] == [False, True, True]
    other = open_scripted()
    assert ask(other).cached
    assert other.usage.cached_calls == 1
    assert len(server.requests) == 1


@pytest.mark.parametrize("change", ["schema", "messages", "max_tokens"])
def test_another_request_is_not_answered_from_the_cache(server, open_scripted, change):
    server.script = [server.answer(GOOD)]
    chat = open_scripted()
    ask(chat)
    other = {"schema": None, "messages": [{"role": "user", "content": "And pain?"}], "max_tokens": 51}[change]
    assert not ask(chat, **{change: other}).cached


def test_one_model_serves_loops_that_come_and_go_and_several_threads(server, open_scripted):
    server.script = [lambda body: server.answer(body["messages"][0]["content"])]
    chat = open_scripted()
    texts = [ask(chat, None, [{"role": "user", "content": f"echo {n}"}]).text for n in range(3)]
    assert texts == ["echo 0", "echo 1", "echo 2"]
    found: dict[int, str] = {}

    def work(number: int) -> None:
        found[number] = ask(chat, None, [{"role": "user", "content": f"thread {number}"}]).text

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: f"thread {n}" for n in range(4)}


def test_no_more_requests_are_under_way_than_allowed(server, open_scripted):
    running, most = 0, 0
    lock = threading.Lock()
    gate = threading.Event()

    def slow(_):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        gate.wait(0.05)
        with lock:
            running -= 1
        return server.answer("ok")

    server.script = [slow]
    chat = open_scripted(concurrency=3)

    async def many():
        messages = [[{"role": "user", "content": str(n)}] for n in range(12)]
        await asyncio.gather(*(chat.complete(m, schema=None, max_tokens=5, purpose="t") for m in messages))

    asyncio.run(many())
    assert most <= 3
    assert len(server.requests) == 12


def test_a_server_that_asks_to_wait_is_waited_for(server, open_scripted, waits):
    server.script = [
        server.error(429, retry_after="7"),
        server.error(429, retry_after_ms="1500"),
        server.answer(GOOD),
    ]
    chat = open_scripted()
    assert ask(chat).parsed is not None
    assert waits.seconds[:2] == [7.0, 1.5]
    assert chat.usage.retries == 2


def test_without_a_hint_the_waits_grow_and_are_the_same_every_time(server, open_scripted, waits):
    server.script = [server.error(429), server.error(500), server.error(503), server.answer(GOOD)]
    ask(open_scripted())
    first = list(waits.seconds)
    assert [0.5 * 2**n <= wait <= 2**n for n, wait in enumerate(first)] == [True] * 3
    waits.seconds.clear()
    server.requests.clear()
    messages = [{"role": "user", "content": "another request has other jitter"}]
    ask(open_scripted(), messages=messages)
    assert waits.seconds != first


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(lambda s: s.raw(b'{"choices": [', missing=100), id="body dropped half way"),
        pytest.param(lambda s: s.raw(b'{"choices": ['), id="JSON cut off"),
        pytest.param(
            lambda s: s.raw(b"<html>Bad gateway</html>", content_type="text/html"), id="HTML with 200"
        ),
        pytest.param(
            lambda s: s.raw(b"<html>oops</html>", status=502, content_type="text/html"), id="HTML with 502"
        ),
        pytest.param(lambda s: s.raw(b'{"error": {"message": "upstream"}}'), id="error with 200"),
    ],
)
def test_a_broken_response_is_asked_for_again(server, open_scripted, broken):
    server.script = [broken(server), server.answer(GOOD)]
    assert ask(open_scripted()).parsed == Verdict(drug="aspirin", sure=True)
    assert len(server.requests) == 2


def test_a_server_that_keeps_failing_is_given_up_with_what_it_said(server, open_scripted):
    server.script = [server.error(500, "kernel panic")]
    with pytest.raises(
        LlmUnavailable, match=r"HTTP 500: .*kernel panic.* Gave up after 4 attempts"
    ) as caught:
        ask(open_scripted())
    assert server.url in str(caught.value)
    assert len(server.requests) == 4


def test_html_for_ever_points_to_the_address(server, open_scripted):
    server.script = [server.raw(b"<html>Welcome</html>", content_type="text/html")]
    with pytest.raises(LlmUnavailable, match=r"KG_LLM_BASE_URL, which usually ends in /v1"):
        ask(open_scripted())


@pytest.mark.parametrize(
    ("status", "message", "advice"),
    [
        (401, "bad key", "KG_LLM_API_KEY"),
        (403, "no", "KG_LLM_API_KEY"),
        (404, "no such model", "KG_LLM_MODEL"),
    ],
)
def test_what_only_a_person_can_mend_is_not_retried(server, open_scripted, status, message, advice):
    server.script = [server.error(status, message)]
    with pytest.raises(LlmUnavailable, match=advice) as caught:
        ask(open_scripted())
    assert server.url in str(caught.value)
    assert message in str(caught.value)
    assert len(server.requests) == 1


def test_an_empty_account_is_not_a_rate_limit(server, open_scripted):
    server.script = [server.error(429, "You exceeded your current quota: insufficient_quota")]
    with pytest.raises(LlmUnavailable, match="no quota left"):
        ask(open_scripted())
    assert len(server.requests) == 1


def test_nobody_listening_names_the_address_and_the_variable(open_scripted):
    with pytest.raises(LlmUnavailable, match=r"http://127\.0\.0\.1:9/v1 cannot be reached .*KG_LLM_BASE_URL"):
        ask(open_scripted(url="http://127.0.0.1:9/v1"))


def test_a_dead_endpoint_is_soon_left_alone(open_scripted):
    chat = open_scripted(url="http://127.0.0.1:9/v1", threshold=2)
    for _ in range(2):
        with pytest.raises(LlmUnavailable, match="cannot be reached"):
            ask(chat)
    with pytest.raises(LlmUnavailable, match=r"Nothing is sent for .* after 2 failures"):
        ask(chat)


@pytest.mark.parametrize(
    "url", ["", "localhost:8000/v1", "ftp://host/v1", "http://", "http://[::1/v1", "http://h:x/v1"]
)
def test_what_is_no_address_is_said_before_anything_is_sent(open_scripted, url):
    with pytest.raises(SettingsError, match="KG_LLM_BASE_URL="):
        open_scripted(url=url)


def test_a_server_that_turns_most_away_is_served_in_the_end(server, open_scripted):
    """A strict limit on the other side and none on ours: everybody comes back when told to."""
    lock, window = threading.Lock(), 0.1
    accepted: list[float] = []

    def strict(_):
        with lock:
            now = time.monotonic()
            if sum(now - then < window for then in accepted) >= 4:
                return server.error(429, retry_after_ms=str(window * 1000))
            accepted.append(now)
            return server.answer("ok")

    server.script = [strict]
    chat = open_scripted(concurrency=24)
    chat._transport._sleep = chat._transport._limiter.sleep = asyncio.sleep
    chat._transport._limiter.clock = time.monotonic

    async def many():
        messages = [[{"role": "user", "content": str(n)}] for n in range(24)]
        return await asyncio.gather(
            *(chat.complete(m, schema=None, max_tokens=5, purpose="t") for m in messages)
        )

    assert [c.text for c in asyncio.run(many())] == ["ok"] * 24
    assert chat.usage.calls == 24
    # A try that a busy loopback drops is a retry that the server never saw.
    assert chat.usage.retries >= len(server.requests) - 24 > 0


@pytest.mark.parametrize("where", ["body", "url"])
def test_the_key_is_nowhere_to_be_read(server, open_scripted, caplog, where):
    caplog.set_level(logging.DEBUG)
    server.script = [
        server.error(500, f"Authorization was Bearer {SECRET}"),
        server.error(401, f"bad key {SECRET}"),
    ]
    url = server.url.replace("//", f"//user:{SECRET}@") if where == "url" else server.url
    chat = open_scripted(url=url)
    with pytest.raises(LlmUnavailable) as caught:
        ask(chat)
    seen = [str(caught.value), repr(caught.value.__cause__), repr(chat), repr(chat._transport), caplog.text]
    assert [SECRET in text for text in seen] == [False] * len(seen)
    assert "***" in str(caught.value)


def test_a_key_that_cannot_be_sent_is_explained_without_showing_it(open_scripted):
    with pytest.raises(LlmUnavailable, match="KG_LLM_API_KEY") as caught:
        ask(open_scripted(api_key="sk-schlüssel-é"))
    assert "schlüssel" not in str(caught.value)


def test_a_server_without_json_schema_is_found_out_once_and_remembered(server, open_scripted):
    def picky(body):
        kind = body.get("response_format", {}).get("type")
        if kind == "json_schema":
            return server.error(400, "response_format json_schema is not supported")
        return server.answer(f"```json\n{GOOD}\n```")

    server.script = [picky]
    chat = open_scripted()
    assert ask(chat).parsed is not None
    assert ask(chat, max_tokens=51).parsed is not None
    assert ask(open_scripted(), max_tokens=52).parsed is not None
    kinds = [request["response_format"]["type"] for request in server.requests]
    assert kinds == ["json_schema", "json_object", "json_object", "json_object"]
    assert '"drug"' in server.requests[1]["messages"][0]["content"]  # the schema travels in the prompt


def test_only_the_first_of_many_callers_finds_it_out(server, open_scripted):
    server.script = [
        lambda body: (
            server.answer(GOOD) if "response_format" not in body else server.error(400, "unknown field")
        )
    ]
    chat = open_scripted()

    async def many():
        calls = (chat.complete(QUESTION, schema=Verdict, max_tokens=40 + n, purpose="t") for n in range(6))
        return await asyncio.gather(*calls)

    assert all(c.parsed for c in asyncio.run(many()))
    assert len([r for r in server.requests if "response_format" in r]) == 2


def test_newer_parameters_are_used_where_the_server_wants_them(server, open_scripted):
    def modern(body):
        if "max_tokens" in body:
            return server.error(400, "Unsupported parameter: use 'max_completion_tokens' instead")
        if "temperature" in body:
            return server.error(400, "'temperature' does not support 0 with this model")
        return server.answer(GOOD)

    server.script = [modern]
    assert ask(open_scripted()).parsed is not None
    assert server.requests[-1]["max_completion_tokens"] == 50
    assert server.requests[-1]["response_format"]["type"] == "json_schema"


def test_prose_is_answered_by_asking_in_a_plainer_way_and_at_last_for_repair(server, open_scripted):
    server.script = [
        server.answer("Aspirin, I think."),
        server.answer("Well…"),
        server.answer("No."),
        server.answer(GOOD),
    ]
    assert ask(open_scripted()).parsed is not None
    assert [len(request["messages"]) for request in server.requests] == [1, 2, 2, 4]
    assert "JSON value only" in server.requests[-1]["messages"][-1]["content"]


def test_a_model_that_never_gives_json_is_refused_and_nothing_is_cached(server, open_scripted):
    server.script = [server.answer("I would rather talk about the weather.")]
    chat = open_scripted()
    with pytest.raises(LlmRefused, match=r"'m' does not answer with the JSON .*the weather.*KG_LLM_MODEL"):
        ask(chat)
    server.requests.clear()
    server.script = [server.answer(GOOD)]
    assert not ask(chat).cached


@pytest.mark.parametrize(
    "make",
    [
        lambda s: s.answer(None, refusal="I cannot help with that."),
        lambda s: s.answer("", "content_filter"),
        lambda s: s.answer(""),
        lambda s: s.raw(json.dumps({"choices": []}).encode()),
    ],
)
def test_a_refusal_is_said_and_not_cached(server, open_scripted, make):
    server.script = [make(server)]
    chat = open_scripted()
    with pytest.raises(LlmRefused):
        ask(chat)
    server.script = [server.answer(GOOD)]
    server.requests.clear()
    assert ask(chat).parsed is not None
    assert chat.usage.calls == 2


def test_a_cut_off_answer_is_surfaced_by_its_finish_reason_and_kept(server, open_scripted):
    server.script = [server.answer('{"drug": "asp', "length")]
    chat = open_scripted()
    completion = ask(chat)
    assert (completion.finish_reason, completion.parsed) == ("length", None)
    assert ask(chat).cached
    assert len(server.requests) == 1


def test_a_prompt_beyond_the_context_is_refused_at_once(server, open_scripted):
    server.script = [server.error(400, "the request exceeds the available context size")]
    with pytest.raises(LlmRefused, match="context size"):
        ask(open_scripted())
    assert len(server.requests) == 1


def test_nothing_is_sent_beyond_the_budget(server, open_scripted):
    server.script = [lambda body: server.answer(body["messages"][0]["content"])]
    chat = open_scripted(budget_tokens=200)
    ask(chat, None, [{"role": "user", "content": "one"}])
    with pytest.raises(
        BudgetExhausted, match=r"200 tokens .*110 tokens used in 1 calls.*KG_LLM_BUDGET_TOKENS"
    ):
        ask(chat, None, [{"role": "user", "content": "two"}], max_tokens=80)
    assert len(server.requests) == 1
    assert ask(chat, None, [{"role": "user", "content": "one"}]).cached


def test_lone_surrogates_neither_stop_a_request_nor_come_back(server, open_scripted):
    server.script = [server.raw(server.answer('{"drug": "a\\ud800b", "sure": false}').body)]
    completion = ask(open_scripted(), messages=[{"role": "user", "content": "bad \udcff byte"}])
    assert completion.parsed == Verdict(drug="a?b", sure=False)
    assert server.requests[0]["messages"][0]["content"] == "bad ? byte"


def test_a_cached_answer_that_no_longer_reads_is_evicted_and_asked_again(server, open_scripted):
    server.script = [server.answer(GOOD)]
    chat = open_scripted()
    ask(chat)
    with chat._cache._open() as connection:
        connection.execute("UPDATE answers SET answer = replace(answer, 'aspirin', 'poison')")
    assert ask(chat).parsed == Verdict(drug="aspirin", sure=True)
    assert len(server.requests) == 2


def test_the_public_way_in(server, settings_for, tmp_path):
    server.script = [server.answer("hello")]
    chat = open_chat(settings_for(server.url), tmp_path)
    assert ask(chat, None).text == "hello"
    assert (tmp_path / "llm" / "answers.sqlite").is_file()
