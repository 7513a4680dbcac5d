"""Out and in again through KGX: nothing that the format carries is lost, and the second time changes nothing."""

from __future__ import annotations

import pytest

from kg_pipeline.graph.exchange.export import export_version
from kg_pipeline.graph.exchange.importing import import_graph
from kg_pipeline.graph.exchange.source import ANY_LICENSE
from kg_pipeline.graph.versions.verify import verify_version
from tests.graph.exchange.conftest import rows


def around(workplace, folder, target, output, corpus="back", **options):
    files = export_version(folder, target, output, **options)
    report = import_graph(corpus, files, workplace.settings, embedder=workplace.embedder)
    return workplace.store.folder(corpus, report.manifest.version), report


@pytest.mark.parametrize("target", ["kgx-tsv", "kgx-jsonl"])
def test_kgx_carries_entities_relations_evidence_and_bibliography(workplace, exported, tmp_path, target):
    back, report = around(workplace, exported, target, tmp_path / "out")
    assert (report.records, report.unnamed, report.skipped, report.unmapped) == (0, 0, 0, {})
    assert rows(back, "entities") == rows(exported, "entities")
    assert rows(back, "relations") == rows(exported, "relations")
    assert rows(back, "documents", "text") == rows(exported, "documents", "text")
    placed = ("chunk_id", "start", "end")
    assert rows(back, "evidence", *placed) == rows(exported, "evidence", *placed)
    assert verify_version(back) == []
    again, _ = around(workplace, back, target, tmp_path / "again", "again")
    assert again.name == back.name


def test_both_kgx_formats_say_the_same(workplace, exported, tmp_path):
    versions = {
        around(workplace, exported, target, tmp_path / target, target)[0].name
        for target in ("kgx-tsv", "kgx-jsonl")
    }
    assert len(versions) == 1


def test_a_random_graph_comes_back(versions, workplace, tmp_path):
    folder = versions.store.folder("random-net", versions.store.current("random-net"))
    back, _ = around(workplace, folder, "kgx-tsv", tmp_path / "out")
    assert rows(back, "relations") == rows(folder, "relations")
    assert rows(back, "entities") == rows(folder, "entities")
    assert verify_version(back) == []


def test_an_imported_graph_can_be_searched_walked_and_quoted(workplace, exported, tmp_path):
    back, _ = around(workplace, exported, "kgx-jsonl", tmp_path / "out")
    workplace.store.publish("back", back.name)
    reader = workplace.store.open("back")
    assert reader.find_entities("IL6") == ["E:IL6"]
    relations = reader.relations(reader.neighbours(["E:IL6"]))
    assert {relation.predicate for relation in relations} >= {"increases", "binds"}
    quotes = {item.quote for item in reader.evidence([relation.relation_id for relation in relations])}
    assert "TNF increases IL6." in quotes
    chunks = reader.chunks_of(["E:IL6"])["E:IL6"]
    assert "E:TNF" in reader.entities_of(chunks)[chunks[0]]
    assert reader.search_text("chunk", "tocilizumab", 3)
    question = workplace.embedder.embed(["TNF increases IL6"])[0]
    assert reader.nearest("chunk", question, 1)
    reader.close()


@pytest.mark.parametrize(("quotable", "quoted"), [(frozenset(), 0), (ANY_LICENSE, 8)])
def test_quotes_that_may_not_leave_stay_and_their_articles_are_cited(
    workplace, exported, tmp_path, quotable, quoted
):
    files = export_version(exported, "kgx-tsv", tmp_path / "out", quotable=quotable)
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    assert ("TNF increases IL6." in text) == bool(quoted)
    assert "PMC:10|PMC:20|PMC:35" in text
    report = import_graph("back", files, workplace.settings, embed="none")
    back = workplace.store.folder("back", report.manifest.version)
    assert verify_version(back) == []
    asserted = report.manifest.relations_by_kind["asserted"]
    assert report.records == (0 if quoted else asserted)
    if not quoted:
        assert {row["extractor"] for row in rows(back, "evidence")} == {"record"}
        assert any("PMC:10; PMC:20; PMC:35" in row["quote"] for row in rows(back, "evidence"))
