"""One run over several shards of which one fails: none of them is shown as made, and the failure says why."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest

from assets import literature
from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.definitions import defs
from kg_pipeline.errors import StageError
from kg_pipeline.incremental import StageReport
from kg_pipeline.settings import Settings


def test_a_shard_that_fails_is_not_shown_as_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KG_HOME", str(tmp_path))
    tried = []

    def parse(spec: CorpusSpec, settings: Settings, shard: str) -> StageReport:
        tried.append(shard)
        if shard == "01":
            raise StageError("Shard 01 cannot be read. Mend its disk.")
        return StageReport("documents", spec.name, shard, 0, 0, 0, 0, 0, 0, 0.0)

    monkeypatch.setattr(literature, "parse_shard", parse)
    key = dg.AssetKey("documents")
    with dg.DagsterInstance.ephemeral() as instance:
        result = dg.materialize(
            [asset for asset in defs.assets or () if isinstance(asset, dg.AssetsDefinition)],
            selection=[key],
            instance=instance,
            resources=dict(defs.resources or {}),
            tags={
                "dagster/asset_partition_range_start": "demo|00",
                "dagster/asset_partition_range_end": "demo|02",
            },
            raise_on_error=False,
        )
        assert not result.success
        assert instance.get_materialized_partitions(key) == set()
    (failure,) = [event.step_failure_data for event in result.all_events if event.is_step_failure]
    assert failure.user_failure_data.description == "Shard 01 cannot be read. Mend its disk."
    assert tried == ["00", "01"]
