"""Workspaces for tests of the whole pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipeline.command import Kg, run_kg


@pytest.fixture
def kg(tmp_path: Path) -> Kg:
    """`kg` in an empty workspace."""
    return lambda *arguments, **variables: run_kg(tmp_path, *arguments, **variables)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the demo corpus built; read only."""
    home = tmp_path_factory.mktemp("workspace")
    result = run_kg(home, "build", "demo")
    assert result.returncode == 0, result.stderr
    return home
