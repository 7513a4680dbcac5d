"""The manifests in deploy/ are valid and keep to what the container may do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from kg_pipeline.corpora import load_corpora

DEPLOY = Path(__file__).parents[2] / "deploy"
MANIFESTS = [
    pytest.param(manifest, id=f"{path.stem}-{manifest['kind']}")
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    for manifest in yaml.safe_load_all(path.read_text())
]


@pytest.mark.parametrize("manifest", MANIFESTS)
def test_a_manifest_is_valid(manifest: dict[str, Any]) -> None:
    kubernetes_validate.validate(manifest, "1.31", strict=True)


@pytest.mark.parametrize("manifest", MANIFESTS)
def test_a_container_is_read_only_and_has_no_rights(manifest: dict[str, Any]) -> None:
    for container in manifest.get("spec", {}).get("template", {}).get("spec", {}).get("containers", ()):
        allowed = container["securityContext"]
        assert allowed["readOnlyRootFilesystem"]
        assert not allowed["allowPrivilegeEscalation"]
        assert allowed["capabilities"]["drop"] == ["ALL"]
        assert all("value" not in variable for variable in container["env"] if "KEY" in variable["name"])


@pytest.mark.parametrize("manifest", MANIFESTS)
def test_the_corpora_of_a_manifest_can_be_read(manifest: dict[str, Any], tmp_path: Path) -> None:
    for name, content in manifest.get("data", {}).items():
        (tmp_path / name).write_text(content)
        assert len(load_corpora(tmp_path / name)) > 1
