"""A real Neo4j that is killed while it is written and while it is asked: one sentence, and nothing is lost."""

from __future__ import annotations

import os
import signal

import pytest

from kg_pipeline.errors import StoreUnavailable
from kg_pipeline.graph.neo4j import client, load_version, loaded_versions, local_server, open_reader, ping
from tests.graph.neo4j.calls import ARTICLES, build

pytestmark = pytest.mark.integration


@pytest.mark.timeout(300)
def test_a_server_that_is_killed_is_told_in_one_sentence_and_loses_nothing(workplace, tmp_path, monkeypatch):
    if missing := local_server.missing_programs():
        pytest.skip(f"a local Neo4j needs {' and '.join(missing)}")
    monkeypatch.setattr(client, "_RETRY_SECONDS", 1.0)
    first, second = build(workplace, "mortal", {"P1": ARTICLES["P1"]}), build(workplace, "mortal")
    server = local_server.start(tmp_path / "neo4j", password="long-enough", heap_megabytes=512)

    def kill():
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait()

    told = r"Neo4j at bolt://127\.0\.0\.1:\d+ cannot be reached .*KG_NEO4J_URI\.$"
    try:
        load_version(server.settings, first)
        with pytest.raises(StoreUnavailable, match=r"cannot be reached"):
            ping(server.settings.model_copy(update={"uri": server.settings.uri.replace("bolt", "bolt+s")}))
        with pytest.raises(StoreUnavailable, match=told) as while_loading:
            load_version(
                server.settings, second, progress=lambda what, rows: kill() if what == "Entity" else None
            )
        assert "\n" not in str(while_loading.value)
        server = local_server.start(tmp_path / "neo4j", password="long-enough", heap_megabytes=512)
        assert loaded_versions(server.settings, "mortal") == {first.name: "current", second.name: "loading"}
        assert load_version(server.settings, second)["relations"] == 2
        reader = open_reader(server.settings, "mortal")
        assert reader.manifest.version == second.name
        kill()
        with pytest.raises(StoreUnavailable, match=told) as while_asked:
            reader.neighbours(["E:A"])
        assert "\n" not in str(while_asked.value)
        reader.close()
    finally:
        server.stop()
