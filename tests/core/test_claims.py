"""Who may build a corpus, where machines share an object store and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from kg_pipeline.claims import Pace, claimed
from kg_pipeline.cli.building import exclusive
from kg_pipeline.errors import CorpusBusy
from kg_pipeline.object_store import ObjectStore, open_store
from kg_pipeline.settings import load_settings

pytestmark = pytest.mark.integration

#: Buckets tell whole seconds.
QUICK = Pace(renewed=0.2, expires=2.0, between_tries=0.2)
_HOLDER = """
import sys, time
from pathlib import Path
from kg_pipeline.claims import Pace, claimed
from kg_pipeline.object_store import open_store
with claimed(open_store(sys.argv[1]), Path(sys.argv[2]), "lupus", pace=Pace(0.2, 2.0, 0.2)):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture(params=["folder", "s3", "gs"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    addresses = {
        "folder": lambda: (tmp_path / "shared").as_uri(),
        "s3": lambda: f"{request.getfixturevalue('bucket')}/{tmp_path.name}",
        "gs": lambda: f"gs://anonymous@bucket/{tmp_path.name}?{request.getfixturevalue('google')}",
    }
    opened = open_store(addresses[request.param]())
    assert opened is not None
    return opened


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Home of one machine: the host's name is the same in a test."""
    return tmp_path / "here"


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """Home of another machine."""
    return tmp_path / "there"


def is_refused(store: ObjectStore, home: Path, corpus: str = "lupus", *shards: str) -> bool:
    try:
        with claimed(store, home, corpus, shards, pace=QUICK):
            return False
    except CorpusBusy:
        return True


def test_a_second_machine_is_refused_until_the_first_is_done(
    store: ObjectStore, here: Path, there: Path
) -> None:
    with claimed(store, here, "lupus", pace=QUICK):
        assert is_refused(store, there)
        assert not is_refused(store, here)  # another process of the same machine
        assert not is_refused(store, there, "sclc")
    assert not is_refused(store, there)
    assert store.walk("claims") == []


def test_runs_over_different_shards_of_a_corpus_do_not_wait_for_each_other(
    store: ObjectStore, here: Path, there: Path
) -> None:
    with claimed(store, here, "lupus", ["01", "02"], pace=QUICK):
        assert not is_refused(store, there, "lupus", "03")
        assert is_refused(store, there, "lupus", "02", "03")
        assert is_refused(store, there, "lupus")


def test_of_machines_that_ask_at_once_never_two_hold(store: ObjectStore, tmp_path: Path) -> None:
    inside, most, done = [0], [0], []
    lock, start = threading.Lock(), threading.Barrier(4)

    def build(home: Path) -> None:
        start.wait()
        try:
            with claimed(store, home, "lupus", pace=QUICK):
                with lock:
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                time.sleep(0.3)
                with lock:
                    inside[0] -= 1
                    done.append(home)
        except CorpusBusy:
            return

    threads = [threading.Thread(target=build, args=(tmp_path / str(n),)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]
    assert done


@pytest.mark.parametrize("store", ["s3"], indirect=True)
def test_the_claim_of_a_machine_that_died_ends_and_one_that_lives_is_kept_alive(
    store: ObjectStore, here: Path, there: Path
) -> None:
    command = [sys.executable, "-c", _HOLDER, store.address, str(there)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        try:
            assert holder.stdout.readline() == "held\n"
            time.sleep(QUICK.expires + 1.5)
            assert is_refused(store, here)
        finally:
            holder.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 15
    while is_refused(store, here):
        assert time.monotonic() < deadline
        time.sleep(0.3)


@pytest.mark.parametrize("store", ["folder"], indirect=True)
def test_a_machine_that_stood_still_is_told_that_another_may_have_taken_over(
    store: ObjectStore, tmp_path: Path, here: Path, there: Path
) -> None:
    claims = tmp_path / "shared" / "claims" / "lupus"

    def stand_still() -> None:
        with claimed(store, here, "lupus", pace=QUICK):
            (claim,) = claims.iterdir()
            old = time.time() - 10
            while claim.exists():  # until another machine finds it dead; a renewal may come first
                os.utime(claim, (old, old))
                is_refused(store, there)
            time.sleep(3 * QUICK.renewed)

    with pytest.raises(CorpusBusy, match="stood still"):
        stand_still()


@pytest.mark.parametrize("store", ["folder"], indirect=True)
def test_a_command_that_builds_says_who_builds_already(
    store: ObjectStore, tmp_path: Path, there: Path
) -> None:
    settings = load_settings({"KG_HOME": str(tmp_path / "home"), "KG_STORE": store.address})
    with (
        claimed(store, there, "lupus"),
        pytest.raises(CorpusBusy, match=r"another machine \(.+, process \d+\)"),
        exclusive(settings, "lupus"),
    ):
        pass
    with exclusive(settings, "lupus"):
        assert is_refused(store, there)


@pytest.mark.parametrize("store", ["folder"], indirect=True)
@pytest.mark.parametrize("content", ["5", "null", "[1]", "{}", '{"shards": 3}', "[" * 100_000, "\x00"])
def test_a_claim_that_is_none_of_ours_keeps_others_out_and_breaks_nothing(
    store: ObjectStore, here: Path, content: str
) -> None:
    store.write("claims/lupus/somebody", content.encode())
    assert is_refused(store, here)


@pytest.mark.parametrize("store", ["folder"], indirect=True)
def test_a_renewal_that_comes_too_late_is_no_renewal(
    store: ObjectStore, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, renewals = ObjectStore.write, []

    def slow(self: ObjectStore, name: str, content: bytes) -> None:
        if b"held" in content:
            renewals.append(name)
            time.sleep(1.0 if len(renewals) > 1 else 0.0)
        write(self, name, content)

    monkeypatch.setattr(ObjectStore, "write", slow)
    with (
        pytest.raises(CorpusBusy, match="stood still"),
        claimed(store, here, "lupus", pace=Pace(renewed=0.1, expires=0.5, between_tries=0.1)),
    ):
        time.sleep(1.5)


@pytest.mark.parametrize("store", ["folder"], indirect=True)
def test_homes_of_one_path_on_machines_of_one_name_are_two(
    store: ObjectStore, tmp_path: Path, here: Path
) -> None:
    here.mkdir()
    with claimed(store, here, "lupus", pace=QUICK):
        here.rename(tmp_path / "elsewhere")  # the same path is now another disk
        assert is_refused(store, here)
