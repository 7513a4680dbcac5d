from __future__ import annotations

import email.utils
import gzip
import logging
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kg_pipeline.errors import KgError, ServiceRefused, ServiceUnavailable, StageError
from kg_pipeline.pmc.remote.backoff import RetryPolicy
from kg_pipeline.pmc.remote.failures import UnusableAnswer
from kg_pipeline.pmc.remote.http import Answer, Fetcher
from kg_pipeline.pmc.remote.limiter import MachineLimiter
from tests.pmc.remote.conftest import Time
from tests.pmc.remote.server import Reply, Server

MakeFetcher = Callable[..., Fetcher]


def content(answer: Answer) -> bytes:
    return answer.content


def test_429_with_retry_after_waits_that_long(
    server: Server, make_fetcher: MakeFetcher, fake_time: Time
) -> None:
    server.script = [Reply(status=429, headers={"Retry-After": "2"})] * 2 + [Reply(b"good")]
    started = fake_time.now
    assert make_fetcher().get(server.url, read=content) == b"good"
    assert len(server.asked) == 3
    assert all(wait >= 2.0 for wait in fake_time.waits)
    assert fake_time.now - started < 30.0


def test_429_with_a_date_waits_until_then(server: Server, make_fetcher: MakeFetcher, fake_time: Time) -> None:
    until = email.utils.formatdate(time.time() + 20, usegmt=True)
    server.script = [Reply(status=429, headers={"Retry-After": until}), Reply(b"good")]
    assert make_fetcher().get(server.url, read=content) == b"good"
    assert fake_time.waits[0] >= 18.0


def test_429_without_retry_after_backs_off(
    server: Server, make_fetcher: MakeFetcher, fake_time: Time
) -> None:
    server.script = [Reply(status=429)] * 3 + [Reply(b"good")]
    assert make_fetcher().get(server.url, read=content) == b"good"
    assert [0.5 * 2**n <= wait <= 2**n for n, wait in enumerate(fake_time.waits)] == [True] * 3


def test_429_stops_all_users_of_the_limiter(
    server: Server, make_fetcher: MakeFetcher, fake_time: Time, tmp_path: Path
) -> None:
    limiters = [
        MachineLimiter(tmp_path, "entrez", 3.0, clock=fake_time.clock, sleep=fake_time.sleep)
        for _ in range(2)
    ]
    server.script = [Reply(status=429, headers={"Retry-After": "50"})]
    started = fake_time.now
    with pytest.raises(ServiceUnavailable):
        make_fetcher(limiter=limiters[0], policy=RetryPolicy(tries=1)).get(server.url, read=content)
    limiters[1].acquire()
    assert fake_time.now - started >= 50.0


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 520])
def test_passing_failures_are_repeated(server: Server, make_fetcher: MakeFetcher, status: int) -> None:
    server.script = [Reply(b"<html>down</html>", status), Reply(b"good")]
    assert make_fetcher().get(server.url, read=content) == b"good"
    assert len(server.asked) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 410, 413, 414, 422])
def test_refusals_are_never_repeated(
    server: Server, make_fetcher: MakeFetcher, fake_time: Time, status: int
) -> None:
    server.script = [Reply(b"no such thing", status)]
    with pytest.raises(ServiceRefused, match=f"HTTP {status}: no such thing") as caught:
        make_fetcher().get(server.url, read=content)
    assert caught.value.status == status
    assert len(server.asked) == 1
    assert fake_time.waits == []


def test_a_part_that_was_not_asked_for_is_no_whole(server: Server, make_fetcher: MakeFetcher) -> None:
    server.script = [Reply(b"go", 206, {"Content-Range": "bytes 0-1/4"}), Reply(b"good")]
    assert make_fetcher().get(server.url, read=content) == b"good"


def test_an_accepted_status_is_read(server: Server, make_fetcher: MakeFetcher) -> None:
    server.script = [Reply(b"", 404)]
    accepted = make_fetcher().get(server.url, read=lambda answer: answer.status, accept=frozenset({404}))
    assert accepted == 404


def test_redirects_are_not_followed(server: Server, make_fetcher: MakeFetcher) -> None:
    server.script = [Reply(status=302, headers={"Location": "https://elsewhere.example/abuse?api_key=abc"})]
    with pytest.raises(ServiceRefused, match="elsewhere") as caught:
        make_fetcher().get(server.url, read=content)
    assert "abc" not in str(caught.value)
    assert len(server.asked) == 1


