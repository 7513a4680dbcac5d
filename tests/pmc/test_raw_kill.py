"""A process that is killed while it stores articles leaves whole ones, or none."""

import hashlib
import random
import signal
import subprocess
import sys
import time

import pytest

from kg_pipeline.files import TEMPORARY_PREFIX
from kg_pipeline.pmc.raw import ArticleStore

_CHILD = """
import random, sys
from pathlib import Path
from kg_pipeline.pmc.raw import ArticleStore

store = ArticleStore(Path(sys.argv[1]))
for number in range(100_000):
    store.put(random.Random(number).randbytes(400_000))
    sys.stdout.write(".")
    sys.stdout.flush()
"""


def content(number: int) -> bytes:
    return random.Random(number).randbytes(400_000)


@pytest.mark.integration
def test_articles_that_were_being_stored_are_whole_or_absent(tmp_path):
    store = ArticleStore(tmp_path)
    for round_number in range(3):
        with subprocess.Popen([sys.executable, "-c", _CHILD, str(tmp_path)], stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            child.stdout.read(1 + 4 * round_number)  # those of the rounds before are there already
            time.sleep(0.003 * round_number)
            child.send_signal(signal.SIGKILL)
            child.wait()
        stored = sum(store.has(hashlib.sha256(content(number)).hexdigest()) for number in range(20))
        assert stored > 0
        names = {path.name.partition(".")[0] for path in tmp_path.rglob("*.xml.zst")} - {
            ""
        }  # "" is what lies aside
        assert len(names) >= stored
        for name in names:
            assert hashlib.sha256(store.get(name)).hexdigest() == name
    store.sweep(grace_seconds=0)
    assert not list(tmp_path.rglob(f"{TEMPORARY_PREFIX}*"))
    for number in range(20):
        assert store.get(store.put(content(number))) == content(number)


def test_what_a_killed_writer_left_beside_an_article_is_not_the_article(tmp_path):
    store = ArticleStore(tmp_path)
    sha256 = store.put(b"<article>whole</article>")
    half = store.path(sha256)
    content_of_file = half.read_bytes()
    half.unlink()
    for name in (f".{half.name}.tmp", f"{half.name}.123.partial"):
        (half.parent / name).write_bytes(content_of_file[:9])
    assert not store.has(sha256)
    assert store.size(sha256) is None
    assert store.put(b"<article>whole</article>") == sha256
    assert store.get(sha256) == b"<article>whole</article>"
