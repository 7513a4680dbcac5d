"""Speed and memory of graph versions on a synthetic corpus: `python benchmarks/graph.py [--help]`.

Each step runs in a process of its own, so that its peak memory is its own: `peak_mb` counts the pages of mapped files
that were touched, which the system takes back when it needs them, `peak_own_mb` does not. Prints a table and writes
JSON. The step `neo4j` starts a server of its own (`java`, `mvn`) and is left out unless asked for.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from measuring import Figures, apart
from rich.console import Console
from rich.table import Table
from synthetic_graph import CORPUS, Size, entity_ids, write_corpus

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.graph.assembly.assemble import assemble_version
from kg_pipeline.graph.neo4j import load_version, local_server
from kg_pipeline.graph.reader import Subgraph
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.graph.versions.verify import verify_version
from kg_pipeline.schema import EMBEDDING_DIMENSIONS
from kg_pipeline.settings import Settings

_SEEDS = 50
_UNCAPPED = 10**9


def main() -> None:
    """Make the corpus, assemble it, open it, walk it, search it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entities", type=int, default=31_000)
    parser.add_argument("--relations", type=int, default=600_000)
    parser.add_argument(
        "--vectors", type=int, default=100_000, help="chunks and entities, of each, with a vector"
    )
    parser.add_argument("--home", type=Path, help="workspace to use again; by default one that is deleted")
    parser.add_argument("--output", type=Path, default=Path("bench-graph.json"))
    parser.add_argument("--steps", nargs="+", default=list(_STEPS)[:-1], choices=list(_STEPS))
    options = parser.parse_args()
    size = Size(options.entities, options.relations, options.vectors)
    home = (options.home or Path(tempfile.mkdtemp(prefix="kg-bench-"))).absolute()
    try:
        report = {step: apart(_STEPS[step], home, size) for step in options.steps}
    finally:
        if options.home is None:
            shutil.rmtree(home, ignore_errors=True)
    _show(report)
    told = {"size": {"entities": size.entities, "relations": size.relations}, "machine": platform.platform()}
    options.output.write_text(json.dumps({**told, "steps": report}, indent=1) + "\n", encoding="utf-8")


def _generate(home: Path, size: Size) -> Figures:
    if not (home / "datasets" / CORPUS).exists():
        write_corpus(home / "datasets", size)
    return {}


def _assemble(home: Path, size: Size) -> Figures:
    shutil.rmtree(home / "graphs", ignore_errors=True)
    settings = _settings(home)
    manifest = assemble_version(Datasets(settings.datasets), CorpusSpec(name=CORPUS, source="."), settings)
    VersionStore(settings.graphs).publish(CORPUS, manifest.version)
    folder = VersionStore(settings.graphs).folder(CORPUS, manifest.version)
    size_on_disk = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return {"disk_mb": size_on_disk / 1e6, **{f"rows_{name}": n for name, n in manifest.counts.items()}}


def _again(home: Path, size: Size) -> Figures:
    """A second build of the same inputs, which finds the version made."""
    settings = _settings(home)
    assemble_version(Datasets(settings.datasets), CorpusSpec(name=CORPUS, source="."), settings)
    return {}


def _verify(home: Path, size: Size) -> Figures:
    store = VersionStore(_settings(home).graphs)
    problems = verify_version(store.folder(CORPUS, store.resolve(CORPUS)))
    assert not problems, problems
    return {"problems": len(problems)}


