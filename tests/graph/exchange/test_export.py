"""Formats that are only written: well-formed, complete as far as they go, and honest about what they leave out."""

from __future__ import annotations

import csv
import json

import pytest
from lxml import etree

from kg_pipeline.errors import GraphError
from kg_pipeline.graph.exchange.export import FORMATS, export_version
from kg_pipeline.graph.exchange.formats import LEFT_OUT
from tests.graph.exchange.conftest import rows


@pytest.mark.parametrize("target", FORMATS)
def test_the_same_version_gives_the_same_bytes(exported, tmp_path, target):
    first, second = (export_version(exported, target, tmp_path / name) for name in ("a", "b"))
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert sorted(first) == sorted(path for path in (tmp_path / "a").rglob("*") if path.is_file())


def test_every_format_says_what_it_leaves_out(kg):
    assert FORMATS.keys() == LEFT_OUT.keys()
    said = kg("export", "--help")
    assert all(f"{name} leaves out:" in said for name in FORMATS)


def test_an_unknown_format_and_an_unusable_folder_are_told(exported, tmp_path):
    with pytest.raises(GraphError, match="no export format 'rdf'"):
        export_version(exported, "rdf", tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(GraphError, match="cannot be written"):
        export_version(exported, "sif", tmp_path / "file")


def test_graphml_has_every_node_and_edge(exported, tmp_path):
    (path,) = export_version(exported, "graphml", tmp_path)
    tree = etree.parse(str(path))
    space = {"g": "http://graphml.graphdrawing.org/xmlns"}
    nodes = tree.xpath("//g:node/@id", namespaces=space)
    assert nodes == [row["entity_id"] for row in rows(exported, "entities")]
    edges = tree.xpath("//g:edge", namespaces=space)
    assert {edge.get("id") for edge in edges} == {row["relation_id"] for row in rows(exported, "relations")}
    declared = set(tree.xpath("//g:key/@id", namespaces=space))
    assert {data.get("key") for data in tree.iterfind(".//g:data", namespaces=space)} <= declared
    name = tree.xpath("//g:node[@id='E:CRP']/g:data[@key='node_name']/text()", namespaces=space)
    assert name == ["=CRP|\tC-reactive\\n\n'"]


def test_graphml_replaces_characters_that_xml_forbids(workplace, cytokines, tmp_path):
    workplace.write({"P1": [("a\x0bb", "binds", "c")]})
    (path,) = export_version(workplace.folder(workplace.assemble()), "graphml", tmp_path)
    assert "a\ufffdb" in etree.parse(str(path)).xpath("string()")


def test_json_ld_tells_the_denied_from_the_asserted(exported, tmp_path):
    (path,) = export_version(exported, "jsonld", tmp_path)
    items = json.loads(path.read_text(encoding="utf-8"))["@graph"]
    publications = [item["@graph"][0] for item in items if "@graph" in item]
    assert len(publications) == len(rows(exported, "relations"))
    for item in publications:
        assertion = item["np:hasAssertion"]
        denied = assertion["@graph"][0]["biolink:negated"]
        assert (assertion["@type"] == "kg:NegatedAssertion") == denied
        (provenance,) = item["np:hasProvenance"]["@graph"]
        assert provenance["prov:wasDerivedFrom"] or provenance["kg:kind"] in ("lexical", "community")
    quotes = {
        source["oa:hasSelector"][0]["oa:exact"]
        for item in publications
        for source in item["np:hasProvenance"]["@graph"][0]["prov:wasDerivedFrom"]
        if "oa:hasSelector" in source
    }
    assert quotes == {row["quote"] for row in rows(exported, "evidence")}


def test_sif_draws_only_what_is_asserted(exported, tmp_path):
    graph, nodes = export_version(exported, "sif", tmp_path)
    drawn = {tuple(line.split("\t")) for line in graph.read_text().splitlines()}
    assert drawn == {
        (row["head_id"], row["predicate"], row["tail_id"])
        for row in rows(exported, "relations")
        if row["kind"] == "asserted" and not row["negated"]
    }
    lines = nodes.read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(rows(exported, "entities")) + 1
    assert all(line.count("\t") == 3 for line in lines)


def test_neo4j_files_have_ends_that_exist(exported, tmp_path):
    paths = {path.name: path for path in export_version(exported, "neo4j-csv", tmp_path)}

    def read(name):
        with paths[name].open(encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))

    entities = {row["entity_id:ID(Entity)"] for row in read("entities.csv")}
    evidence = {row["evidence_id:ID(Evidence)"] for row in read("evidence.csv")}
    documents = {row["article_id:ID(Document)"] for row in read("documents.csv")}
    relations = read("relations.csv")
    assert len(relations) == len(rows(exported, "relations"))
    assert all({row[":START_ID(Entity)"], row[":END_ID(Entity)"]} <= entities for row in relations)
    assert {row[":START_ID(Evidence)"] for row in read("supports.csv")} == evidence
    assert {row[":END_ID(Document)"] for row in read("cited.csv")} <= documents
    assert "\x1f".join(["IL6", "IL6 protein", "the IL6"]) in {
        row["aliases:string[]"] for row in read("entities.csv")
    }
