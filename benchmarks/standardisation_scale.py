"""How standardisation scales with distinct surface forms: seconds and peak memory.

    python benchmarks/standardisation_scale.py --forms 1000000

A third of the forms are linked to a concept, four to one on average, a third are spelling variants of others (hyphens, plurals, Greek letters,
case), the rest stand alone. Candidates are blocked by spelling keys, so the work grows with the forms, not with their pairs.
The published rules (`egot`: a stem of four characters) do the same forms in the same run.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator

from kg_pipeline.normalization.egot import standardise_egot
from kg_pipeline.normalization.standardise import Form, Standardised, standardise

_SYLLABLES = [
    "ba",
    "ke",
    "mi",
    "lo",
    "tra",
    "gli",
    "ston",
    "per",
    "fu",
    "no",
    "ra",
    "ti",
    "ves",
    "cor",
    "dal",
    "pen",
]
_GREEK = (("α", "alpha"), ("β", "beta"), ("γ", "gamma"))


def forms(count: int, seed: int = 5) -> Iterator[Form]:
    """Distinct forms, the same for the same count."""
    draw = random.Random(seed)
    made = 0
    while made < count:
        name = " ".join(
            "".join(draw.choice(_SYLLABLES) for _ in range(draw.randint(2, 4)))
            for _ in range(draw.randint(1, 3))
        )
        kind = made % 3
        number = draw.randint(1, 99)
        if kind == 0:
            concept = f"SYN:{draw.randrange(max(1, count // 12)):08d}"
            yield Form(f"{name} {number}", "biolink:Disease", concept, draw.randint(1, 50))
            made += 1
            continue
        letter, written = draw.choice(_GREEK)
        symbol = f"{name.split()[0].upper()[:6]}{made}"
        pair = (f"{symbol}-{letter}", f"{symbol}-{written}") if kind == 1 else (f"{name} {made}", None)
        for one in pair:
            if one is not None and made < count:
                yield Form(one, "biolink:Gene", None, draw.randint(1, 50))
                made += 1


def _run(rules: Callable[[list[Form]], Standardised], made: list[Form]) -> dict[str, float]:
    started, cpu = time.perf_counter(), time.process_time()
    result = rules(made)
    return {
        "entities": len(result.clusters),
        "seconds": round(time.perf_counter() - started, 1),
        "cpu_seconds": round(time.process_time() - cpu, 1),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def main() -> int:
    """Standardise synthetic forms and print one JSON object."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--forms", type=int, default=200_000)
    arguments = parser.parse_args()
    made = list(forms(arguments.forms))
    # The peak is that of the process so far, so the rules that need less come first.
    report = {"forms": len(made), "egot": _run(standardise_egot, made), "guarded": _run(standardise, made)}
    print(json.dumps(report, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
