"""The explorer's folder of pages: what its data say, and that names and sentences stay data."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kg_pipeline.graph.addresses import article_address
from kg_pipeline.graph.exchange import explorer
from kg_pipeline.graph.exchange.source import ANY_LICENSE, ExportSource

TYPES = {"head": "<u4", "tail": "<u4", "predicate": "<u2", "kind": "u1", "flags": "u1", "confidence": "u1"}


def argument(path: Path, call: str) -> Any:
    """What a data script hands to the page, which must be one call and nothing else."""
    text = path.read_text(encoding="ascii")
    assert text.startswith(f"KG.{call}(")
    assert text.endswith(");\n")
    return json.loads(f"[{text.removeprefix(f'KG.{call}(').removesuffix(');' + chr(10))}]")


def column(graph: dict[str, Any], name: str) -> list[int]:
    return np.frombuffer(base64.b64decode(graph["relations"][name]), TYPES[name]).tolist()


@pytest.fixture
def source(versions) -> ExportSource:
    folder = versions.store.folder("cytokines", versions.store.resolve("cytokines"))
    return ExportSource(folder, ANY_LICENSE)


def test_the_data_are_the_graph(source: ExportSource, tmp_path: Path) -> None:
    explorer.write(source, tmp_path)
    (graph,) = argument(tmp_path / "data" / "graph.js", "graph")
    assert (graph["corpus"], graph["version"]) == (source.manifest.corpus, source.manifest.version)
    told = [
        (graph["ids"][head], graph["predicates"][predicate], graph["ids"][tail], graph["kinds"][kind], flags)
        for head, predicate, tail, kind, flags in zip(
            *(column(graph, name) for name in ("head", "predicate", "tail", "kind", "flags")), strict=True
        )
    ]
    edges = list(source.edges())
    assert explorer.count_relations(tmp_path) == len(edges)
    assert told == [(e.head_id, e.predicate, e.tail_id, e.kind, e.negated + 2 * e.speculative) for e in edges]
    assert column(graph, "confidence") == [round(e.confidence * 100) for e in edges]


def test_verbs_agree_with_their_subjects(workplace, tmp_path: Path) -> None:
    statements = [
        ("B cells", "produces", "IgG"),
        ("IgG", "associated_with", "B cells"),
        ("IgG", "predisposes", "x"),
    ]
    explorer.write(ExportSource(workplace.build({"P1": statements})), tmp_path)
    (graph,) = argument(tmp_path / "data" / "graph.js", "graph")
    plural = base64.b64decode(graph["plural"])
    said = {
        f"{graph['names'][head]} {graph['verbs'][predicate][plural[head]]}"
        for head, predicate in zip(column(graph, "head"), column(graph, "predicate"), strict=True)
    }
    assert said == {"B cells produce", "IgG is associated with", "IgG predisposes to"}


@pytest.mark.parametrize("relations", [0, 1, 2, 3, 4, 100])
def test_relations_are_counted_in_the_data_without_decoding_them(relations: int, tmp_path: Path) -> None:
    kinds = base64.b64encode(bytes(relations)).decode()
    graph = {"kinds": ["asserted"], "names": ['a "kind":"AAAA" of name'], "relations": {"kind": kinds}}
    path = tmp_path / "data" / "graph.js"
    path.parent.mkdir()
    whole = f"KG.graph({json.dumps(graph, separators=(',', ':'))});\n"
    path.write_text(whole)
    assert explorer.count_relations(tmp_path) == relations
    path.write_text(whole[: len(whole) // 2])
    assert explorer.count_relations(tmp_path) == 0


def test_every_relation_leads_to_its_sentences_or_premises(
    source: ExportSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explorer, "_BLOCK", 3)  # so that there are several files
    explorer.write(source, tmp_path)
    edges = list(source.edges())
    found = []
    for number in range(-(-len(edges) // 3)):
        block, rows = argument(tmp_path / "data" / f"evidence-{number}.js", "evidence")
        assert block == number
        found += rows
    assert len(found) == len(edges)
    ids = [edge.relation_id for edge in edges]
    for edge, row in zip(edges, found, strict=True):
        if edge.kind == "asserted":
            assert [sentence[2] for sentence in row["sentences"]] == [s.quote for s in edge.supports]
            assert row["sentences"]
        else:
            assert [ids[premise] for premise in row["premises"]] == list(edge.premises)


def test_articles_lead_to_the_page_that_their_id_names(source: ExportSource, tmp_path: Path) -> None:
    explorer.write(source, tmp_path)
    (graph,) = argument(tmp_path / "data" / "graph.js", "graph")
    assert graph["articles"]
    assert {id_: row[3] for id_, row in graph["articles"].items()} == {
        id_: article_address(id_) for id_ in graph["articles"]
    }
    assert any(row[3] for row in graph["articles"].values())


def test_quotes_that_may_not_be_passed_on_are_not_in_the_folder(versions, tmp_path: Path) -> None:
    folder = versions.store.folder("cytokines", versions.store.resolve("cytokines"))
    explorer.write(ExportSource(folder, frozenset()), tmp_path)
    _, rows = argument(tmp_path / "data" / "evidence-0.js", "evidence")
    asserted = [row for row in rows if "sentences" in row]
    assert asserted
    assert all(not row["sentences"] and row["articles"] for row in asserted)


def test_text_cannot_become_script_or_markup(tmp_path: Path) -> None:
    hostile = "</script><img src=x onerror=alert(1)>\u2028');alert(2);//"
    path = explorer._script(tmp_path, "graph", "graph", [{"names": [hostile]}])
    assert argument(path, "graph") == [{"names": [hostile]}]
    script = (Path(explorer.__file__).parent / "explorer_page" / "explorer.js").read_text()
    for way_in in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "javascript:"):
        assert way_in not in script


def test_the_pages_fetch_nothing_from_elsewhere(source: ExportSource, tmp_path: Path) -> None:
    explorer.write(source, tmp_path)
    for name in ("index.html", "explorer.css"):
        assert "//" not in (tmp_path / name).read_text().replace("/*", "").replace("*/", "")


def test_data_of_a_larger_graph_do_not_stay_behind(source: ExportSource, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "evidence-999.js").touch()
    explorer.write(source, tmp_path)
    assert not (tmp_path / "data" / "evidence-999.js").exists()
