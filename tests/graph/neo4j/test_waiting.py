"""Who waits for whom in a real Neo4j, and for how long."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import pytest

from kg_pipeline.errors import GraphError, StoreUnavailable
from kg_pipeline.graph.neo4j import bounds, constraints, drop_version, load_version, loaded_versions, lock
from kg_pipeline.graph.neo4j.client import VersionLabels, connected
from kg_pipeline.graph.neo4j.schema import constrain_version, drop_version_schema
from tests.graph.neo4j.calls import ARTICLES, ask, build

pytestmark = pytest.mark.integration


def test_loads_of_several_corpora_do_not_wait_for_each_other_s_indexes(workplace, neo4j_server):
    folders = [build(workplace, f"beside-{number}") for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        counts = list(pool.map(lambda folder: load_version(neo4j_server, folder), folders))
    assert [count["relations"] for count in counts] == [2] * 4


def test_an_index_that_somebody_else_broke_is_no_matter_of_the_load(workplace, neo4j_server):
    too_long_for_an_index = "x" * 40_000
    ask(neo4j_server, "CREATE (:Foreign {text: $text})", text=too_long_for_an_index)
    ask(neo4j_server, "CREATE INDEX foreign_text FOR (n:Foreign) ON (n.text)")
    try:
        assert load_version(neo4j_server, build(workplace, "neighbour"))["relations"] == 2
        (state,) = ask(
            neo4j_server, "SHOW INDEXES YIELD name, state WHERE name = 'foreign_text' RETURN state"
        )
        assert state == {"state": "FAILED"}
    finally:
        ask(neo4j_server, "DROP INDEX foreign_text IF EXISTS")
        ask(neo4j_server, "MATCH (n:Foreign) DELETE n")


def test_an_index_of_its_own_that_cannot_be_built_is_named(neo4j_server):
    labels = VersionLabels("broken", "v0123456789ab")
    entity = labels.of("Entity")
    ask(neo4j_server, f"CREATE (:{entity} {{entity_id: 'E:A', row: 0}})")
    ask(
        neo4j_server,
        f"CREATE (:{labels.of('Evidence')} {{evidence_id: 'e1', relation_id: $long}})",
        long="x" * 40_000,
    )
    with connected(neo4j_server) as driver:
        try:
            with pytest.raises(GraphError, match=r"could not build its index Evidence_relation_id__broken"):
                constrain_version(driver, "neo4j", labels, [])
        finally:
            drop_version_schema(driver, "neo4j", labels)
            ask(neo4j_server, f"MATCH (n) WHERE n:{entity} OR n:{labels.of('Evidence')} DELETE n")


@contextmanager
def left_open(settings, query):
    """A transaction that somebody began and did not end while the block runs."""
    with connected(settings) as driver, driver.session() as session, session.begin_transaction() as open_one:
        open_one.run(query).consume()
        yield


def test_a_load_that_does_not_end_holds_another_one_up_for_a_bounded_time(
    workplace, neo4j_server, monkeypatch
):
    folder = build(workplace, "held")
    load_version(neo4j_server, folder)
    held, give_back = Event(), Event()

    def hold():
        with connected(neo4j_server) as driver, lock.locked(driver, "neo4j", "held"):
            held.set()
            assert give_back.wait(60)

    with ThreadPoolExecutor(1) as pool, monkeypatch.context() as patch:
        holder = pool.submit(hold)
        try:
            assert held.wait(60)
            patch.setattr(lock, "_WAIT_SECONDS", 1)
            told = rf"waits for process {os.getpid()} on .*, which loads corpus 'held'"
            with pytest.raises(StoreUnavailable, match=told):
                load_version(neo4j_server, folder)
            with pytest.raises(StoreUnavailable, match=told):
                drop_version(neo4j_server, "held", folder.name)
        finally:
            give_back.set()
        holder.result()
    assert load_version(neo4j_server, folder)["relations"] == 2


def test_an_index_waits_for_a_transaction_that_somebody_left_open_for_a_bounded_time(
    workplace, neo4j_server, monkeypatch
):
    folder = build(workplace, "busy")
    entity = VersionLabels("busy", folder.name).of("Entity")
    with (
        left_open(neo4j_server, f"CREATE (:{entity} {{entity_id: 'somebody'}})"),
        monkeypatch.context() as patch,
    ):
        patch.setattr(bounds, "SCHEMA_SECONDS", 1)
        with pytest.raises(StoreUnavailable, match="did not finish a statement in 1 s"):
            load_version(neo4j_server, folder)
    assert load_version(neo4j_server, folder)["relations"] == 2


def test_an_index_that_a_given_up_constraint_left_behind_is_made_anew(workplace, neo4j_server):
    """The server makes a constraint's index first; ended in between, it leaves one that no constraint owns."""
    folder = build(workplace, "orphan")
    labels = VersionLabels("orphan", folder.name)
    name = labels.of("Entity_entity_id")
    begun = "CREATE (:GraphVersion {key: $key, corpus: 'orphan', version: $version, state: 'loading'})"
    ask(neo4j_server, begun, key=labels.key, version=folder.name)
    ask(neo4j_server, f"CREATE INDEX {name} FOR (n:{labels.of('Entity')}) ON (n.entity_id)")
    assert load_version(neo4j_server, folder)["relations"] == 2
    owned = ask(neo4j_server, "SHOW CONSTRAINTS YIELD name WHERE name = $name RETURN name", name=name)
    assert owned == [{"name": name}]


