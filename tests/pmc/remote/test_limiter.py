from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.pmc.remote.limiter import MachineLimiter
from tests.pmc.remote.conftest import Time


def _limiter(folder: Path, fake: Time, rate: float = 3.0) -> MachineLimiter:
    return MachineLimiter(folder, "entrez", rate, clock=fake.clock, sleep=fake.sleep)


def test_no_four_requests_in_any_second(tmp_path: Path, fake_time: Time) -> None:
    limiter = _limiter(tmp_path, fake_time)
    times = []
    for _ in range(30):
        limiter.acquire()
        times.append(fake_time.now)
    assert all(late - early > 1.0 for early, late in zip(times, times[3:], strict=False))
    assert times[-1] - times[0] < 30 / 3 * 1.1


def test_two_users_of_a_folder_share_the_rate(tmp_path: Path, fake_time: Time) -> None:
    slow, fast = _limiter(tmp_path, fake_time), _limiter(tmp_path, fake_time, rate=10.0)
    start = fake_time.now
    for _ in range(10):
        slow.acquire()
        fast.acquire()
    assert fake_time.now - start > 9 / 3 + 9 / 10


def test_a_pause_holds_for_everyone(tmp_path: Path, fake_time: Time) -> None:
    one, other = _limiter(tmp_path, fake_time), _limiter(tmp_path, fake_time)
    one.acquire()
    start = fake_time.now
    one.pause(7.0)
    other.acquire()
    assert fake_time.now - start >= 7.0
    other.acquire()
    assert fake_time.now - start < 9.0


def test_a_pause_holds_for_those_who_wait_already(tmp_path: Path) -> None:
    fake = Time()
    other = _limiter(tmp_path, fake)

    def sleep(seconds: float) -> None:
        if not fake.waits:  # while one waits for a slot, another process is told to stop
            other.pause(5.0)
        fake.sleep(seconds)

    limiter = MachineLimiter(tmp_path, "entrez", 3.0, clock=fake.clock, sleep=sleep)
    start = fake.now
    limiter.acquire()
    limiter.acquire()
    assert fake.now - start >= 5.0


def test_times_of_before_a_restart_do_not_count(tmp_path: Path, fake_time: Time) -> None:
    fake_time.now = 5_000_000.0
    _limiter(tmp_path, fake_time).acquire()
    fake_time.now = 10.0
    _limiter(tmp_path, fake_time).acquire()
    assert fake_time.now == 10.0


@settings(max_examples=30, deadline=None)
@given(content=st.binary(max_size=40))
def test_a_damaged_file_costs_a_bounded_wait(tmp_path_factory, content: bytes) -> None:
    folder = tmp_path_factory.mktemp("limiter")
    (folder / "entrez.rate").write_bytes(content)
    fake = Time()
    _limiter(folder, fake).acquire()
    assert fake.now - 1_000.0 <= 2 * 900


def _work(folder: Path, count: int, results: multiprocessing.Queue[list[float]]) -> None:
    limiter = MachineLimiter(folder, "entrez", 40.0)
    times = []
    for _ in range(count):
        limiter.acquire()
        times.append(time.monotonic())
    results.put(times)


def test_processes_and_threads_together_keep_the_rate(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    workers = [context.Process(target=_work, args=(tmp_path, 16, results)) for _ in range(2)]
    for worker in workers:
        worker.start()
    limiter = MachineLimiter(tmp_path, "entrez", 40.0)
    times: list[float] = []

    def run() -> None:
        for _ in range(4):
            limiter.acquire()
            times.append(time.monotonic())

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for _ in workers:
        times.extend(results.get(timeout=60))
    for worker in workers:
        worker.join()
    results.close()
    results.join_thread()
    times.sort()
    # Slots are 26 ms apart. Nobody wakes early, and on a busy machine some wake late, so there is room for that;
    # two processes with a limit each would be twice as fast.
    assert all(late - early > 0.2 for early, late in zip(times, times[12:], strict=False))


def test_a_killed_holder_blocks_nobody(tmp_path: Path) -> None:
    code = (
        "import sys, time; from filelock import FileLock\n"
        "lock = FileLock(sys.argv[1]); lock.acquire(); print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "entrez.lock")], stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
    started = time.monotonic()
    MachineLimiter(tmp_path, "entrez", 3.0).acquire()
    assert time.monotonic() - started < 5.0
