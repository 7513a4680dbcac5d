from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from kg_pipeline.errors import LlmError
from kg_pipeline.llm.cache import AnswerCache, StoredAnswer

ANSWER = StoredAnswer("text with ünïcode\n", "stop", 12, 3)


def test_an_answer_comes_back_as_it_was_and_only_for_its_key(tmp_path):
    cache = AnswerCache(tmp_path / "deep" / "llm")
    assert cache.get("a") is None
    cache.put("a", ANSWER)
    assert cache.get("a") == ANSWER
    assert AnswerCache(tmp_path / "deep" / "llm").get("a") == ANSWER
    assert cache.get("b") is None
    cache.evict("a")
    assert cache.get("a") is None


@pytest.mark.parametrize("damage", ["answer = '{}'", "answer = 'no json'", "checksum = ''", "key = 'other'"])
def test_a_damaged_entry_is_dropped(tmp_path, damage):
    cache = AnswerCache(tmp_path)
    cache.put("a", ANSWER)
    with cache._open() as connection:
        connection.execute(f"UPDATE answers SET {damage}")
    key = "other" if damage.startswith("key") else "a"
    assert cache.get(key) is None
    with cache._open() as connection:
        assert connection.execute("SELECT count(*) FROM answers WHERE key = ?", (key,)).fetchone() == (0,)


def test_a_file_that_is_no_database_is_put_aside(tmp_path):
    cache = AnswerCache(tmp_path)
    (tmp_path / "answers.sqlite").write_bytes(b"not a database at all" * 100)
    assert cache.get("a") is None
    cache.put("a", ANSWER)
    assert cache.get("a") == ANSWER
    assert len(list(tmp_path.glob("*-answers.sqlite"))) == 1


def test_a_folder_that_cannot_be_used_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(LlmError, match=r"file/llm/answers\.sqlite, cannot be used"):
        AnswerCache(tmp_path / "file" / "llm").put("a", ANSWER)


def test_what_was_learnt_of_endpoints_is_kept_apart(tmp_path):
    cache = AnswerCache(tmp_path)
    cache.learn("x", "one")
    cache.learn("x", "two")
    assert (cache.dialect("x"), cache.dialect("y")) == ("two", None)


def test_many_threads_write_at_once(tmp_path):
    cache = AnswerCache(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: cache.put(str(n), ANSWER), range(60)))
    assert all(cache.get(str(n)) == ANSWER for n in range(60))


WRITER = """
import sys
from pathlib import Path
from kg_pipeline.llm.cache import AnswerCache, StoredAnswer
cache = AnswerCache(Path(sys.argv[1]))
for n in range(100_000):
    cache.put(f"{sys.argv[2]}-{n}", StoredAnswer("x" * 2000, "stop", n, n))
    print(n, flush=True)
"""


def test_what_was_stored_survives_kill_dash_nine_of_several_writers(tmp_path):
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), name], stdout=subprocess.PIPE, text=True
        )
        for name in ("a", "b")
    ]
    try:
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "0\n", "the writer did not start"
        time.sleep(0.3)
    finally:
        for writer in writers:
            os.kill(writer.pid, signal.SIGKILL)
    cache = AnswerCache(tmp_path)
    for name, writer in zip("ab", writers, strict=True):
        out, _ = writer.communicate()
        stored = [0, *(int(line) for line in out.split("\n")[:-1])]
        assert [cache.get(f"{name}-{n}") for n in stored] == [
            StoredAnswer("x" * 2000, "stop", n, n) for n in stored
        ]
    cache.put("after", ANSWER)
    assert cache.get("after") == ANSWER


PUT_ONE = """
import sys
from pathlib import Path
from kg_pipeline.llm.cache import AnswerCache, StoredAnswer
AnswerCache(Path(sys.argv[1])).put(sys.argv[2], StoredAnswer("x", "stop", 1, 1))
"""


def test_several_processes_may_use_a_new_cache_first(tmp_path):
    writers = [subprocess.Popen([sys.executable, "-c", PUT_ONE, str(tmp_path), str(n)]) for n in range(4)]
    assert [writer.wait() for writer in writers] == [0] * 4
    assert all(AnswerCache(tmp_path).get(str(n)) for n in range(4))
