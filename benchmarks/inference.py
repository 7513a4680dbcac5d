"""Speed and memory of the inferences on synthetic relations: `python benchmarks/inference.py [--help]`.

Relations follow a power law, as those of a corpus do: few hubs, many entities of few relations. Each inference runs
in a process of its own, so that its peak memory is its own. Prints a table and writes JSON.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import platform
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

from kg_pipeline.datasets import empty_frame
from kg_pipeline.inference import community, lexical, transitive, transitive_egot
from kg_pipeline.schema import EMBEDDING_DIMENSIONS
from kg_pipeline.vocabulary.predicates import PREDICATES

_GROUPS = ("biolink:Gene", "biolink:Drug", "biolink:Disease", "biolink:Cell", "biolink:BiologicalProcess")
_HUB_DEGREE, _PER_NODE, _TOTAL = 50, 20, 1_000_000
_EXPONENT = 1.3  # of the power law; degrees of literature graphs lie near it
_SEED = 11
#: Vectors of names: so many on end lie about one topic, off it by so much of its length; rows of a part of the file.
_ALIKE, _SPREAD, _ROWS = 100, 0.8, 20_000


class _NoHierarchy:
    """A vocabulary that knows none of the entities."""

    def concept(self, concept_id: str) -> None:
        """Nothing."""

    def is_a(self, child: str, ancestor: str, max_depth: int = 0) -> bool:
        """No."""
        return False


def main() -> None:
    """Make relations, infer, tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entities", type=int, default=31_000)
    parser.add_argument("--relations", type=int, default=600_000)
    parser.add_argument("--output", type=Path, default=Path("bench-inference.json"))
    parser.add_argument("--only", choices=sorted(_STEPS), help="one of the inferences; all without it")
    options = parser.parse_args()
    report = {}
    for name in [options.only] if options.only else _STEPS:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            report[name] = pool.apply(_measured, (name, options.entities, options.relations))
    table = Table("inference", "inferred", "seconds", "CPU seconds", "peak GB")
    for name, row in report.items():
        cells = (f"{row['inferred']:,.0f}", f"{row['seconds']:.1f}", f"{row['cpu_seconds']:.1f}")
        table.add_row(name, *cells, f"{row['peak_gb']:.2f}")
    Console().print(table)
    told = {"entities": options.entities, "relations": options.relations, "machine": platform.platform()}
    options.output.write_text(json.dumps({**told, "steps": report}, indent=1) + "\n", encoding="utf-8")


def _measured(name: str, entities: int, relations: int) -> dict[str, float]:
    frame = synthetic_relations(entities, relations)
    started, before = time.perf_counter(), time.process_time()
    inferred = _STEPS[name](frame, entities)
    return {
        "inferred": inferred,
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time() - before,
        "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
    }


def synthetic_relations(entities: int, relations: int) -> pl.DataFrame:
    """Distinct asserted relations between entities drawn by a power law."""
    rng = np.random.default_rng(_SEED)
    names = sorted(name for name in PREDICATES if name != "related_to")
    weights = np.arange(1, entities + 1, dtype=np.float64) ** -(1 / _EXPONENT)
    weights /= weights.sum()
    frame = pl.DataFrame()
    while frame.height < relations:
        drawn = int((relations - frame.height) * 1.3) + 1000
        heads, tails = (rng.choice(entities, drawn, p=weights) for _ in range(2))
        batch = pl.DataFrame(
            {"head": heads, "predicate": rng.integers(0, len(names), drawn), "tail": tails}
        ).filter(pl.col("head") != pl.col("tail"))
        frame = pl.concat([frame, batch]).unique(maintain_order=True) if frame.height else batch.unique()
    frame = frame.head(relations)
    return frame.select(
        relation_id=pl.int_range(pl.len()).cast(pl.String).str.zfill(16),
        kind=pl.lit("asserted"),
        head_id=pl.lit("E") + pl.col("head").cast(pl.String),
        predicate=pl.col("predicate").replace_strict(dict(enumerate(names)), return_dtype=pl.String),
        tail_id=pl.lit("E") + pl.col("tail").cast(pl.String),
        negated=pl.lit(False),
        speculative=pl.lit(False),
        confidence=pl.Series(rng.uniform(0.3, 1.0, frame.height), dtype=pl.Float32),
        n_articles=pl.lit(1, pl.Int32),
        n_evidence=pl.lit(1, pl.Int32),
        premises=pl.lit([], dtype=pl.List(pl.String)),
        rule=pl.lit(""),
    ).select(empty_frame("relations").columns)


