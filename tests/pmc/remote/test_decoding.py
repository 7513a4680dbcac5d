import gzip
import tracemalloc
import zlib

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.errors import ServiceRefused, ServiceUnavailable
from kg_pipeline.pmc.remote.backoff import RetryPolicy
from kg_pipeline.pmc.remote.decoding import ACCEPTED, PIECE, UndecodableError, decoded
from kg_pipeline.pmc.remote.http import Answer, Fetcher
from tests.pmc.remote.server import Reply, Server

MEGABYTE = 1 << 20


def content(answer: Answer) -> bytes:
    return answer.content


@given(
    st.lists(st.binary(max_size=50), min_size=1, max_size=4),
    st.integers(1, 9),
    st.sampled_from(["gzip", "deflate"]),
)
def test_whatever_the_cuts_the_body_comes_back(texts: list[bytes], step: int, coding: str) -> None:
    pack = gzip.compress if coding == "gzip" else zlib.compress
    packed = b"".join(map(pack, texts))
    parts = [packed[start : start + step] for start in range(0, len(packed), step)]
    assert b"".join(decoded(parts, coding)) == b"".join(texts)


@given(st.binary(min_size=1, max_size=200), st.data())
def test_a_compressed_body_that_ends_early_is_never_taken_for_a_whole_one(
    text: bytes, data: st.DataObject
) -> None:
    packed = gzip.compress(text)
    cut = data.draw(st.integers(1, len(packed) - 1))
    with pytest.raises(UndecodableError):
        list(decoded([packed[:cut]], "gzip"))


def test_no_coding_is_asked_for_that_is_not_read_in_all_its_forms() -> None:
    raw = zlib.compressobj(wbits=-zlib.MAX_WBITS)  # some servers take deflate for it
    forms = {
        "gzip": [gzip.compress(b"good")],
        "deflate": [zlib.compress(b"good"), raw.compress(b"good") + raw.flush()],
    }
    for coding in ACCEPTED.split(", "):
        for form in forms[coding]:
            assert b"".join(decoded([form], coding)) == b"good"


def test_pieces_are_bounded() -> None:
    assert max(map(len, decoded([gzip.compress(bytes(5 * MEGABYTE))], "gzip"))) <= PIECE


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip, gzip", gzip.compress(gzip.compress(bytes(8 * MEGABYTE), mtime=0), mtime=0)),
        ("zstd", zstandard.compress(bytes(8 * MEGABYTE))),
        ("br", b"\x0b\x02\x80good\x03"),
    ],
)
def test_codings_that_were_not_asked_for_fill_no_memory(
    server: Server, make_fetcher, coding: str, body: bytes
) -> None:
    server.handler = lambda asked: Reply(body, headers={"Content-Encoding": coding})
    fetcher = make_fetcher(policy=RetryPolicy(tries=2, first_wait=0.0))
    with pytest.raises(ServiceUnavailable, match="was not asked for"):
        fetcher.get(server.url, read=content)


def test_a_body_that_unpacks_to_more_than_the_bound_is_refused_early(server: Server, make_fetcher) -> None:
    bomb = gzip.compress(bytes(40 * MEGABYTE), 1)
    server.handler = lambda asked: Reply(bomb, headers={"Content-Encoding": "gzip"})
    fetcher: Fetcher = make_fetcher(max_bytes=2 * MEGABYTE)
    tracemalloc.start()
    try:
        with pytest.raises(ServiceRefused) as caught:
            fetcher.get(server.url, read=content)
        assert tracemalloc.get_traced_memory()[1] < 8 * MEGABYTE
    finally:
        tracemalloc.stop()
    assert caught.value.status == 413


def test_more_bytes_than_announced_neither_count_nor_reach_the_next_answer(
    server: Server, make_fetcher
) -> None:
    server.script = [Reply(b"good and more", headers={"Content-Length": "4"})]
    server.handler = lambda asked: Reply(b"next")
    fetcher = make_fetcher()
    assert fetcher.get(server.url, read=content) == b"good"
    assert fetcher.get(server.url, read=content) == b"next"