def _open(home: Path, size: Size) -> Figures:
    """Open and answer a first question, then walk two hops from 25 uniform and 25 degree-weighted seeds."""
    started = time.perf_counter()
    reader = VersionStore(_settings(home).graphs).open(CORPUS)
    names = entity_ids(np.random.default_rng(3).integers(0, size.entities, _SEEDS))
    first = reader.neighbours(names[:1])
    opened = (time.perf_counter() - started) * 1000
    resident = _resident_mb()
    near = reader.relations(reader.neighbours(names, per_node=20))
    weighted = [relation.head_id for relation in near[:: max(len(near) // (_SEEDS // 2), 1)]][: _SEEDS // 2]
    seeds = names[: _SEEDS // 2] + weighted

    def whole(seed: str) -> Subgraph:
        return reader.expand([seed], depth=2, per_node=_UNCAPPED, max_nodes=_UNCAPPED)

    reached = [len(whole(seed).depths) for seed in seeds]
    met = [len(whole(seed).relation_ids) for seed in seeds]
    figures = {
        "open_and_first_answer_ms": opened,
        "resident_mb": resident,
        "first_answer_relations": len(first),
        **_times("two_hops_uncapped", whole, seeds),
        **_times("two_hops_uncapped_nodes_named", lambda seed: list(whole(seed).depths), seeds),
        **_times("two_hops_uncapped_all_named", lambda seed: _named(whole(seed)), seeds),
        "two_hops_uncapped_nodes_median": float(np.median(reached)),
        "two_hops_uncapped_nodes_max": max(reached),
        "two_hops_uncapped_relations_max": max(met),
        **_times("two_hops", lambda seed: reader.expand([seed], depth=2), seeds),
        **_times("paths", lambda pair: reader.paths(*pair), list(pairwise(seeds))),
        **_times("text_search", lambda seed: reader.search_text("chunk", f"factor {seed[2:]}", 20), seeds),
        "resident_after_mb": _resident_mb(),
    }
    reader.close()
    return figures


def _named(part: Subgraph) -> tuple[dict[str, int], list[str]]:
    return dict(part.depths.items()), list(part.relation_ids)


def _vectors(home: Path, size: Size) -> Figures:
    """Top 20 of the chunks, and how many of the exact top 20 an approximate index found where there is one."""
    reader = VersionStore(_settings(home).graphs).open(CORPUS)
    queries = np.random.default_rng(5).standard_normal((_SEEDS, EMBEDDING_DIMENSIONS), np.float32)
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    reader.nearest("chunk", queries[0], 20)
    return _times("top_20", lambda query: reader.nearest("chunk", query, 20), list(queries))


def _neo4j(home: Path, size: Size) -> Figures:
    """Load the version into an empty server: relationships a second, and the time of the server's processor."""
    store = VersionStore(_settings(home).graphs)
    folder = store.folder(CORPUS, store.resolve(CORPUS))
    with tempfile.TemporaryDirectory(prefix="kg-neo4j-") as place:
        server = local_server.start(Path(place), password="only-for-this-run", heap_megabytes=2048)
        java = psutil.Process(server.process.pid)
        ends: dict[str, float] = {}
        before, started = sum(java.cpu_times()[:2]), time.perf_counter()
        try:
            counts = load_version(
                server.settings, folder, progress=lambda what, rows: ends.update({what: time.perf_counter()})
            )
            loaded, spent = time.perf_counter(), sum(java.cpu_times()[:2]) - before
        finally:
            server.stop()
    relationships = sum(counts[name] for name in ("relations", "has_entity", "evidence", "chunks"))
    written = max(ends.values()) - started
    return {
        "relationships": relationships,
        "writing_seconds": written,
        "indexing_seconds": loaded - started - written,
        "relationships_per_second": relationships / written,
        "relationships_per_second_with_indexes": relationships / (loaded - started),
        "server_cpu_seconds": spent,
    }


def _settings(home: Path) -> Settings:
    return Settings(home=home, corpora_file=home / "corpora.toml")


def _times(name: str, act: Callable[[Any], object], over: Sequence[Any]) -> Figures:
    """Median and 95th percentile of one call, in ms by the clock and of processor time; once before, to fill the cache."""
    for item in over:
        act(item)
    took, spent = [], []
    for item in over:
        started, before = time.perf_counter(), time.process_time()
        act(item)
        took.append((time.perf_counter() - started) * 1000)
        spent.append((time.process_time() - before) * 1000)
    return {
        f"{name}_p50_ms": float(np.median(took)),
        f"{name}_p95_ms": float(np.percentile(took, 95)),
        f"{name}_p95_cpu_ms": float(np.percentile(spent, 95)),
    }


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


_STEPS: dict[str, Callable[[Path, Size], Figures]] = {
    "generate": _generate,
    "assemble": _assemble,
    "again": _again,
    "verify": _verify,
    "open": _open,
    "vectors": _vectors,
    "neo4j": _neo4j,
}


def _show(report: dict[str, Figures]) -> None:
    table = Table("step", "figure", "value")
    for step, figures in report.items():
        for name, value in figures.items():
            table.add_row(step, name, f"{value:,.1f}" if value % 1 else f"{value:,.0f}")
    Console().print(table)


if __name__ == "__main__":
    main()
