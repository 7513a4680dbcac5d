"""Fixtures shared by the whole suite."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of real articles and gold data; tests that need it are skipped, with the reason, where it is absent."""
    default = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("KG_SHARED", default))
    if not (folder / "data").is_dir():
        pytest.skip(f"needs the shared test data: {folder} is absent (set KG_SHARED)")
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep tests that share something costly in one process, where several run them: a built workspace, a server."""
    for item in items:
        names = getattr(item, "fixturenames", ())
        if any(name.startswith("neo4j_") for name in names) or "open_graph" in names:
            item.add_marker(pytest.mark.xdist_group("neo4j"))
        elif "pipeline" in item.path.parts:
            item.add_marker(pytest.mark.xdist_group("pipeline"))
        else:
            item.add_marker(pytest.mark.xdist_group(str(item.path)))
