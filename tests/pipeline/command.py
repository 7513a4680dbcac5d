"""The `kg` command run as a person runs it: a process of its own, with its own workspace."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

Completed = subprocess.CompletedProcess[str]
Kg = Callable[..., Completed]


def environment(home: Path) -> dict[str, str]:
    """A clean environment whose workspace is `home`; nothing of the developer's settings leaks in."""
    ours = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("KG_", "DAGSTER_", "OPENAI_"))
    }
    return {**ours, "KG_HOME": str(home), "COLUMNS": "200", "NO_COLOR": "1"}


def command(*arguments: str) -> list[str]:
    """Command line of `kg` in this interpreter."""
    return [sys.executable, "-m", "kg_pipeline.cli.app", *arguments]


def run_kg(home: Path, *arguments: str, **variables: str) -> Completed:
    """Run `kg` to its end."""
    return subprocess.run(
        command(*arguments),
        env={**environment(home), **variables},
        cwd=home,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
