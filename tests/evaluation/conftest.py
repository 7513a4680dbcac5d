from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from kg_pipeline.graph.exchange.importing import import_graph
from kg_pipeline.graph.reader import GraphReader
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.settings import Settings, load_settings
from retrieval.evaluation.biomedhop.build import BuildSettings, Built, build_items
from tests.evaluation.small_graph import write_graph


@dataclass(frozen=True)
class Small:
    settings: Settings
    folder: Path
    reader: GraphReader


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    """The small graph as the published version of the corpus `small`."""
    home = tmp_path_factory.mktemp("small")
    settings = load_settings({"KG_HOME": str(home)})
    version = import_graph("small", write_graph(home), settings, embed="none").manifest.version
    store = VersionStore(settings.graphs)
    store.publish("small", version)
    reader = store.open("small")
    yield Small(settings, store.folder("small", version), reader)
    reader.close()


@pytest.fixture(scope="session")
def built(small: Small) -> Built:
    return build_items(small.folder, small.reader, None, BuildSettings(items=80, least_tries=300))
