"""Loading into a real Neo4j: once, twice, at the same time, hostile, damaged."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import neo4j
import polars as pl
import pytest
from pydantic import SecretStr

from kg_pipeline.errors import GraphError, NoGraphError, StoreUnavailable
from kg_pipeline.graph import layout
from kg_pipeline.graph.neo4j import load, load_version, loaded_versions, open_reader, ping
from kg_pipeline.graph.neo4j.client import VersionLabels
from kg_pipeline.vocabulary.predicates import PREDICATES, relationship_type
from tests.graph.neo4j.calls import ARTICLES, ask, build

pytestmark = pytest.mark.integration


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
    part = load.VersionRows.relations
    monkeypatch.setattr(load.VersionRows, "relations", lambda self, size: iter(list(part(self, size))[:1]))
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
