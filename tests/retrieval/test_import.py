from __future__ import annotations

import subprocess
import sys

import retrieval

HEAVY = (
    "dagster",
    "spacy",
    "openai",
    "onnxruntime",
    "sklearn",
    "scipy",
    "neo4j",
    "graspologic_native",
    "typer",
    "assets",
    "resources",
)


def test_importing_retrieval_loads_neither_dagster_nor_models() -> None:
    code = f"import sys, retrieval; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_everything_public_is_there_and_listed() -> None:
    assert all(hasattr(retrieval, name) for name in retrieval.__all__)
    assert retrieval.__all__ == sorted(
        retrieval.__all__, key=lambda name: (name != name.upper(), name[0].islower(), name)
    )
