"""Workspaces for tests of the whole pipeline."""

from __future__ import annotations

import shutil
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


@pytest.fixture
def warm(tmp_path: Path, built: Path) -> Path:
    """An empty workspace with what any build may reuse: the vocabulary index and vectors."""
    shutil.copytree(built / "cache", tmp_path / "cache")
    return tmp_path
