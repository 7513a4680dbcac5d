"""Annotations of each format become edges whose quotes open."""

from __future__ import annotations

import json
import shutil
from io import StringIO
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from kg_pipeline.cli import show
from kg_pipeline.corpora import load_corpora
from kg_pipeline.graph import layout
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.settings import Settings, load_settings
from tests.pipeline.command import run_kg

pytestmark = pytest.mark.integration

TITLE = "Anti-dsDNA antibodies, the interferon signature and flares of lupus nephritis"
ABSTRACT = "Proteinuria tells of lupus nephritis. Anti-dsDNA antibodies cause lupus nephritis through immune complexes."
CHILBLAIN = "Mutations in TREX1 cause familial chilblain lupus."


def pubtator() -> str:
    whole = f"{TITLE} {ABSTRACT}"
    lines = [f"PMC99900004|t|{TITLE}", f"PMC99900004|a|{ABSTRACT}"]
    for name, kind, number in (
        ("Anti-dsDNA antibodies", "Gene", "9999999"),
        ("lupus nephritis", "Disease", "MESH:D008181"),
    ):
        start = whole.rindex(name)
        lines.append(f"PMC99900004\t{start}\t{start + len(name)}\t{name}\t{kind}\t{number}")
    return "\n".join([*lines, "PMC99900004\tPositive_Correlation\t9999999\tMESH:D008181", ""])


def bioc() -> str:
    marked = [("TREX1", "Gene", "11277"), ("familial chilblain lupus", "Disease", "MESH:D002647")]
    annotations = [
        {
            "id": str(number),
            "infons": {"type": kind, "identifier": identifier},
            "text": name,
            "locations": [{"offset": CHILBLAIN.index(name), "length": len(name)}],
        }
        for number, (name, kind, identifier) in enumerate(marked)
    ]
    nodes = [{"refid": "0", "role": "1"}, {"refid": "1", "role": "2"}]
    passage = {"infons": {}, "offset": 0, "text": CHILBLAIN, "annotations": annotations}
    relation = {"id": "R1", "infons": {"type": "cause"}, "nodes": nodes}
    return json.dumps({"documents": [{"id": "PMC99900002", "passages": [passage], "relations": [relation]}]})


def indra() -> str:
    evidence = {
        "source_api": "reach",
        "text_refs": {"DOI": "10.5555/KG.Sample.2"},
        "text": "STING activates the kinase TBK1, and TBK1 phosphorylates the transcription factor IRF3.",
    }
    ends = [
        {"name": name, "db_refs": {"HGNC": number}} for name, number in (("TBK1", "11584"), ("IRF3", "6118"))
    ]
    return json.dumps([{"type": "Phosphorylation", "enz": ends[0], "sub": ends[1], "evidence": [evidence]}])


TABLE = """article\thead\tpredicate\ttail\tquote\tsource
10.5555/kg.sample.4\tvaccination against influenza\tassociated with\tlupus flares\tVaccination against influenza was not associated with lupus flares.\tcurators
PMC1\tanything\ttreats\tanything else\t\tcurators
"""
#: Ends, predicate and whether it is denied; a symmetric relation has its ends in the order of their ids.
EXPECTED = {
    "annotation:PubTator": ({"Anti-dsDNA antibodies", "lupus nephritis"}, "correlated_with", False),
    "annotation:BioC": ({"TREX1", "familial chilblain lupus"}, "causes", False),
    "annotation:INDRA/reach": ({"TBK1", "IRF3"}, "regulates", False),
    "annotation:curators": ({"Vaccination against influenza", "lupus flares"}, "associated_with", True),
}


@pytest.fixture
def corpus(warm: Path, built: Path) -> Settings:
    """The articles of the demo as another corpus, of which everything but the annotations was read before."""
    settings = load_settings({"KG_HOME": str(warm)})
    shutil.copytree(built / "datasets" / "demo", warm / "datasets" / "small")
    shutil.copytree(built / "raw", warm / "raw")
    folder = warm / "annotations"
    folder.mkdir()
    for name, content in (("a.txt", pubtator()), ("b.json", bioc()), ("c.json", indra()), ("d.tsv", TABLE)):
        (folder / name).write_text(content)
    source = load_corpora(settings.corpora_file)["demo"].source
    settings.corpora_file.write_text(
        f'[small]\nsource = {json.dumps(source)}\nannotations = ["annotations"]\n'
    )
    return settings


def read_tables(version: Path) -> dict[str, pl.DataFrame]:
    return {name: layout.open_frame(version, name) for name in ("documents", "evidence", "relations")}


def test_annotations_of_every_format_are_edges_that_lead_to_their_sentence(
    corpus: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = run_kg(corpus.home, "build", "small")
    assert result.returncode == 0, result.stderr
    assert "brought-in records │    5 │ 4 used, 1 not_in_corpus" in result.stdout
    console = Console(record=True, width=200, file=StringIO())
    monkeypatch.setenv("KG_HOME", str(corpus.home))
    show.articles(console, "small")
    assert "Of 4 different relations, 4 are in the graph. Rejected: none." in console.export_text()
    versions = VersionStore.of(corpus)
    first = versions.current("small")
    assert first is not None
    tables = read_tables(versions.folder("small", first))
    texts = dict(tables["documents"].select("article_id", "text").iter_rows())
    brought = tables["evidence"].filter(pl.col("extractor").str.starts_with("annotation:"))
    found = {}
    for row in brought.join(tables["relations"], on="relation_id").iter_rows(named=True):
        assert texts[row["article_id"]][row["start"] : row["end"]] == row["quote"]
        ends = {row["head_text"], row["tail_text"]}
        found[row["extractor"]] = (ends, row["predicate"], row["negated"])
    assert found == EXPECTED
