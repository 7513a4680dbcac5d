"""Loading into a real Neo4j: once, twice, at the same time, interrupted, damaged; and dropping versions."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import neo4j
import polars as pl
import pytest
from pydantic import SecretStr

from kg_pipeline.errors import GraphError, NoGraphError, StoreUnavailable
from kg_pipeline.graph import layout
from kg_pipeline.graph.neo4j import bounds as neo4j_bounds
from kg_pipeline.graph.neo4j import drop_version, load_version, loaded_versions, open_reader, ping
from kg_pipeline.graph.neo4j import load as neo4j_load
from kg_pipeline.graph.neo4j import lock as neo4j_lock
from kg_pipeline.graph.neo4j.client import VersionLabels, connected
from kg_pipeline.graph.neo4j.schema import drop_version_schema, index_version
from kg_pipeline.vocabulary.predicates import PREDICATES, relationship_type

pytestmark = pytest.mark.integration

ARTICLES = {"P1": [("A", "inhibits", "B"), ("B", "binds", "C")], "P2": [("A", "inhibits", "B")]}


def ask(settings, query, **parameters):
    with neo4j.GraphDatabase.driver(
        settings.uri, auth=(settings.user, settings.password.get_secret_value())
    ) as driver:
        return [record.data() for record in driver.execute_query(query, parameters).records]


def build(workplace, corpus, articles=ARTICLES):
    return workplace.build(articles, corpus=corpus)


def test_two_loads_make_one_edge(workplace, neo4j_server):
    folder = build(workplace, "twice")
    first = load_version(neo4j_server, folder)
    assert load_version(neo4j_server, folder) == first
    assert first == {
        "documents": 2,
        "chunks": 2,
        "entities": 3,
        "evidence": 3,
        "relations": 2,
        "has_entity": 5,
    }
    label = VersionLabels("twice", folder.name).of("Entity")
    edges = ask(
        neo4j_server,
        f"MATCH (:{label})-[r:INHIBITS]->(:{label}) RETURN r.quotes AS quotes, r.articles AS articles",
    )
    assert edges == [{"quotes": ["A inhibits B."] * 2, "articles": edges[0]["articles"]}]
    assert sorted(edges[0]["articles"]) == ["P1", "P2"]


def test_every_node_has_a_name_and_structure_joins_them(workplace, neo4j_server):
    folder = build(workplace, "shape")
    load_version(neo4j_server, folder)
    labels = VersionLabels("shape", folder.name)
    assert (
        ask(
            neo4j_server,
            f"MATCH (n:{labels.of('Entity')}) WHERE n.name IS NULL OR n.category IS NULL RETURN n",
        )
        == []
    )
    (row,) = ask(
        neo4j_server,
        f"MATCH (e:{labels.of('Evidence')} {{article_id: 'P2'}})-[:QUOTED_IN]->(c)-[:PART_OF]->(d) "
        "RETURN c.chunk_id AS chunk, d.title AS title, e.quote AS quote",
    )
    assert row == {"chunk": "P2:c0", "title": "About P2", "quote": "A inhibits B."}


def test_four_loaders_at_once_load_one_version(workplace, neo4j_server):
    folder = build(workplace, "race")
    with ThreadPoolExecutor(4) as pool:
        counts = list(pool.map(lambda _: load_version(neo4j_server, folder), range(4)))
    assert [c["relations"] for c in counts] == [2] * 4
    assert loaded_versions(neo4j_server, "race") == {folder.name: "current"}


def test_a_second_process_does_not_fail_on_the_schema(workplace, neo4j_server):
    folders = [build(workplace, "process-a"), build(workplace, "process-b")]
    program = (
        "import sys; from pathlib import Path; from kg_pipeline.settings import load_settings; "
        "from kg_pipeline.graph.neo4j import load_version; "
        "print(load_version(load_settings().neo4j, Path(sys.argv[1]))['relations'])"
    )
    environment = {
        "KG_NEO4J_URI": neo4j_server.uri,
        "KG_NEO4J_PASSWORD": neo4j_server.password.get_secret_value(),
    }
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(f)], env=environment, stdout=subprocess.PIPE, text=True
        )
        for f in folders
    ]
    try:
        assert [process.communicate(timeout=120)[0] for process in running] == ["2\n", "2\n"]
    finally:
        for process in running:
            process.kill()


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
                index_version(driver, "neo4j", labels, [])
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
        with connected(neo4j_server) as driver, neo4j_lock.locked(driver, "neo4j", "held"):
            held.set()
            assert give_back.wait(60)

    with ThreadPoolExecutor(1) as pool, monkeypatch.context() as patch:
        holder = pool.submit(hold)
        try:
            assert held.wait(60)
            patch.setattr(neo4j_lock, "_WAIT_SECONDS", 1)
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
        patch.setattr(neo4j_bounds, "SCHEMA_SECONDS", 1)
        with pytest.raises(StoreUnavailable, match="did not finish a statement in 1 s"):
            load_version(neo4j_server, folder)
    assert load_version(neo4j_server, folder)["relations"] == 2


def test_a_removal_waits_for_a_transaction_that_somebody_left_open_for_a_bounded_time(
    workplace, neo4j_server, monkeypatch
):
    old, new = build(workplace, "kept"), build(workplace, "kept", {"P1": ARTICLES["P1"]})
    for folder in (old, new):
        load_version(neo4j_server, folder)
    entity = VersionLabels("kept", old.name).of("Entity")
    with left_open(neo4j_server, f"MATCH (n:{entity}) SET n.note = 'mine'"), monkeypatch.context() as patch:
        patch.setattr(neo4j_bounds, "STATEMENT_SECONDS", 1)
        with pytest.raises(StoreUnavailable, match="did not finish a statement in 1 s"):
            drop_version(neo4j_server, "kept", old.name)
    drop_version(neo4j_server, "kept", old.name)
    assert loaded_versions(neo4j_server, "kept") == {new.name: "current"}


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


def test_text_from_an_article_or_model_never_becomes_query_text(workplace, neo4j_server):
    workplace.write(ARTICLES, corpus="hostile")
    nasty = "gene`) DETACH DELETE (n"
    entities = workplace.datasets.read("entities", "hostile").with_columns(
        category=pl.lit(nasty), name=pl.lit(nasty), aliases=pl.lit([nasty])
    )
    workplace.datasets.write("entities", "hostile", entities)
    folder = workplace.folder(workplace.assemble("hostile"))
    assert load_version(neo4j_server, folder)["entities"] == 3
    reader = open_reader(neo4j_server, "hostile")
    assert {e.category for e in reader.entities(["E:A", "E:B", "E:C"])} == {nasty}
    assert reader.find_entities(nasty) == ["E:B", "E:A", "E:C"], "found, by most mentions"
    assert reader.search_text("entity", nasty, 5)
    reader.close()


def test_a_predicate_outside_of_the_closed_set_is_refused_alone(workplace, neo4j_server):
    workplace.write(ARTICLES, corpus="open-set")
    relations = workplace.datasets.read("relations", "open-set").with_columns(
        predicate=pl.when(predicate="binds").then(pl.lit("is attributed to; binds")).otherwise("predicate")
    )
    workplace.datasets.write("relations", "open-set", relations)
    manifest = workplace.assemble("open-set")
    assert manifest.counts["withdrawn_relations"] == 1
    assert load_version(neo4j_server, workplace.folder(manifest))["relations"] == 1


def test_an_incomplete_directory_is_not_loaded(workplace, neo4j_server):
    folder = build(workplace, "incomplete")
    layout.table_path(folder, "evidence").unlink()
    with pytest.raises(GraphError, match=r"not complete.*kg build incomplete"):
        load_version(neo4j_server, folder)
    assert loaded_versions(neo4j_server, "incomplete") == {}


def test_missing_rows_are_noticed_and_the_pointer_stays(workplace, neo4j_server, monkeypatch):
    folder = build(workplace, "short")
    part = neo4j_load.VersionRows.relations
    monkeypatch.setattr(
        neo4j_load.VersionRows, "relations", lambda self, size: iter(list(part(self, size))[:1])
    )
    with pytest.raises(GraphError, match="1 of 2 relations"):
        load_version(neo4j_server, folder)
    with pytest.raises(NoGraphError):
        open_reader(neo4j_server, "short")


def test_relationship_types_are_those_of_the_closed_set(neo4j_versions):
    types = {row["t"] for row in ask(neo4j_versions, "MATCH ()-[r]->() RETURN DISTINCT type(r) AS t")}
    assert types <= {relationship_type(name) for name in PREDICATES} | {"HAS_ENTITY", "PART_OF", "QUOTED_IN"}


def test_ping_names_the_server(neo4j_server):
    assert ping(neo4j_server).startswith("Neo4j/5.26")


def test_wrong_credentials_are_told_in_one_sentence(neo4j_server):
    wrong = neo4j_server.model_copy(update={"password": SecretStr("not the password")})
    with pytest.raises(StoreUnavailable, match=r"refuses the credentials.*KG_NEO4J_PASSWORD"):
        ping(wrong)


def test_an_error_while_two_kinds_are_written_ends_the_load_and_the_next_one_finishes(
    workplace, neo4j_server, monkeypatch
):
    folder = build(workplace, "torn")
    with monkeypatch.context() as patch:

        def broken(self, size):
            raise GraphError("evidence cannot be read")
            yield

        patch.setattr(neo4j_load.VersionRows, "evidence", broken)
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
        patch.setattr(
            neo4j_load, "index_version", lambda *args: (_ for _ in ()).throw(GraphError("no index"))
        )
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


def test_a_reader_only_reads_and_could_not_write(neo4j_versions, monkeypatch):
    modes = []
    execute = neo4j.Driver.execute_query

    def recorded(self, query, *args, **options):
        modes.append(options.get("routing_"))
        return execute(self, query, *args, **options)

    monkeypatch.setattr(neo4j.Driver, "execute_query", recorded)
    reader = open_reader(neo4j_versions, "cytokines")
    reader.evidence(reader.neighbours(["E:TNF"]))
    reader.search_text("entity", "TNF", 3)
    assert modes
    assert set(modes) == {neo4j.RoutingControl.READ}
    with pytest.raises(GraphError, match="failed: Writing in read access mode not allowed"):
        reader._rows("CREATE (n:Intruder) RETURN n AS row")
    reader.close()


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
