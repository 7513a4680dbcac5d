"""A benchmark's result as JSON: scores with intervals, settings, versions and hardware; what is needed to repeat it."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any

from kg_pipeline.graph.reader import Manifest
from retrieval.evaluation.intervals import RESAMPLES
from retrieval.evaluation.questions import QaBenchmark
from retrieval.evaluation.ranking import SUBSETS, MethodResult
from retrieval.methods.ppr.method import PageRankSettings

_LIBRARIES = (
    *("kg-pipeline", "marisa-trie", "numpy", "onnxruntime", "python-crfsuite", "scipy", "spacy", "tantivy"),
    "tokenizers",
)
#: Starting points in per cent on the MuSiQue sample, all 100 questions: this corpus, these triples, MiniLM int8.
STARTING_POINTS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "BM25": {"recall@2": 39.6, "recall@5": 50.8, "recall@10": 58.8, "all@5": 15.0},
        "dense": {"recall@2": 47.2, "recall@5": 61.5, "recall@10": 69.5, "all@5": 30.0},
        "60-line PPR": {"recall@2": 43.8, "recall@5": 67.8, "recall@10": 79.5, "all@5": 43.0},
        "60-line PPR, hybrid prior": {"recall@2": 43.8, "recall@5": 69.1, "recall@10": 78.8, "all@5": 43.0},
    }
)


def retrieval_report(
    benchmark: QaBenchmark,
    results: Sequence[MethodResult],
    manifest: Manifest,
    settings: PageRankSettings,
    *,
    seed: int,
) -> dict[str, Any]:
    """Everything of a run that `kg bench retrieval` writes; scores are shares, not per cent."""
    return {
        "benchmark": {
            "passages": len(benchmark.passages),
            "questions": {
                subset: sum(map(belongs, benchmark.questions)) for subset, belongs in SUBSETS.items()
            },
        },
        "graph": {
            "version": manifest.version,
            "counts": dict(manifest.counts),
            "models": dict(manifest.models),
        },
        "settings": asdict(settings),
        "bootstrap": {"seed": seed, "resamples": RESAMPLES, "level": 0.95},
        "llm_calls": 0,
        "methods": [_method(result) for result in results],
        "starting_points_per_cent": {name: dict(row) for name, row in STARTING_POINTS.items()},
        **environment(),
    }


def environment() -> dict[str, Any]:
    """Versions and hardware, as every report of a benchmark has them."""
    return {
        "versions": {"python": platform.python_version()}
        | {name: importlib.metadata.version(name) for name in _LIBRARIES},
        "hardware": {"machine": platform.machine(), "cpu": cpu_model(), "cores": os.cpu_count()},
    }


def _method(result: MethodResult) -> dict[str, Any]:
    def plain(scores: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
        return {
            subset: {metric: asdict(interval) for metric, interval in row.items()}
            for subset, row in scores.items()
        }

    return {
        "method": result.method,
        "scores": plain(result.scores),
        "gains_over_dense": plain(result.gains),
        "ms_a_question": {"median": round(result.ms_median, 1), "p95": round(result.ms_p95, 1)},
        "rankings": {question: list(ranked) for question, ranked in result.rankings.items()},
    }


def cpu_model(info: Path = Path("/proc/cpuinfo")) -> str:
    """Name of the processor as Linux knows it, else what Python can tell."""
    try:
        lines = info.read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"
