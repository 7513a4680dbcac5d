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