def test_a_short_body_is_repeated_whole(server: Server, make_fetcher: MakeFetcher) -> None:
    body = b"x" * 1000
    server.script = [Reply(body, sent=400), Reply(body)]
    assert make_fetcher().get(server.url, read=content) == body
    assert len(server.asked) == 2


def test_a_connection_that_ends_without_an_answer_is_repeated(
    server: Server, make_fetcher: MakeFetcher
) -> None:
    server.script = [Reply(b"x" * 1000, sent=0), Reply(b"good")]
    assert make_fetcher().get(server.url, read=content) == b"good"


def test_a_short_body_of_a_server_that_only_closes_is_found(make_fetcher: MakeFetcher) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            for body in (
                b"HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
                b"HTTP/1.0 200 OK\r\n\r\nwhole",
            ):
                connection, _ = listener.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(body)

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        assert make_fetcher().get(url, read=content) == b"whole"
        thread.join()


def test_a_damaged_compression_is_repeated(server: Server, make_fetcher: MakeFetcher) -> None:
    packed = gzip.compress(b"good")
    headers = {"Content-Encoding": "gzip"}
    server.script = [Reply(b"not gzip at all", headers=headers), Reply(packed, headers=headers)]
    assert make_fetcher().get(server.url, read=content) == b"good"


def test_a_body_the_reader_finds_unusable_is_repeated(
    server: Server, make_fetcher: MakeFetcher, fake_time: Time
) -> None:
    def read(answer: Answer) -> bytes:
        if b"limit" in answer.content:
            raise UnusableAnswer("rate limit", wait=9.0)
        return answer.content

    server.script = [Reply(b'{"error":"API rate limit exceeded","count":"11"}'), Reply(b"good")]
    assert make_fetcher().get(server.url, read=read) == b"good"
    assert fake_time.waits[0] >= 9.0


def test_tries_are_bounded_and_the_message_is_a_sentence(server: Server, make_fetcher: MakeFetcher) -> None:
    server.handler = lambda asked: Reply(b"", 503)
    with pytest.raises(
        ServiceUnavailable, match=r"failed 4 times; the last time: HTTP 503\. Try again later"
    ) as caught:
        make_fetcher().get(server.url, read=content)
    assert isinstance(caught.value, StageError)
    assert len(server.asked) == 4


def test_the_deadline_ends_it_before_the_tries_do(
    server: Server, make_fetcher: MakeFetcher, fake_time: Time
) -> None:
    server.handler = lambda asked: Reply(b"", 503)
    started = fake_time.now
    with pytest.raises(ServiceUnavailable):
        make_fetcher(policy=RetryPolicy(tries=50, first_wait=8.0, deadline=60.0)).get(
            server.url, read=content
        )
    assert fake_time.now - started < 60.0
    assert len(server.asked) < 10


def test_waiting_for_a_turn_does_not_use_up_the_deadline(
    server: Server, make_fetcher: MakeFetcher, fake_time: Time, tmp_path: Path
) -> None:
    limiter = MachineLimiter(tmp_path, "entrez", 3.0, clock=fake_time.clock, sleep=fake_time.sleep)
    limiter.pause(800.0)
    server.script = [Reply(b"", 503), Reply(b"good")]
    fetcher = make_fetcher(limiter=limiter, policy=RetryPolicy(tries=3, deadline=20.0))
    assert fetcher.get(server.url, read=content) == b"good"


def test_a_wait_beyond_the_deadline_is_not_waited_for(
    server: Server, make_fetcher: MakeFetcher, fake_time: Time
) -> None:
    server.script = [Reply(status=429, headers={"Retry-After": "86400"})]
    with pytest.raises(ServiceUnavailable, match="asks to wait 86400 s"):
        make_fetcher().get(server.url, read=content)
    assert fake_time.waits == []


def test_a_slow_answer_is_given_up(server: Server, make_fetcher: MakeFetcher) -> None:
    server.script = [Reply(b"x" * 200, drip=0.01), Reply(b"good")]
    fetcher = make_fetcher(policy=RetryPolicy(tries=2, first_wait=0.0, one_try=0.1), clock=time.monotonic)
    assert fetcher.get(server.url, read=content) == b"good"
    assert len(server.asked) == 2


