"""The service as it runs unattended: new corpora appear and watched folders are listed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pipeline.webserver import Interface, serving, wait_for

pytestmark = pytest.mark.integration
ARTICLES = Path(__file__).parents[2] / "kg_pipeline" / "demo" / "articles"
CORPORA = ("first", "second")
SENSOR = (
    'repositoryName: "__repository__", repositoryLocationName: "kg_pipeline", sensorName: "source_folders"'
)


@pytest.fixture(scope="module")
def home(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built workspace that may be changed."""
    folder = tmp_path_factory.mktemp("service")
    shutil.copytree(built, folder, dirs_exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def interface(home: Path) -> Iterator[Interface]:
    with serving(home) as running:
        yield running


def partitions(interface: Interface) -> list[str]:
    nodes = interface.ask("{ assetNodes { opName partitionKeys } }")["assetNodes"]
    return next(node["partitionKeys"] for node in nodes if node["opName"] == "article_index")


def test_corpora_of_the_file_become_partitions_and_their_folders_are_watched(
    interface: Interface, home: Path
) -> None:
    for name, article in zip(CORPORA, sorted(ARTICLES.glob("*.xml")), strict=False):
        (home / name).mkdir()
        shutil.copy2(article, home / name / article.name)
    (home / "corpora.toml").write_text("".join(f'[{name}]\nsource = "{name}"\n' for name in CORPORA))
    wait_for(lambda: set(CORPORA) <= set(partitions(interface)), 60, "the partitions")
    started = interface.ask(f"mutation {{ startSensor(sensorSelector: {{{SENSOR}}}) {{ __typename }} }}")
    assert started["startSensor"]["__typename"] == "Sensor"

    def listed() -> set[str]:
        runs = [run for run in interface.runs() if run["tags"].get("kg/cause") == "source_folders"]
        return {run["tags"]["kg/corpus"] for run in runs if run["status"] == "SUCCESS"}

    wait_for(lambda: listed() >= set(CORPORA), 200, "the listings")
