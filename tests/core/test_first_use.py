"""Several processes may open a workspace at once, and none waits for another without end."""

from __future__ import annotations

from pathlib import Path

import pytest
from filelock import FileLock

from kg_pipeline.cli import instance as instances
from kg_pipeline.errors import SettingsError
from kg_pipeline.settings import load_settings


def test_a_process_that_does_not_get_on_is_told_to_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DAGSTER_HOME", "KG_HOME", "KG_CORPORA"):  # what `prepare` sets goes with the test
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setattr(instances, "_FIRST_USE_SECONDS", 0.1)
    settings = load_settings({"KG_HOME": str(tmp_path)})
    instances.prepare(settings)
    with (
        FileLock(settings.dagster_home / "first-use.lock"),
        pytest.raises(SettingsError, match=r"first-use\.lock is locked"),
    ):
        instances.open_instance(settings)
