"""How the look-up index scales: time and memory to build it and to open it, size on disk, look-ups a second.

    python benchmarks/vocabulary_scale.py --concepts 4000000 --names-each 3

Names are made to cost what those of the UMLS cost, 36 bytes on average there. Two of three concepts join two of the packaged
vocabulary, as SNOMED CT, LOINC and MEDCIN do (`X with Y`, `Y due to X`, `X, Y`), so their names share words with each
other and with those of other concepts. Every third is of two to four pseudo-words of a lexicon of 300,000, as species and
products are, and its names share none. Every figure is of a process of its own. Look-ups are of names that are there, and
of names that lack a letter, which ask for similar ones.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from kg_pipeline.schema import CONCEPTS
from kg_pipeline.settings import load_settings
from kg_pipeline.vocabulary.index.build import build_vocabulary
from kg_pipeline.vocabulary.index.lookup import open_vocabulary
from kg_pipeline.vocabulary.index.stack import OPEN_VOCABULARY

_SYLLABLES = [
    a + b
    for a in ["b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "th", "st", "pr", "gl"]
    for b in ["a", "e", "i", "o", "u", "an", "er", "il", "os"]
]
_LEXICON = 300_000
_BATCH = 50_000
_JOINED = ("{0} with {1}", "{1} due to {0}", "{0}, {1}")
_LOOKUPS = 20_000
_SIMILAR = 2_000
_LEAST = 0.78


@cache
def lexicon() -> list[str]:
    """Pseudo-words, the frequent ones first."""
    draw = random.Random(1)
    return ["".join(draw.choices(_SYLLABLES, k=draw.randint(2, 4))) for _ in range(_LEXICON)]


@cache
def real_names() -> list[list[str]]:
    """Names of the concepts of the packaged vocabulary."""
    table = pq.read_table(OPEN_VOCABULARY, columns=["concept_id", "names"]).sort_by("concept_id")
    named: list[list[str]] = table.column("names").to_pylist()
    return named


def names_of(number: int, each: int) -> list[str]:
    """Distinct names of one concept, the preferred one first, the same for the same number."""
    draw = random.Random(number)
    names = [_pseudo_words(draw) if number % 3 == 0 else "" for _ in range(each)]
    if not names[0]:
        base, other = draw.choice(real_names()), draw.choice(real_names())
        for position in range(each):
            one, two = base[position % len(base)], other[position // 3 % len(other)]
            names[position] = _JOINED[position % len(_JOINED)].format(one, two)
    return [
        names[0],
        *dict.fromkeys(f"{name} {number:x}" if name == names[0] else name for name in names[1:]),
    ]


def _pseudo_words(draw: random.Random) -> str:
    # About the skew of Zipf's law: half of the words are of the first eighth of the lexicon.
    parts = [lexicon()[int(_LEXICON * draw.random() ** 3)] for _ in range(draw.randint(2, 4))]
    return " ".join([*parts, str(draw.randint(1, 400))] if draw.random() < 0.4 else parts)


def write_table(path: Path, concepts: int, each: int) -> None:
    """Write a concept table of synthetic names."""
    with pq.ParquetWriter(path, CONCEPTS, compression="zstd") as writer:
        for start in range(0, concepts, _BATCH):
            rows = []
            for number in range(start, min(start + _BATCH, concepts)):
                names = names_of(number, each)
                rows.append(
                    {
                        "concept_id": f"SYN:{number:08d}",
                        "name": names[0],
                        "category": "biolink:Disease",
                        "names": names,
                        "parents": [f"SYN:{number // 10:08d}"] if number else [],
                        "source": "UMLS",
                    }
                )
            writer.write_table(pa.Table.from_pylist(rows, schema=CONCEPTS))


def resident_mb(kind: str = "VmRSS") -> float:
    """Memory of this process in use now, in MB: `VmRSS` with mapped files, which processes share, `RssAnon` its own."""
    status = Path("/proc/self/status").read_text()
    return int(status.split(f"{kind}:")[1].split()[0]) / 1024


def measure_build(home: Path, table: Path) -> dict[str, float]:
    """Build the index; seconds, peak memory in MB, and size on disk in MB."""
    started = time.perf_counter()
    folder = build_vocabulary(load_settings({"KG_HOME": str(home)}), table)
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sizes = {f"disk_mb {path.name}": path.stat().st_size / 1e6 for path in sorted(folder.iterdir())}
    cpu = time.process_time()
    return {
        "build_seconds": seconds,
        "build_cpu_seconds": cpu,
        "build_peak_mb": peak,
        "disk_mb": sum(sizes.values()),
        **sizes,
    }


def measure_open(home: Path, table: Path, concepts: int, each: int) -> dict[str, float]:
    """Open the index and look names up; seconds to open, look-ups a second, resident MB before and after."""
    folder = build_vocabulary(load_settings({"KG_HOME": str(home)}), table)
    draw = random.Random(7)
    wanted = [draw.choice(names_of(draw.randrange(concepts), each)) for _ in range(_LOOKUPS)]
    before, own = resident_mb(), resident_mb("RssAnon")
    started = time.perf_counter()
    vocabulary = open_vocabulary(folder)
    opened = time.perf_counter() - started
    started = time.process_time()
    found = sum(bool(vocabulary.lookup(name)) for name in wanted)
    seconds = time.process_time() - started
    mistyped = [name[:-2] + name[-1] for name in wanted[:_SIMILAR]]
    started = time.process_time()
    alike = sum(bool(vocabulary.similar(name, _LEAST)) for name in mistyped)
    per_similar = (time.process_time() - started) / _SIMILAR
    return {
        "open_seconds": opened,
        "similar_ms": 1000 * per_similar,
        "similar_found": alike / _SIMILAR,
        "lookups_per_second": _LOOKUPS / seconds,
        "found": found / _LOOKUPS,
        "resident_mb_more": resident_mb() - before,
        "own_mb_more": resident_mb("RssAnon") - own,
    }


def main() -> int:
    """Measure in child processes and print one JSON object."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--concepts", type=int, default=1_000_000)
    parser.add_argument("--names-each", type=int, default=3)
    parser.add_argument("--step", choices=["all", "table", "build", "open"], default="all")
    parser.add_argument("--home", type=Path)
    arguments = parser.parse_args()
    if arguments.step == "all":
        with tempfile.TemporaryDirectory() as home:
            report: dict[str, float] = {"concepts": arguments.concepts, "names_each": arguments.names_each}
            for step in ("table", "build", "open"):
                command = [sys.executable, __file__, "--step", step, "--home", home]
                command += ["--concepts", str(arguments.concepts), "--names-each", str(arguments.names_each)]
                report |= json.loads(
                    subprocess.run(command, check=True, capture_output=True, text=True).stdout
                )
        print(json.dumps({key: round(value, 3) for key, value in report.items()}, indent=1))
        return 0
    home = arguments.home
    table = home / "table.parquet"
    if arguments.step == "table":
        write_table(table, arguments.concepts, arguments.names_each)
        print("{}")
    elif arguments.step == "build":
        print(json.dumps(measure_build(home, table)))
    else:
        print(json.dumps(measure_open(home, table, arguments.concepts, arguments.names_each)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