def owners(settings):
    """Shared constraints, and the index that each owns."""
    found = ask(
        settings,
        "SHOW CONSTRAINTS YIELD name, ownedIndex WHERE name STARTS WITH 'graph_' RETURN name, ownedIndex",
    )
    return {row["name"]: row["ownedIndex"] for row in found}


def test_a_constraint_of_all_versions_that_was_given_up_half_way_is_made_anew(workplace, neo4j_server):
    """Its index alone enforces nothing, so that nodes may be doubles by now."""
    folder = build(workplace, "shared-orphan")
    load_version(neo4j_server, folder)
    for name, label, key in (
        ("graph_corpus", "Graph", "corpus"),
        ("graph_version_key", "GraphVersion", "key"),
    ):
        ask(neo4j_server, f"DROP CONSTRAINT {name}")
        ask(neo4j_server, f"CREATE INDEX {name} FOR (n:{label}) ON (n.{key})")
    ask(neo4j_server, "CREATE (:Graph {corpus: 'shared-orphan'}), (:Graph {corpus: 'shared-orphan'})")
    assert load_version(neo4j_server, folder)["relations"] == 2
    assert owners(neo4j_server) == {name: name for name in ("graph_corpus", "graph_version_key")}
    left = ask(neo4j_server, "MATCH (g:Graph {corpus: 'shared-orphan'}) RETURN g.current AS current")
    assert left == [{"current": folder.name}]


def test_a_constraint_that_somebody_is_making_is_waited_for_and_not_taken_apart(
    workplace, neo4j_server, monkeypatch
):
    """While the index of a constraint fills, it looks like one that was left behind."""
    folder = build(workplace, "made-now")
    answers = iter([True, True])
    monkeypatch.setattr(constraints, "_is_being_made", lambda *_: next(answers, False))
    ask(neo4j_server, "DROP CONSTRAINT graph_corpus IF EXISTS")
    ask(neo4j_server, "CREATE INDEX graph_corpus FOR (n:Graph) ON (n.corpus)")
    assert load_version(neo4j_server, folder)["relations"] == 2
    assert next(answers, None) is None
    assert owners(neo4j_server)["graph_corpus"] == "graph_corpus"


def test_an_index_of_somebody_else_that_stands_in_the_way_is_named(workplace, neo4j_server):
    folder = build(workplace, "in-the-way")
    ask(neo4j_server, "DROP CONSTRAINT graph_corpus IF EXISTS")
    ask(neo4j_server, "CREATE INDEX theirs FOR (n:Graph) ON (n.corpus)")
    try:
        with pytest.raises(
            GraphError, match=r"refuses the constraint graph_corpus .*already exists an index"
        ):
            load_version(neo4j_server, folder)
    finally:
        ask(neo4j_server, "DROP INDEX theirs")
    assert load_version(neo4j_server, folder)["relations"] == 2


def test_a_removal_waits_for_a_transaction_that_somebody_left_open_for_a_bounded_time(
    workplace, neo4j_server, monkeypatch
):
    old, new = build(workplace, "kept"), build(workplace, "kept", {"P1": ARTICLES["P1"]})
    for folder in (old, new):
        load_version(neo4j_server, folder)
    entity = VersionLabels("kept", old.name).of("Entity")
    with left_open(neo4j_server, f"MATCH (n:{entity}) SET n.note = 'mine'"), monkeypatch.context() as patch:
        patch.setattr(bounds, "STATEMENT_SECONDS", 1)
        with pytest.raises(StoreUnavailable, match="did not finish a statement in 1 s"):
            drop_version(neo4j_server, "kept", old.name)
    drop_version(neo4j_server, "kept", old.name)
    assert loaded_versions(neo4j_server, "kept") == {new.name: "current"}
