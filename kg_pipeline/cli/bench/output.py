"""What the benchmark commands share: lists of names, shares in cells, the sentence of what is skipped, the JSON report."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rich.console import Console

    from kg_pipeline.llm.budget import Meter
    from retrieval.evaluation.intervals import Interval


_WIDTH = 200  # of a log, where nobody's terminal says how wide it is


def open_console() -> Console:
    """Where the tables of a benchmark go: as wide as the terminal, and wide enough to be read where there is none."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    if console.is_terminal or "COLUMNS" in os.environ:
        return console
    return Console(highlight=False, soft_wrap=True, width=_WIDTH)


def names_of(text: str) -> list[str]:
    """Names separated by commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def per_cent(interval: Interval | None) -> str:
    """A mean in per cent with its interval; a dash where nothing was measured."""
    if interval is None:
        return "-"
    return f"{100 * interval.mean:.1f} [{100 * interval.low:.0f}, {100 * interval.high:.0f}]"


def points(interval: Interval) -> str:
    """A difference in points with its interval."""
    return f"{100 * interval.mean:+.1f} [{100 * interval.low:+.0f}, {100 * interval.high:+.0f}]"


def skip(console: Console, why: str) -> None:
    """Say that there is nothing to measure, and why."""
    console.print(f"Skipped: {why}", markup=False)


def write_report(console: Console, output: Path, report: Mapping[str, Any], used: Meter) -> None:
    """Write a report with what it took of language models, judges included, and say where it is and whom not to trust."""
    from kg_pipeline.files import write_text
    from retrieval.evaluation.trial import cautions

    whole = {**report, "llm": asdict(used.usage)}
    write_text(output, json.dumps(whole, indent=1, ensure_ascii=False) + "\n")
    for sentence in cautions(report):
        console.print(sentence, markup=False)
    console.print(
        f"Everything measured, with settings, versions, hardware and tokens: {output}", markup=False
    )
