"""Work that another machine handed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.errors import StageError
from kg_pipeline.incremental import StageReport
from kg_pipeline.settings import Settings, load_settings
from kg_pipeline.stages import release, run_here


def stage(spec: CorpusSpec, settings: Settings, shard: str) -> StageReport:
    return StageReport(str(settings.home), spec.name, shard, 0, 0, 0, 0, 0, 0, 0.0)


def test_it_runs_in_the_home_of_the_machine_that_does_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KG_HOME", str(tmp_path))
    theirs = load_settings({"KG_HOME": "/elsewhere", "KG_STORE": "s3://bucket/kg"})
    report = run_here(stage, CorpusSpec(name="c", source="."), theirs, "07", of=release())
    assert (report.stage, report.shard) == (str(tmp_path), "07")


def test_another_release_is_refused() -> None:
    settings = load_settings({"KG_HOME": "/here"})
    with pytest.raises(StageError, match="another release"):
        run_here(stage, CorpusSpec(name="c", source="."), settings, "07", of="that of last year")
