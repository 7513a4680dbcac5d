"""What workers of other machines gain: `python benchmarks/workers.py SOURCE [--articles 24] [--workers 1 2]`.

Takes some articles of a folder or archive and runs the stages from `documents` to `triples` over their shards: once in
one process, then by a Dask scheduler with as many workers as asked for, each a process with a home of its own, who share
nothing but an object store (`--store`; by default a folder, as if all machines saw it). Says the seconds of each way, and
whether the tables are the same. On a machine that does other things too, processor seconds say more: those of the
busiest worker are what the build would wait for if each worker had a core to itself. Needs the extra `dask`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import psutil
from building import first_articles
from distributed import Client
from rich.console import Console
from rich.table import Table

from kg_pipeline.corpora import CorpusSpec, shard_keys
from kg_pipeline.datasets import Datasets
from kg_pipeline.pmc.stage import list_articles
from kg_pipeline.settings import Settings, load_settings
from kg_pipeline.stages import (
    chunk_shard,
    extract_shard,
    fetch_shard,
    parse_shard,
    recognise_shard,
    run_here,
)
from kg_pipeline.vocabulary.index.build import build_vocabulary
from kg_pipeline.workers import DaskWorkers, SerialWorkers, Workers

STAGES = {
    "documents": parse_shard,
    "chunks": chunk_shard,
    "mentions": recognise_shard,
    "triples": extract_shard,
}
_START_SECONDS = 120


def main() -> None:
    """Run all ways, compare what they made, tell what they took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path, help="folder or archive of articles")
    parser.add_argument("--articles", type=int, default=24)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--store", help="address of an empty place; by default a folder that is deleted")
    parser.add_argument("--output", type=Path, default=Path("bench-workers.json"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kg-workers-") as place:
        root = Path(place)
        spec = CorpusSpec(
            name="some", source=str(first_articles(options.source, options.articles, root / "articles"))
        )
        store = options.store or (root / "store").as_uri()
        vocabulary = load_settings({"KG_HOME": str(root / "alone")})
        build_vocabulary(vocabulary)
        report = {"one process": _alone(spec, vocabulary)}
        expected = _digests(vocabulary)
        for workers in options.workers:
            address = f"{store}/{workers}"
            with _cluster(root, vocabulary, address, workers) as (scheduler, processes):
                told, made = _spread(spec, root / f"asks{workers}", address, scheduler, processes)
            report[f"{workers} workers"] = {**told, "same tables": float(made == expected)}
    _show(report)
    written = {"articles": options.articles, "machine": platform.platform(), "ways": report}
    options.output.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


def _alone(spec: CorpusSpec, settings: Settings) -> dict[str, float]:
    return _run(spec, settings, SerialWorkers(), [psutil.Process()])


def _spread(
    spec: CorpusSpec, home: Path, store: str, scheduler: str, processes: Sequence[psutil.Process]
) -> tuple[dict[str, float], dict[str, bytes]]:
    settings = load_settings({"KG_HOME": str(home), "KG_STORE": store})
    engine = DaskWorkers(scheduler)
    try:
        return _run(spec, settings, engine, processes), _digests(settings)
    finally:
        engine.close()


def _run(
    spec: CorpusSpec, settings: Settings, engine: Workers, processes: Sequence[psutil.Process]
) -> dict[str, float]:
    """Seconds of each stage, and of the processor by process; the first ones list and fetch, where the articles are."""
    list_articles(Datasets.of(settings), spec, settings)
    shards = shard_keys(settings.shards)
    for shard in shards:
        fetch_shard(spec, settings, shard)
    before = [_cpu(process) for process in processes]
    seconds = {}
    for name, stage in STAGES.items():
        started = time.perf_counter()
        for _ in engine.map(partial(run_here, stage, spec, settings), shards):
            pass
        seconds[name] = time.perf_counter() - started
    used = [_cpu(process) - start for process, start in zip(processes, before, strict=True)]
    return {**seconds, "all": sum(seconds.values()), "CPU": sum(used), "busiest": max(used)}


def _cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _digests(settings: Settings) -> dict[str, bytes]:
    datasets = Datasets.of(settings)
    return {
        f"{name}/{shard}": datasets.fetched(name, "some", shard).read_bytes()
        for name in STAGES
        for shard in datasets.shards(name, "some")
    }


@contextlib.contextmanager
def _cluster(
    root: Path, vocabulary: Settings, store: str, workers: int
) -> Iterator[tuple[str, list[psutil.Process]]]:
    """A scheduler and workers with homes of their own, in which the vocabulary's index is ready."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    options = ["--host", "127.0.0.1", "--no-dashboard"]
    with (root / "dask.log").open("a") as log:

        def start(arguments: Sequence[str], **variables: str) -> subprocess.Popen[bytes]:
            command = [sys.executable, "-m", "dask", *arguments, *options]
            return subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **variables})

        started = [start(["scheduler", "--port", str(port)])]
        for number in range(workers):
            home = root / f"works{workers}-{number}"
            (home / "cache").mkdir(parents=True)
            (home / "cache" / "vocabulary").symlink_to(vocabulary.cache / "vocabulary")
            arguments = ["worker", address, "--nthreads", "1", "--no-nanny"]
            started.append(start(arguments, KG_HOME=str(home), KG_STORE=store))
        try:
            with Client(address, timeout=_START_SECONDS, set_as_default=False) as client:
                client.wait_for_workers(workers, timeout=_START_SECONDS)
            yield address, [psutil.Process(process.pid) for process in started[1:]]
        finally:
            for process in reversed(started):
                process.kill()
            for process in started:
                process.wait()


def _show(report: dict[str, dict[str, float]]) -> None:
    columns = (*STAGES, "all", "CPU", "busiest")
    table = Table("way", *columns, "times as fast", "on own cores", "same tables")
    once = report["one process"]
    for way, seconds in report.items():
        same = {1.0: "yes", 0.0: "NO"}.get(seconds.get("same tables", -1.0), "")
        gains = (once["all"] / seconds["all"], once["busiest"] / seconds["busiest"])
        figures = [*(f"{seconds[name]:.1f} s" for name in columns), *(f"{gain:.2f}" for gain in gains)]
        table.add_row(way, *figures, same)
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