def _categories(entities: int) -> dict[str, str]:
    return {f"E{i}": _GROUPS[i % len(_GROUPS)] for i in range(entities)}


def _transitive(frame: pl.DataFrame, entities: int) -> int:
    caps = {"hub_degree": _HUB_DEGREE, "max_per_node": _PER_NODE, "max_total": _TOTAL}
    return transitive.infer_typed(frame, _categories(entities), **caps).height


def _egot(frame: pl.DataFrame, _: int) -> int:
    return transitive_egot.infer_egot(frame, max_total=_TOTAL).height


def _community(frame: pl.DataFrame, entities: int) -> int:
    caps = {"hub_degree": _HUB_DEGREE, "max_per_node": _PER_NODE, "max_total": _TOTAL}
    with tempfile.TemporaryDirectory() as folder:
        vectors = _vectors(entities, Path(folder) / "vectors.parquet")
        return community.infer_offline(frame, _categories(entities), vectors, **caps).height


def _vectors(entities: int, path: Path) -> pl.LazyFrame:
    """Vectors of names in a file, as a corpus has them: of a hundred on end each two have a cosine of 0.6."""
    rng = np.random.default_rng(_SEED)
    kind = pa.list_(pa.float32(), EMBEDDING_DIMENSIONS)
    with pq.ParquetWriter(path, pa.schema([("id", pa.string()), ("vector", kind)])) as file:
        for start in range(0, entities, _ROWS):
            rows = min(_ROWS, entities - start)
            topics = rng.standard_normal((-(-rows // _ALIKE), EMBEDDING_DIMENSIONS), np.float32)
            made = np.repeat(topics, _ALIKE, axis=0)[:rows]
            made += rng.standard_normal(made.shape, np.float32) * np.float32(_SPREAD)
            made /= np.linalg.norm(made, axis=1, keepdims=True)
            values = pa.FixedSizeListArray.from_arrays(made.ravel(), EMBEDDING_DIMENSIONS)
            ids = pa.array([f"E{i}" for i in range(start, start + rows)])
            file.write_table(pa.table({"id": ids, "vector": values}, file.schema))
    return pl.scan_parquet(path)


def _lexical(frame: pl.DataFrame, entities: int) -> int:
    words = ("nephritis", "carcinoma", "fibrosis", "anemia", "dermatitis", "colitis")
    table = pl.DataFrame(
        {
            "entity_id": [f"E{i}" for i in range(entities)],
            "name": [
                *words,
                *(f"{_letters(i)} {words[i % len(words)]}" for i in range(entities - len(words))),
            ],
            "category": [_GROUPS[2]] * entities,
        }
    )
    return lexical.infer_typed(table, frame, _NoHierarchy(), max_per_node=_PER_NODE, max_total=_TOTAL).height


def _letters(number: int) -> str:
    """A made-up word or two for a number."""
    word = ""
    while True:
        word = "bcdfglmnprst"[number % 12] + "aeiou"[number % 5] + word
        number //= 12
        if not number:
            return word


_STEPS: dict[str, Callable[[pl.DataFrame, int], int]] = {
    "transitive": _transitive,
    "transitive, as published": _egot,
    "lexical": _lexical,
    "community": _community,
}


if __name__ == "__main__":
    main()
