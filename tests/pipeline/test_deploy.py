"""The manifests in deploy/ are valid and keep to what the container may do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import dagster
import kubernetes_validate
import pytest
import yaml

from kg_pipeline import instance
from kg_pipeline.corpora import load_corpora
from kg_pipeline.settings import load_settings

DEPLOY = Path(__file__).parents[2] / "deploy"
MANIFESTS = [
    pytest.param(manifest, id=f"{path.stem}-{manifest['kind']}-{manifest['metadata']['name']}")
    for path in sorted([*(DEPLOY / "kubernetes").glob("*.yaml"), DEPLOY / "helm" / "workspace.yaml"])
    for manifest in yaml.safe_load_all(path.read_text())
]
#: Variables of our own that a container is given.
SETTINGS = "KG_"


def values(chart: str) -> dict[str, Any]:
    """Values for somebody else's chart."""
    return dict(yaml.safe_load((DEPLOY / "helm" / f"{chart}.yaml").read_text()))


def code_location() -> dict[str, Any]:
    (deployment,) = values("dagster")["dagster-user-deployments"]["deployments"]
    return dict(deployment)


def rendered() -> dict[str, Any]:
    """The deployment that Dagster's chart makes of our code location, as far as the values decide about it."""
    location = code_location()
    image = location["image"]
    labels = location["labels"]
    container = {
        "name": location["name"],
        "image": f"{image['repository']}:{image['tag']}",
        "imagePullPolicy": image["pullPolicy"],
        "args": ["dagster", "api", "grpc", *location["dagsterApiGrpcArgs"]],
        "ports": [{"containerPort": location["port"]}],
        "env": location["env"],
        "envFrom": [{"secretRef": secret} for secret in location["envSecrets"]],
        **{name: location[name] for name in ("securityContext", "resources", "volumeMounts")},
    }
    pod = {
        "securityContext": location["podSecurityContext"],
        "containers": [container],
        "volumes": location["volumes"],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": location["name"], "labels": labels},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    }


def launched() -> dict[str, Any]:
    """The job that Dagster's run launcher makes of a run: like the code location, but for the security contexts."""
    location = rendered()
    pod = location["spec"]["template"]
    of_runs = values("dagster")["runLauncher"]["config"]["k8sRunLauncher"]["runK8sConfig"]
    (container,) = pod["spec"].pop("containers")
    for inherited in (pod["spec"], container):
        del inherited["securityContext"]
    pod["spec"] |= {"restartPolicy": "Never", **of_runs["podSpecConfig"]}
    pod["spec"]["containers"] = [container | of_runs["containerConfig"]]
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "a-run"},
        "spec": {"template": pod},
    }


ALL = [
    *MANIFESTS,
    pytest.param(rendered(), id="helm-dagster"),
    pytest.param(launched(), id="helm-dagster-run"),
]


def containers(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    return list(manifest.get("spec", {}).get("template", {}).get("spec", {}).get("containers", ()))


@pytest.mark.parametrize("manifest", ALL)
def test_a_manifest_is_valid(manifest: dict[str, Any]) -> None:
    kubernetes_validate.validate(manifest, "1.31", strict=True)


@pytest.mark.parametrize("manifest", ALL)
def test_a_container_is_read_only_and_has_no_rights(manifest: dict[str, Any]) -> None:
    for container in containers(manifest):
        allowed = container["securityContext"]
        assert allowed["readOnlyRootFilesystem"]
        assert not allowed["allowPrivilegeEscalation"]
        assert allowed["capabilities"]["drop"] == ["ALL"]
        assert manifest["spec"]["template"]["spec"]["securityContext"]["runAsNonRoot"]
        secret = [v for v in container["env"] if "KEY" in v["name"] or "PASSWORD" in v["name"]]
        assert all("value" not in variable for variable in secret)


@pytest.mark.parametrize("manifest", ALL)
def test_a_container_is_given_settings_that_there_are_and_mounts_what_they_name(
    manifest: dict[str, Any],
) -> None:
    for container in containers(manifest):
        given = {v["name"]: v.get("value", "x") for v in container["env"] if v["name"].startswith(SETTINGS)}
        settings = load_settings(given)
        mounted = [mount["mountPath"] for mount in container["volumeMounts"]]
        if given:
            assert str(settings.home) in mounted
            assert "/tmp" in mounted


@pytest.mark.parametrize("manifest", ALL)
def test_the_corpora_of_a_manifest_can_be_read(manifest: dict[str, Any], tmp_path: Path) -> None:
    for name, content in manifest.get("data", {}).items():
        (tmp_path / name).write_text(content)
        assert len(load_corpora(tmp_path / name)) > 1


def test_what_one_manifest_calls_another_is_called_by_that_name() -> None:
    services = {
        f"{manifest['metadata']['name']}:{port['port']}"
        for manifest in (parameter.values[0] for parameter in MANIFESTS)
        if manifest["kind"] == "Service"
        for port in manifest["spec"]["ports"]
    }
    services.add(f"{values('neo4j')['neo4j']['name']}:7687")
    given = {v["name"]: v.get("value", "") for v in code_location()["env"]}
    called = [given[name].partition("://")[2] for name in ("KG_SCHEDULER", "KG_NEO4J_URI")]
    assert set(called) <= services
    (workers,) = (p.values[0] for p in MANIFESTS if p.values[0]["metadata"]["name"] == "kg-worker")
    (container,) = containers(workers)
    assert given["KG_SCHEDULER"] in container["args"]
    assert {v["name"]: v.get("value") for v in container["env"]}["KG_STORE"] == given["KG_STORE"]


def test_the_chart_runs_dagster_as_the_terminal_does() -> None:
    ours = yaml.safe_load((Path(instance.__file__).parent / "dagster.yaml").read_text())
    chart = values("dagster")
    assert chart["additionalInstanceConfig"]["concurrency"] == ours["concurrency"]
    assert chart["telemetry"]["enabled"] == ours["telemetry"]["enabled"]
    logs = {"python_log_level": "pythonLogLevel", "managed_python_loggers": "managedPythonLoggers"}
    assert {name: chart["pythonLogs"][logs[name]] for name in logs} == ours["python_logs"]
    daemon = {
        name: {re.sub("[A-Z]", lambda m: f"_{m[0].lower()}", key): value for key, value in part.items()}
        for name, part in chart["dagsterDaemon"].items()
    }
    assert daemon["runRetries"] == ours["run_retries"]
    assert daemon["runMonitoring"].items() <= ours["run_monitoring"].items()
    assert f"--version {dagster.__version__}" in (DEPLOY / "helm" / "dagster.yaml").read_text()
