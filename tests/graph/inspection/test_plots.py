"""The picture of a version."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from kg_pipeline.errors import GraphError
from kg_pipeline.graph import layout
from kg_pipeline.graph.inspection.plots import plot_version
from tests.graph.conftest import Workplace


def test_the_picture_shows_the_version_and_what_came_before(versions: Workplace) -> None:
    from matplotlib.image import imread

    folder = versions.store.folder("random-net", versions.store.resolve("random-net"))
    manifest = layout.read_manifest(folder)
    picture = imread(io.BytesIO(plot_version(folder, [manifest])))
    assert picture.shape[:2] == (512, 1040)
    grown = manifest.model_copy(update={"version": "v000000000001", "relations_by_kind": {"asserted": 1}})
    assert plot_version(folder, [grown, manifest]) != plot_version(folder, [manifest])
    assert plot_version(folder, [manifest]) == plot_version(folder, [manifest])
    timed = imread(io.BytesIO(plot_version(folder, [manifest], {"chunks": 2.5, "mentions": 11.0})))
    assert timed.shape[:2] == (768, 1040)


def test_a_folder_without_a_version_cannot_be_drawn(tmp_path: Path, versions: Workplace) -> None:
    manifest = layout.read_manifest(versions.store.folder("cytokines", versions.store.resolve("cytokines")))
    with pytest.raises(GraphError):
        plot_version(tmp_path, [manifest])
