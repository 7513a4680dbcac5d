"""Figures of the papers on these benchmarks, in per cent; of 1,000 sampled questions and large language models."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: Exact match and F1 by benchmark: eGoT's table 2, answered by GPT-4o over a graph made by LLaMA-4 Scout.
ANSWERS: Mapping[str, Mapping[str, tuple[float, float]]] = MappingProxyType(
    {
        "hotpot": {
            "NaiveRAG": (57.3, 71.0),
            "GraphRAG": (31.7, 42.74),
            "LightRAG": (25.0, 43.2),
            "HippoRAG": (59.9, 74.29),
            "SiReRAG": (61.7, 76.48),
            "HopRAG": (61.3, 78.34),
            "eGoT": (63.0, 71.11),
        }
    }
)
#: F1 and accuracy on MultiHop-RAG: eGoT's table 3, with the same models.
MULTIHOP_RAG: Mapping[str, tuple[float, float]] = MappingProxyType(
    {"Naive": (50.1, 60.4), "GraphRAG": (52.6, 65.3), "TH-RAG": (71.2, 72.2), "eGoT": (76.3, 79.1)}
)


def of_benchmark(name: str) -> dict[str, dict[str, float]]:
    """What was published on a benchmark, by method and metric; empty where the papers' tables have none."""
    if name == "multihop-rag":
        return {method: {"f1": f1, "accuracy": accuracy} for method, (f1, accuracy) in MULTIHOP_RAG.items()}
    return {method: {"em": em, "f1": f1} for method, (em, f1) in ANSWERS.get(name, {}).items()}
