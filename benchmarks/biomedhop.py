"""Time to build questions from a large graph: `python benchmarks/biomedhop.py [--edges N] [--items N]`.

A seeded graph of typed nodes and edges is written as KGX, imported without vectors (not timed as the build), and questions
are built from it with the evidence that its edges cite. Degrees follow a power law.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from kg_pipeline.graph.exchange.importing import import_graph
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.settings import load_settings
from kg_pipeline.text.sentences import load_splitter
from retrieval.evaluation.biomedhop.build import BuildSettings, build_items
from retrieval.evaluation.biomedhop.items import write_items
from retrieval.evaluation.biomedhop.patterns import Patterns, load_patterns

_EXPONENT = 0.6
_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvxz" for vowel in "aeiou"]
#: Nodes of each type for a thousand edges.
_NODES = {
    "Disease": 9.0,
    "Gene": 20.0,
    "SmallMolecule": 15.0,
    "PhenotypicFeature": 5.0,
    "AnatomicalEntity": 3.0,
    "Cell": 2.0,
    "BiologicalProcess": 8.0,
    "CellularComponent": 2.0,
    "MicroRNA": 2.0,
    "Protein": 10.0,
    "ProteinDomain": 4.0,
    "MolecularActivity": 3.0,
    "Food": 1.0,
    "MolecularMixture": 1.0,
    "OrganismTaxon": 2.0,
    "GeographicLocation": 1.0,
}


def main() -> None:
    """Build the graph, then the questions, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--passages", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        settings = load_settings({"KG_HOME": str(home)})
        nodes, edges = write_graph(home, load_patterns(), chosen.edges)
        started = time.perf_counter()
        version = import_graph("synthetic", [nodes, edges], settings, embed="none").manifest.version
        store = VersionStore.of(settings)
        store.publish("synthetic", version)
        print(f"import: {time.perf_counter() - started:.0f} s, {store.open('synthetic').manifest.counts}")
        started, used = time.perf_counter(), time.process_time()
        with_settings = BuildSettings(items=chosen.items, passages_a_hop=chosen.passages)
        splitter = load_splitter(settings.sentence_model).split
        built = build_items(
            store.folder("synthetic", version), store.open("synthetic"), splitter, with_settings
        )
        write_items(home / "items.jsonl", built.items)
        seconds = time.perf_counter() - started
        print(
            f"build: {len(built.items)} items in {seconds:.0f} s ({time.process_time() - used:.0f} s of CPU), wanted {built.wanted}"
        )
        print(dict(Counter(item.family for item in built.items)), dict(built.rejected))


def write_graph(folder: Path, patterns: Patterns, count: int, seed: int = 11) -> tuple[Path, Path]:
    """KGX files of a graph whose edges are the first readings of the patterns' steps, in equal parts."""
    source = np.random.default_rng(seed)
    ids: dict[str, pl.Series] = {}
    frames = []
    for category, share in _NODES.items():
        number = np.arange(max(int(count * share / 1000), 10))
        ids[category] = pl.Series([f"{category.upper()}:{n:07d}" for n in number])
        words = source.choice(_SYLLABLES, (len(number), 5))
        names = ["".join(row[:3]) + " " + "".join(row[3:]) + f" {n}" for n, row in enumerate(words.tolist())]
        frames.append(
            pl.DataFrame({"id": ids[category], "name": names}).with_columns(
                category=pl.lit(f"biolink:{category}")
            )
        )
    nodes, edges = folder / "nodes.tsv", folder / "edges.tsv"
    pl.concat(frames).write_csv(nodes, separator="\t")
    kinds = sorted(_kinds(patterns))
    parts = [_edges(source, ids, kind, count // len(kinds)) for kind in kinds]
    pl.concat(parts).unique(maintain_order=True).write_csv(edges, separator="\t")
    return nodes, edges


def _kinds(patterns: Patterns) -> set[tuple[str, str, str]]:
    """Head category, predicate and tail category of every step."""
    steps = {
        (p.anchor, p.step, p.answer) if p.source == "anchor" else (p.answer, p.step, p.anchor)
        for p in patterns.pairs
    }
    for path in patterns.metapaths:
        steps |= set(zip(path.types, path.steps, path.types[1:], strict=False))
    for name, clue in patterns.clues.steps.items():
        ends = (name, patterns.clues.answer)
        steps.add((ends[0], clue.step, ends[1]) if clue.source == "clue" else (ends[1], clue.step, ends[0]))
    found = set()
    for one, step, other in steps:
        reading = patterns.steps[step].readings[0]
        first, second = (
            next(c for c in patterns.types[name].categories if c in _NODES) for name in (one, other)
        )
        found.add(
            (first, reading.predicate, second) if reading.is_forward else (second, reading.predicate, first)
        )
    return found


def _edges(
    source: np.random.Generator, ids: dict[str, pl.Series], kind: tuple[str, str, str], count: int
) -> pl.DataFrame:
    head, predicate, tail = kind
    return pl.DataFrame(
        {
            "subject": ids[head].gather(_drawn(source, len(ids[head]), count)),
            "predicate": [f"biolink:{predicate}"] * count,
            "object": ids[tail].gather(_drawn(source, len(ids[tail]), count)),
            "original_predicate": [f"kg:{predicate}"] * count,
        }
    )


def _drawn(source: np.random.Generator, size: int, count: int) -> npt.NDArray[np.int64]:
    weight = np.cumsum((np.arange(size) + 10.0) ** -_EXPONENT)
    places = np.searchsorted(weight, source.random(count) * weight[-1])
    drawn: npt.NDArray[np.int64] = np.minimum(places, size - 1)
    return drawn


if __name__ == "__main__":
    main()
