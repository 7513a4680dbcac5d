"""Versions beside each other in a real Neo4j: interrupted, sharing nodes, removed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kg_pipeline.errors import GraphError, NoGraphError
from kg_pipeline.graph import layout
from kg_pipeline.graph.neo4j import drop_version, load, load_version, loaded_versions, open_reader
from kg_pipeline.graph.neo4j.client import VersionLabels
from tests.graph.neo4j.calls import ARTICLES, ask, build

pytestmark = pytest.mark.integration


def test_an_interrupted_load_is_invisible_and_the_next_one_finishes(workplace, neo4j_server):
    first = build(workplace, "killed", {"P1": [("A", "binds", "B")]})
    load_version(neo4j_server, first)
    second = build(workplace, "killed")
    program = (
        "import os, sys; from pathlib import Path; from kg_pipeline.settings import load_settings; "
        "from kg_pipeline.graph.neo4j import load_version; "
        "load_version(load_settings().neo4j, Path(sys.argv[1]), "
        "progress=lambda what, count: os.kill(os.getpid(), 9) if what == 'relations' else None)"
    )
    environment = {
        "KG_NEO4J_URI": neo4j_server.uri,
        "KG_NEO4J_PASSWORD": neo4j_server.password.get_secret_value(),
    }
    killed = subprocess.run([sys.executable, "-c", program, str(second)], env=environment, check=False)
    assert killed.returncode == -9
    assert loaded_versions(neo4j_server, "killed") == dict(
        sorted({first.name: "current", second.name: "loading"}.items())
    )
    reader = open_reader(neo4j_server, "killed")
    assert reader.manifest.version == first.name
    reader.close()
    with pytest.raises(NoGraphError, match="holds no version"):
        open_reader(neo4j_server, "killed", second.name)
    assert load_version(neo4j_server, second)["relations"] == 2
    reader = open_reader(neo4j_server, "killed")
    assert (reader.manifest.version, len(reader.neighbours(["E:B"]))) == (second.name, 2)
    reader.close()


def test_dropping_a_version_leaves_nothing_and_spares_the_current_one(workplace, neo4j_server):
    first = build(workplace, "drop", {"P1": [("A", "binds", "B")]})
    second = build(workplace, "drop")
    load_version(neo4j_server, first)
    load_version(neo4j_server, second)
    with pytest.raises(GraphError, match="is current"):
        drop_version(neo4j_server, "drop", second.name)
    drop_version(neo4j_server, "drop", first.name)
    drop_version(neo4j_server, "drop", first.name)
    assert loaded_versions(neo4j_server, "drop") == {second.name: "current"}
    suffix = f"__drop__{first.name}"
    count = (
        "MATCH (n) UNWIND labels(n) AS label WITH label WHERE label ENDS WITH $suffix RETURN count(*) AS n"
    )
    left = ask(neo4j_server, count, suffix=suffix)
    assert left == [{"n": 0}]
    names = [row["name"] for row in ask(neo4j_server, "SHOW INDEXES YIELD name RETURN name")]
    assert not [name for name in names if name.endswith(suffix)]
    assert [name for name in names if name.endswith(f"__drop__{second.name}")]


def test_an_error_while_two_kinds_are_written_ends_the_load_and_the_next_one_finishes(
    workplace, neo4j_server, monkeypatch
):
    folder = build(workplace, "torn")
    with monkeypatch.context() as patch:

        def broken(self, size):
            raise GraphError("evidence cannot be read")
            yield

        patch.setattr(load.VersionRows, "evidence", broken)
        with pytest.raises(GraphError, match="evidence cannot be read"):
            load_version(neo4j_server, folder)
    assert loaded_versions(neo4j_server, "torn") == {folder.name: "loading"}
    assert load_version(neo4j_server, folder)["evidence"] == 3


def answers(reader, names, chunks, vector):
    """Everything that touches nodes which versions may share."""
    relations = reader.neighbours(names, per_node=100)
    return (
        reader.entities(names),
        reader.relations(relations),
        reader.evidence(relations),
        reader.chunks(chunks),
        reader.documents([chunk.split(":")[0] for chunk in chunks]),
        reader.entities_of(chunks),
        reader.chunks_of(names, per_entity=50),
        reader.nearest("chunk", vector, 5),
        reader.similarities("chunk", chunks, vector),
        reader.expand(names[:1], depth=2),
    )


@pytest.fixture
def evolve(workplace, random_articles):
    """Make a version and its successor: one article is new, one is gone, one says something else, and 28 stay."""

    def make(corpus):
        workplace.write(random_articles, corpus=corpus)
        first = workplace.folder(workplace.assemble(corpus))
        workplace.store.publish(corpus, first.name)
        later = {**random_articles, "PMC000": [("gene00", "binds", "newcomer")], "PMC500": ARTICLES["P1"]}
        del later["PMC015"]
        workplace.write(later, corpus=corpus)
        second = workplace.folder(workplace.assemble(corpus))
        assert layout.read_manifest(second).parent == first.name
        return first, second

    return make


def test_only_the_difference_to_the_parent_is_written_and_both_answer_like_their_directories(
    workplace, neo4j_server, evolve
):
    first, second = evolve("evolution")
    written = {}

    def count(what, rows):
        written[what] = written.get(what, 0) + rows

    load_version(neo4j_server, first)
    load_version(neo4j_server, second, progress=count)
    assert written["Chunk vectors"] < 5, "the chunks that stayed keep their vectors"
    labels = [VersionLabels("evolution", folder.name).of("Chunk") for folder in (first, second)]
    (shared,) = ask(neo4j_server, f"MATCH (c:{labels[0]}:{labels[1]}) RETURN count(c) AS n")
    assert shared["n"] > 200
    names = [f"E:gene{number:02d}" for number in range(40)] + ["E:newcomer", "E:A"]
    chunks = [f"PMC{number:03d}:c{n}" for number in (0, 1, 7, 15, 29, 500) for n in range(9)]
    vector = workplace.embedder.embed(["gene03 binds gene11"])[0]
    for folder in (first, second):
        here, there = (
            workplace.store.open("evolution", folder.name),
            open_reader(neo4j_server, "evolution", folder.name),
        )
        assert answers(there, names, chunks, vector) == answers(here, names, chunks, vector)
        here.close()
        there.close()
    drop_version(neo4j_server, "evolution", first.name)
    assert ask(neo4j_server, f"MATCH (c:{labels[0]}) RETURN count(c) AS n") == [{"n": 0}]
    here, there = workplace.store.open("evolution", second.name), open_reader(neo4j_server, "evolution")
    assert answers(there, names, chunks, vector) == answers(here, names, chunks, vector)
    assert loaded_versions(neo4j_server, "evolution") == {second.name: "current"}
    here.close()
    there.close()


def test_an_interrupted_load_of_a_difference_leaves_the_parent_whole(
    workplace, neo4j_server, evolve, monkeypatch
):
    first, second = evolve("broken-off")
    counts = load_version(neo4j_server, first)
    with monkeypatch.context() as patch:
        patch.setattr(load, "index_version", lambda *args: (_ for _ in ()).throw(GraphError("no index")))
        with pytest.raises(GraphError, match="no index"):
            load_version(neo4j_server, second)
    drop_version(neo4j_server, "broken-off", second.name)
    assert load_version(neo4j_server, first) == counts
    load_version(neo4j_server, second)
    assert loaded_versions(neo4j_server, "broken-off")[second.name] == "current"
    assert load_version(neo4j_server, first) == counts


def test_a_parent_that_lost_nodes_is_no_base(workplace, neo4j_server, evolve):
    first, second = evolve("damaged")
    load_version(neo4j_server, first)
    label = VersionLabels("damaged", first.name).of("Chunk")
    ask(neo4j_server, f"MATCH (c:{label} {{chunk_id: 'PMC007:c0'}}) DETACH DELETE c")
    written = []
    counts = load_version(neo4j_server, second, progress=lambda what, rows: written.append((what, rows)))
    expected = layout.read_manifest(second).counts
    assert {name: counts[name] for name in ("chunks", "evidence", "relations")} == {
        name: expected[name] for name in ("chunks", "evidence", "relations")
    }
    assert sum(rows for what, rows in written if what == "Chunk vectors") == expected["chunks"]


def test_collection_removes_old_versions_from_the_server_too(workplace, neo4j_server, kg, monkeypatch):
    monkeypatch.setenv("KG_NEO4J_URI", neo4j_server.uri)
    monkeypatch.setenv("KG_NEO4J_PASSWORD", neo4j_server.password.get_secret_value())
    folders = [workplace.build({"P1": [("A", "binds", other)]}) for other in ("B", "C")]
    for folder in folders:
        workplace.store.publish("tiny", folder.name)
        load_version(neo4j_server, folder)
    assert f"Removed from Neo4j: {folders[0].name}." in kg("gc", "tiny", "--keep", "0")
    assert loaded_versions(neo4j_server, "tiny") == {folders[1].name: "current"}
    assert "Neo4j" not in kg("gc", "tiny", "--keep", "0")
