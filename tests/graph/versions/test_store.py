"""The pointer, pins and collection of versions."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from kg_pipeline.errors import CorruptGraphError, GraphError, NoGraphError
from kg_pipeline.files import TEMPORARY_PREFIX
from kg_pipeline.graph import layout

ONE = {"P1": [("A", "binds", "B")]}
TWO = {"P1": [("A", "binds", "C")]}
THREE = {"P1": [("A", "binds", "D")]}
FOUR = {"P1": [("A", "binds", "E")]}


def test_before_the_first_build_opening_says_what_to_run(workplace):
    assert workplace.store.current("tiny") is None
    assert workplace.store.versions("tiny") == []
    with pytest.raises(NoGraphError, match="Run: kg build tiny"):
        workplace.store.open("tiny")


def test_a_reader_stays_on_its_version_when_another_is_published(workplace):
    first, second = workplace.build(ONE), workplace.build(TWO)
    workplace.store.publish("tiny", first.name)
    reader = workplace.store.open("tiny")
    workplace.store.publish("tiny", second.name)
    assert workplace.store.current("tiny") == second.name
    assert reader.manifest.version == first.name
    assert [e.name for e in reader.entities(["E:B", "E:C"])] == ["B"]
    old = workplace.store.open("tiny", first.name)
    assert old.manifest == reader.manifest
    reader.close()


def test_a_version_that_does_not_exist_cannot_be_published_or_opened(workplace):
    workplace.build(ONE)
    for act in (workplace.store.publish, workplace.store.open):
        with pytest.raises(NoGraphError, match="v000000000000"):
            act("tiny", "v000000000000")
    for text in ("../other", "v12", ""):
        with pytest.raises(GraphError, match="not a graph version"):
            workplace.store.folder("tiny", text)
    assert workplace.store.current("tiny") is None


def test_only_a_version_that_was_proposed_is_published_by_proposal(workplace):
    with pytest.raises(NoGraphError, match=r"nothing to publish. Run: kg build tiny"):
        workplace.store.publish_proposed("tiny")
    first, second = workplace.build(ONE), workplace.build(TWO)
    workplace.store.propose("tiny", first.name)
    assert workplace.store.publish_proposed("tiny") == workplace.store.current("tiny") == first.name
    workplace.store.propose("tiny", second.name)
    assert workplace.store.gc("tiny", keep=0) == [], "what is to be published next stays"
    manifest = layout.read_manifest(workplace.build(THREE))
    assert workplace.store.parent_folder(manifest) == first
    assert workplace.store.parent_folder(layout.read_manifest(second)) is None


def test_collection_keeps_current_pinned_and_newest(workplace):
    folders = []
    for age, articles in enumerate((ONE, TWO, THREE, FOUR)):
        folder = workplace.build(articles)
        os.utime(folder / layout.MANIFEST, (1000 + age, 1000 + age))
        folders.append(folder.name)
    workplace.store.publish("tiny", folders[0])
    workplace.store.pin("tiny", folders[1])
    listed = workplace.store.versions("tiny")
    assert [v.version for v in listed] == folders
    assert [(v.is_current, v.is_pinned) for v in listed[:3]] == [(True, False), (False, True), (False, False)]
    assert workplace.store.gc("tiny", keep=1) == [folders[2]]
    workplace.store.unpin("tiny", folders[1])
    assert workplace.store.gc("tiny", keep=0) == sorted([folders[1], folders[3]])
    assert [v.version for v in workplace.store.versions("tiny")] == folders[:1]
    with pytest.raises(GraphError, match="is current"):
        workplace.store.discard("tiny", folders[0])


def test_an_open_reader_survives_the_collection_of_its_version(workplace):
    first, second = workplace.build(ONE), workplace.build(TWO)
    reader = workplace.store.open("tiny", first.name)
    assert reader.neighbours(["E:A"])
    workplace.store.publish("tiny", second.name)
    assert workplace.store.gc("tiny", keep=0) == [first.name]
    assert len(reader.neighbours(["E:A"])) == 1
    assert reader.entities(["E:B"])[0].name == "B"


def test_what_dead_processes_left_is_swept_and_what_living_ones_write_is_not(workplace):
    workplace.build(ONE)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    root = workplace.store.root / "tiny"
    dead, alive = (root / f"{TEMPORARY_PREFIX}{pid}-abcd-v0" for pid in (ended.pid, os.getpid()))
    for folder in (dead, alive):
        (folder / "tables").mkdir(parents=True)
    workplace.store.sweep("tiny")
    assert dead.exists(), "it was written to a moment ago"
    workplace.store.sweep("tiny", grace_seconds=0)
    assert not dead.exists()
    assert alive.exists()


def test_a_manifest_that_cannot_be_read_is_reported_with_its_path(workplace):
    folder = workplace.build(ONE)
    (folder / layout.MANIFEST).write_text("{")
    with pytest.raises(CorruptGraphError, match=r"manifest\.json.*kg build tiny"):
        workplace.store.open("tiny", folder.name)


def test_many_threads_share_one_reader(versions):
    names = [f"E:gene{number:02d}" for number in range(40)]
    vector = versions.embedder.embed(["gene03 binds gene11"])[0]

    def ask(reader, name):
        return (
            reader.expand([name], depth=2),
            reader.paths(name, "E:gene01"),
            reader.nearest("chunk", vector, 3),
            reader.search_text("chunk", name[2:], 5),
            reader.evidence(reader.neighbours([name])),
        )

    alone, shared = versions.store.open("random-net"), versions.store.open("random-net")
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda name: ask(shared, name), names * 3))
    assert together == [ask(alone, name) for name in names] * 3


@pytest.mark.parametrize("content", [b"nonsense\n", b"\xff\xfe", b"../../etc\n"])
def test_a_pointer_that_names_no_version_is_told_with_its_path(workplace, content):
    folder = workplace.build(ONE)
    pointer = workplace.store.root / "tiny" / layout.CURRENT
    pointer.write_bytes(content)
    for act in (workplace.store.open, workplace.store.versions, workplace.store.gc):
        with pytest.raises(CorruptGraphError, match=r"tiny/CURRENT .*Delete it, then run: kg build tiny"):
            act("tiny")
    pointer.write_text("v000000000000\n")
    with pytest.raises(NoGraphError, match=r"no version v000000000000 .*kg versions tiny"):
        workplace.store.open("tiny")
    assert [info.version for info in workplace.store.versions("tiny")] == [folder.name]


def test_a_reader_that_was_asked_nothing_yet_survives_the_collection_of_its_version(workplace):
    first, second = workplace.build(ONE), workplace.build(TWO)
    reader = workplace.store.open("tiny", first.name)
    workplace.store.publish("tiny", second.name)
    assert workplace.store.gc("tiny", keep=0) == [first.name]
    (relation,) = reader.relations(reader.neighbours(["E:A"]))
    assert [e.quote for e in reader.evidence([relation.relation_id])] == ["A binds B."]
    assert [hit.id for hit in reader.search_text("chunk", "binds", 1)] == ["P1:c0"]
    assert reader.nearest("entity", workplace.embedder.embed(["B"])[0], 1)[0].id == "E:B"
    reader.close()


def test_a_version_that_is_collected_while_it_is_opened_leads_to_the_current_one(workplace, monkeypatch):
    first, second = workplace.build(ONE), workplace.build(TWO)
    workplace.store.publish("tiny", first.name)
    read = layout.read_manifest

    def collected_just_before(folder):
        if folder == first:
            monkeypatch.setattr(layout, "read_manifest", read)
            workplace.store.publish("tiny", second.name)
            workplace.store.gc("tiny", keep=0)
        return read(folder)

    monkeypatch.setattr(layout, "read_manifest", collected_just_before)
    reader = workplace.store.open("tiny")
    assert reader.manifest.version == second.name
    reader.close()


def test_a_folder_of_versions_may_be_a_link(workplace, tmp_path_factory):
    workplace.settings.graphs.symlink_to(tmp_path_factory.mktemp("elsewhere"))
    folder = workplace.build(ONE)
    workplace.store.publish("tiny", folder.name)
    reader = workplace.store.open("tiny")
    assert reader.neighbours(["E:A"])
    reader.close()
    assert workplace.store.gc("tiny", keep=0) == []