@pytest.mark.parametrize("kept_alive", [False, True])
def test_headers_that_drip_are_given_up(
    server: Server, make_fetcher: MakeFetcher, *, kept_alive: bool
) -> None:
    """Each byte comes long before the time-out of a read, so that only a bound on the whole answer ends it."""
    fetcher = make_fetcher(policy=RetryPolicy(tries=1, one_try=0.3), clock=time.monotonic)
    if kept_alive:
        server.script = [Reply(b"good")]
        assert fetcher.get(server.url, read=content) == b"good"
    server.script = [Reply(b"good", headers={f"X-{n}": "x" * 50 for n in range(20)}, header_drip=0.01)]
    started = time.monotonic()
    with pytest.raises(ServiceUnavailable, match="ReadTimeout"):
        fetcher.get(server.url, read=content)
    assert time.monotonic() - started < 5


def test_a_server_that_says_nothing_times_out(server: Server, make_fetcher: MakeFetcher) -> None:
    ends = threading.Event()

    def silent(asked: object) -> Reply:
        ends.wait(10)
        return Reply(b"late")

    server.handler = silent
    with pytest.raises(ServiceUnavailable, match="ReadTimeout"):
        make_fetcher(read_timeout=0.05, policy=RetryPolicy(tries=2, first_wait=0.0)).get(
            server.url, read=content
        )
    ends.set()


def test_nobody_there(make_fetcher: MakeFetcher) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(ServiceUnavailable, match="ConnectError"):
        make_fetcher().get(f"http://127.0.0.1:{port}/", read=content)


def test_too_large_an_answer_is_refused_while_it_comes(server: Server, make_fetcher: MakeFetcher) -> None:
    server.handler = lambda asked: Reply(b"x" * 100_000)
    with pytest.raises(ServiceRefused) as caught:
        make_fetcher(max_bytes=1000).get(server.url, read=content)
    assert caught.value.status == 413


def test_connections_are_kept(server: Server, make_fetcher: MakeFetcher) -> None:
    server.handler = lambda asked: Reply(b"good")
    fetcher = make_fetcher()
    for _ in range(5):
        fetcher.get(server.url, read=content)
    assert len({asked.port for asked in server.asked}) == 1


def test_closing_ends_those_who_wait(server: Server) -> None:
    server.handler = lambda asked: Reply(b"", 503)
    fetcher = Fetcher("The service", policy=RetryPolicy(first_wait=200.0), trust_environment=False)
    problems: list[KgError] = []

    def run() -> None:
        try:
            fetcher.get(server.url, read=content)
        except KgError as error:
            problems.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    while not server.asked:
        time.sleep(0.005)
    fetcher.close()
    thread.join(timeout=10)
    assert not thread.is_alive()
    assert len(problems) == 1


@pytest.mark.parametrize(
    "reply",
    [
        Reply(b'{"error":"API key invalid","api-key":"s3cret+key"}', 400),
        Reply(b"s3cret+key", 503),
        Reply(b"<html>s3cret%2Bkey me@lab.example</html>", 403),
        Reply(b"x" * 99, sent=9),
        Reply(status=301, headers={"Location": "/?api_key=s3cret%2Bkey&email=me%40lab.example"}),
    ],
)
def test_secrets_are_in_no_message_and_no_log(
    server: Server, make_fetcher: MakeFetcher, caplog: pytest.LogCaptureFixture, reply: Reply
) -> None:
    caplog.set_level(logging.DEBUG)
    server.handler = lambda asked: reply
    fetcher = make_fetcher(secrets=("s3cret+key", "me@lab.example"))
    with pytest.raises(KgError) as caught:
        fetcher.post(
            f"{server.url}/esearch", {"api_key": "s3cret+key", "email": "me@lab.example"}, read=content
        )
    assert server.asked[0].values["api_key"] == "s3cret+key"
    for text in (str(caught.value), repr(caught.value), caught.exconly(), "\n".join(_own(caplog))):
        for spelling in ("s3cret", "lab.example"):
            assert spelling not in text


def test_a_repetition_is_logged(
    server: Server, make_fetcher: MakeFetcher, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="kg_pipeline.pmc.remote.http")
    server.script = [Reply(status=429, headers={"Retry-After": "9"}), Reply(b"good")]
    make_fetcher().get(server.url, read=content)
    assert any("HTTP 429; trying again in 9.0 s" in message for message in caplog.messages)


def _own(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What is logged at the levels that people turn on; header dumps of the HTTP library at DEBUG are not ours."""
    return [record.getMessage() for record in caplog.records if record.levelno > logging.DEBUG]
