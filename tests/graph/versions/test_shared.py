"""Versions that one machine publishes in an object store and another one, which has nothing but its address, opens."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kg_pipeline.cli import app
from kg_pipeline.errors import CorruptGraphError, GraphError, NoGraphError
from kg_pipeline.graph import layout
from kg_pipeline.graph.versions.shared import SharedVersions
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.object_store import ObjectStore, open_store
from kg_pipeline.settings import Settings, load_settings

FIRST = {"PMC1": [("TNF", "increases", "IL6")]}
SECOND = {"PMC1": [("TNF", "increases", "IL6")], "PMC2": [("IL6", "binds", "CRP")]}


@pytest.fixture
def store(tmp_path: Path) -> ObjectStore:
    opened = open_store((tmp_path / "store").as_uri())
    assert opened is not None
    return opened


def machine(folder: Path, store: ObjectStore) -> VersionStore:
    return VersionStore.of(load_settings({"KG_HOME": str(folder), "KG_STORE": store.address}))


@pytest.fixture
def here(tmp_path: Path, store: ObjectStore) -> VersionStore:
    return machine(tmp_path / "here", store)


@pytest.fixture
def there(tmp_path: Path, store: ObjectStore) -> VersionStore:
    return machine(tmp_path / "there", store)


@pytest.fixture
def publish(workplace, here: VersionStore):
    """Make a version and publish it from one of the machines; its id."""

    def published(articles, versions: VersionStore = here) -> str:
        built = workplace.build(articles)
        copy = versions.folder("tiny", built.name)
        shutil.copytree(built, copy, dirs_exist_ok=True)
        versions.propose("tiny", built.name)
        return versions.publish_proposed("tiny")

    return published


def key(version: str, *name: str) -> str:
    return "/".join(("graphs", "tiny", version, *name))


def test_another_machine_finds_lists_and_opens_what_was_published(publish, here, there) -> None:
    assert (there.current("tiny"), there.knows("tiny"), there.versions("tiny")) == (None, False, [])
    first, second = publish(FIRST), publish(SECOND)
    assert there.knows("tiny")
    assert there.current("tiny") == second
    assert {info.version: info.is_current for info in there.versions("tiny")} == {first: False, second: True}
    assert not there.root.exists()  # listing fetches nothing
    with closing(there.open("tiny")) as reader, closing(there.open("tiny", first)) as earlier:
        assert (reader.manifest.version, earlier.manifest.version) == (second, first)
    for name, path in layout.version_files(here.folder("tiny", second)):
        assert (there.folder("tiny", second) / name).read_bytes() == path.read_bytes()


def test_what_another_machine_proposed_is_published_and_what_was_fetched_is_not_fetched_again(
    publish, here, there, store, monkeypatch
) -> None:
    version = publish(FIRST)
    assert there.publish_proposed("tiny") == version
    store.delete(key(version, layout.MANIFEST))  # the copy does without it
    there.open("tiny").close()
    with pytest.raises(NoGraphError, match=f"has no version {version}"):
        machine(there.root.parent / "third", store).open("tiny")


def test_a_version_that_was_sent_by_half_is_none_and_is_sent_again(publish, here, there, store) -> None:
    version = publish(FIRST)
    store.delete(key(version, layout.MANIFEST))
    assert there.versions("tiny") == []
    here.propose("tiny", version)
    assert [info.version for info in there.versions("tiny")] == [version]


@pytest.mark.parametrize("damage", ["changed", "missing", "other", "outside", "nonsense"])
def test_a_damaged_version_is_told_and_leaves_nothing(publish, there, store, damage: str) -> None:
    version = publish(FIRST)
    named, manifest = key(version, "tables", "relations.arrow"), key(version, layout.MANIFEST)
    told = json.loads(store.read(manifest))
    if damage == "changed":
        store.write(named, store.read(named)[:-1] + b"!")
    elif damage == "missing":
        store.delete(named)
    elif damage == "other":
        store.write(manifest, json.dumps({**told, "version": "v000000000000"}).encode())
    elif damage == "outside":
        files = {**told["files"], "../../../escaped": "0"}
        store.write(manifest, json.dumps({**told, "files": files}).encode())
    else:
        store.write(manifest, b"{")
    with pytest.raises(
        CorruptGraphError, match=rf"Delete file://.*{version}/manifest.json, then run: kg build tiny"
    ):
        there.open("tiny")
    assert [path for path in there.root.rglob("*") if path.is_file()] == []
    assert not list(there.root.parents[2].rglob("escaped"))


def test_a_copy_that_lost_its_manifest_is_fetched_again(publish, there) -> None:
    version = publish(FIRST)
    there.open("tiny").close()
    (there.folder("tiny", version) / layout.MANIFEST).unlink()
    for _ in range(2):
        with closing(there.open("tiny")) as reader:
            assert reader.manifest.version == version
    assert [path.name for path in there.folder("tiny", version).parent.iterdir() if path.is_dir()] == [
        version
    ]


def test_a_pointer_that_names_no_version_is_told_with_its_address(publish, there, store) -> None:
    publish(FIRST)
    store.write("graphs/tiny/CURRENT", b"../../elsewhere\n")
    with pytest.raises(CorruptGraphError, match=r"store/graphs/tiny/CURRENT names no graph version"):
        there.open("tiny")


def test_collecting_removes_from_the_store_and_spares_pins_of_any_machine(
    publish, here, there, store
) -> None:
    versions = [publish(FIRST), publish(SECOND), publish({"PMC3": [("IL6", "binds", "CRP")]})]
    there.pin("tiny", versions[0])
    assert here.gc("tiny", keep=0) == [versions[1]]
    assert [name for name in store.walk("graphs/tiny") if versions[1] in name] == []
    assert {info.version: info.is_pinned for info in there.versions("tiny")} == {
        versions[0]: True,
        versions[2]: False,
    }
    there.unpin("tiny", versions[0])
    assert there.gc("tiny", keep=0) == [versions[0]]
    with pytest.raises(NoGraphError):
        there.resolve("tiny", versions[1])
    with pytest.raises(GraphError):
        there.unpin("tiny", "../CURRENT")


def test_a_version_replaced_and_collected_while_it_is_looked_up_gives_way_to_the_new_one(
    publish, here, there, monkeypatch
) -> None:
    publish(FIRST)
    fetch = SharedVersions.fetch

    def overtaken(shared: SharedVersions, folder: Path) -> bool:
        monkeypatch.setattr(SharedVersions, "fetch", fetch)
        publish(SECOND)
        here.gc("tiny", keep=0)
        return shared.fetch(folder)

    monkeypatch.setattr(SharedVersions, "fetch", overtaken)
    with closing(there.open("tiny")) as reader:
        assert reader.manifest.version == here.current("tiny")


def test_the_version_before_is_fetched_to_compare_with(publish, there) -> None:
    first = publish(FIRST)
    second = publish(SECOND)
    manifest = next(info.manifest for info in there.versions("tiny") if info.version == second)
    folder = there.parent_folder(manifest.model_copy(update={"parent": first}))
    assert folder is not None
    assert layout.read_manifest(folder).version == first
    assert there.parent_folder(manifest.model_copy(update={"parent": "v000000000000"})) is None


def test_corpora_are_listed_on_a_machine_whose_file_does_not_know_them(
    publish, there: VersionStore, tmp_path: Path, store: ObjectStore
) -> None:
    version = publish(FIRST)
    environment = {"KG_HOME": str(tmp_path / "there"), "KG_STORE": store.address, "COLUMNS": "200"}
    for command, told in (("corpora", "not in the corpora file"), ("versions tiny", "current")):
        result = CliRunner(env=environment).invoke(app.app, command.split())
        assert result.exit_code == 0, result.exception
        assert "tiny" in result.output or command != "corpora"
        assert version in result.output
        assert told in result.output


def test_own_versions_and_those_of_a_store_lie_apart(tmp_path: Path, publish, here, store) -> None:
    publish(FIRST)
    own = Settings.model_validate(load_settings({"KG_HOME": str(tmp_path / "here")}))
    assert VersionStore.of(own).current("tiny") is None
    assert here.root != own.graphs
