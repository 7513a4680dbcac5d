"""Readers of MINE's files: essays, facts, the graphs of three systems, and the verdicts that a model gave on them."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from kg_pipeline.errors import BenchmarkFileError
from retrieval.evaluation.triple_graph import Triple

#: Folder in the archive, and what its files of verdicts are called after the number.
_SYSTEMS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "KGGen": ("kggen", "_results"),
        "GraphRAG": ("GraphRAG", "_resultsG"),
        "OpenIE": ("openIE", "_resultsST"),
    }
)
SYSTEMS = tuple(_SYSTEMS)


@dataclass(frozen=True, slots=True)
class Essay:
    """An essay with the facts that a reader of it knows; `number` is its place in the file, from 0."""

    number: int
    topic: str
    text: str
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the model said of one fact and the context that was retrieved for it from a system's graph."""

    fact: str
    context: str
    is_found: bool


@dataclass(frozen=True, slots=True)
class Mine:
    """The benchmark; graphs and verdicts by system and essay."""

    essays: tuple[Essay, ...]
    graphs: Mapping[str, Mapping[int, tuple[Triple, ...]]]
    verdicts: Mapping[str, Mapping[int, tuple[Verdict, ...]]]


def read_mine(folder: Path) -> Mine:
    """Read `essays.json`, `answers.json`, `results_SYSTEM.zip`, and `graph_to_essay.tsv`, which says what graph is of what essay.

    The published graphs are numbered from 1 and skip essays, each system others, so that a number alone says nothing.

    Raises
    ------
    BenchmarkFileError
        If a file is missing or has another format.

    """
    try:
        essays = tuple(
            Essay(number, row["topic"], row["content"].strip("`\n "), tuple(fact["answer"] for fact in facts))
            for number, (row, facts) in enumerate(
                zip(_json(folder / "essays.json"), _json(folder / "answers.json"), strict=True)
            )
        )
        numbers = _numbers(folder / "graph_to_essay.tsv")
        graphs: dict[str, dict[int, tuple[Triple, ...]]] = {}
        verdicts: dict[str, dict[int, tuple[Verdict, ...]]] = {}
        for system in SYSTEMS:
            with zipfile.ZipFile(folder / f"results_{system}.zip") as archive:
                graphs[system], verdicts[system] = _system(archive, system, numbers[system])
    except (OSError, KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
        raise BenchmarkFileError(
            f"{folder} does not hold MINE as it is published ({type(error).__name__}: {error}). Compare it with the benchmark's download."
        ) from error
    return Mine(essays, graphs, verdicts)


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _numbers(path: Path) -> dict[str, dict[int, int]]:
    """Essay by the number of its graph, by system."""
    found: dict[str, dict[int, int]] = {system: {} for system in SYSTEMS}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            found[row["system"]][int(row["graph_number"])] = int(row["essay_index0"])
    if not all(found.values()):
        raise ValueError(f"{path.name} lists no graph of some system")
    return found


def _system(
    archive: zipfile.ZipFile, system: str, numbers: Mapping[int, int]
) -> tuple[dict[int, tuple[Triple, ...]], dict[int, tuple[Verdict, ...]]]:
    folder, ending = _SYSTEMS[system]
    names = set(archive.namelist())
    graphs: dict[int, tuple[Triple, ...]] = {}
    verdicts: dict[int, tuple[Verdict, ...]] = {}
    for number, essay in sorted(numbers.items()):
        if (name := f"{folder}/{number}.json") in names:
            rows = json.loads(archive.read(name))["relations"]
            graphs[essay] = tuple((str(row[0]), str(row[1]), str(row[2])) for row in rows if len(row) == 3)
        if (name := f"{folder}/{number}{ending}.json") in names:
            rows = json.loads(archive.read(name))
            verdicts[essay] = tuple(
                Verdict(row["correct_answer"], row["retrieved_context"], bool(row["evaluation"]))
                for row in rows
                if "correct_answer" in row  # the last row holds the mean
            )
    return graphs, verdicts
