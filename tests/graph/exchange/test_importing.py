"""Graphs that were built elsewhere: KGX as others write it, Hetionet, and files that cannot be used."""

from __future__ import annotations

import gzip
import json

import pytest

from kg_pipeline.errors import GraphError
from kg_pipeline.graph.exchange.importing import import_graph
from kg_pipeline.graph.versions.verify import verify_version
from tests.graph.exchange.conftest import rows


def write(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, content in files.items():
        path = folder / name.replace("__", ".")
        path.write_text(content, encoding="utf-8")
        paths.append(path)
    return paths


def table(*lines):
    return "".join("\t".join(line) + "\n" for line in lines)


def imported(workplace, paths, **options):
    report = import_graph("other", paths, workplace.settings, **{"embed": "none", **options})
    folder = workplace.store.folder("other", report.manifest.version)
    assert verify_version(folder) == []
    return report, folder


NODES = table(
    ("id", "category", "name", "synonym"),
    ("MONDO:1", "biolink:Disease|biolink:NamedThing", "lupus", "SLE|systemic lupus"),
    ("CHEBI:2", "biolink:Drug", "metformin\\n", ""),
)


def test_kgx_of_another_tool_with_sentences(workplace, tmp_path):
    edges = table(
        (
            "subject",
            "predicate",
            "object",
            "publications",
            "supporting_text",
            "primary_knowledge_source",
            "negated",
        ),
        (
            "CHEBI:2",
            "biolink:treats",
            "MONDO:1",
            "PMID:7",
            "In SLE, metformin\\n helped.|It helps.",
            "infores:x",
            "",
        ),
        ("MONDO:1", "biolink:treated_by", "CHEBI:2", "", "", "infores:y", ""),
        ("CHEBI:2", "biolink:treats", "MONDO:1", "PMID:8", "", "infores:x", "True"),
    )
    report, folder = imported(workplace, write(tmp_path, n__tsv=NODES, e__tsv=edges))
    relations = {(r["predicate"], r["negated"]): r for r in rows(folder, "relations")}
    assert relations.keys() == {("treats", False), ("treats", True)}
    assert relations["treats", False]["n_evidence"] == 3
    evidence = {row["quote"]: row for row in rows(folder, "evidence")}
    said = evidence["In SLE, metformin\\n helped."]
    assert (said["article_id"], said["head_text"], said["tail_text"]) == ("PMID:7", "metformin\\n", "SLE")
    assert said["extractor"] == "kgx:infores:x"
    assert r"metformin\n does not: treats lupus [infores:x; PMID:8]" in evidence
    assert report.records == 2
    documents = {row["article_id"]: row for row in rows(folder, "documents")}
    assert documents["PMID:7"]["pmid"] == "7"
    assert documents["SOURCE:infores:y"]["article_type"] == "knowledge-source"
    lupus = next(row for row in rows(folder, "entities") if row["entity_id"] == "MONDO:1")
    assert (lupus["category"], lupus["aliases"]) == ("biolink:Disease", ["SLE", "systemic lupus"])


@pytest.mark.parametrize("publications", ["", "PMID:7|PMID:8"])
def test_a_sentence_that_no_single_article_is_named_for_belongs_to_the_source(
    workplace, tmp_path, publications
):
    edges = table(
        ("subject", "predicate", "object", "publications", "supporting_text", "knowledge_source"),
        ("CHEBI:2", "biolink:treats", "MONDO:1", publications, "It treats lupus.", "infores:x"),
    )
    report, folder = imported(workplace, write(tmp_path, n__tsv=NODES, e__tsv=edges))
    (row,) = rows(folder, "evidence")
    assert (row["quote"], row["article_id"]) == ("It treats lupus.", "SOURCE:infores:x")
    assert report.records == 0


def test_edges_alone_are_enough_and_what_is_unknown_is_told(workplace, tmp_path):
    lines = [
        {"subject": "A:1", "predicate": "x:smells_like", "object": "B:1", "knowledge_level": "prediction"},
        {"subject": "A:1", "predicate": "biolink:affects", "object": "", "id": "e"},
    ]
    content = "\n".join(json.dumps(line) for line in lines)
    report, folder = imported(workplace, write(tmp_path, e__jsonl=content))
    (relation,) = rows(folder, "relations")
    assert (relation["predicate"], relation["speculative"], relation["kind"]) == (
        "related_to",
        True,
        "asserted",
    )
    assert (report.unnamed, report.skipped, report.unmapped) == (2, 1, {"smells like": 1})
    assert {row["name"] for row in rows(folder, "entities")} == {"A:1", "B:1"}


def test_hetionet(workplace, tmp_path):
    nodes = table(
        ("id", "name", "kind"),
        ("Compound::DB1", "metformin", "Compound"),
        ("Disease::D1", "diabetes", "Disease"),
        ("Symptom::S1", "thirst", "Symptom"),
    )
    edges = table(
        ("source", "metaedge", "target"),
        ("Compound::DB1", "CtD", "Disease::D1"),
        ("Disease::D1", "DpS", "Symptom::S1"),
    )
    node_path, edge_path = write(tmp_path, n__tsv=nodes, e__sif=edges)
    packed = tmp_path / "edges.sif.gz"
    packed.write_bytes(gzip.compress(edge_path.read_bytes()))
    report, folder = imported(workplace, [packed, node_path], embed="entities", embedder=workplace.embedder)
    triples = {(r["head_id"], r["predicate"], r["tail_id"]) for r in rows(folder, "relations")}
    assert triples == {
        ("Compound::DB1", "treats", "Disease::D1"),
        ("Symptom::S1", "manifestation_of", "Disease::D1"),
    }
    quotes = {row["quote"] for row in rows(folder, "evidence")}
    assert "metformin treats diabetes [infores:hetionet]" in quotes
    assert not any("hetionet" in text for text in workplace.embedder.asked), "entities only"
    reader = workplace.store.open("other", report.manifest.version)
    assert reader.nearest("entity", workplace.embedder.embed(["thirst"])[0], 1)[0].id == "Symptom::S1"
    reader.close()


PRIMEKG = """\
relation,display_relation,x_index,x_id,x_type,x_name,x_source,y_index,y_id,y_type,y_name,y_source
indication,indication,0,DB1,drug,metformin,DrugBank,1,5015,disease,"diabetes, any",MONDO
indication,indication,1,5015,disease,"diabetes, any",MONDO,0,DB1,drug,metformin,DrugBank
protein_protein,ppi,2,9796,gene/protein,PHYHIP,NCBI,3,56992,gene/protein,KIF15,NCBI
protein_protein,ppi,3,56992,gene/protein,KIF15,NCBI,2,9796,gene/protein,PHYHIP,NCBI
anatomy_protein_absent,expression absent,2,9796,gene/protein,PHYHIP,NCBI,4,2107,anatomy,liver,UBERON
drug_protein,target,2,9796,gene/protein,PHYHIP,NCBI,0,DB1,drug,metformin,DrugBank
drug_protein,enzyme,0,DB1,drug,metformin,DrugBank,3,56992,gene/protein,KIF15,NCBI
disease_disease,parent-child,1,5015,disease,"diabetes, any",MONDO,5,1_2,disease,a group,MONDO_grouped
new_kind,new kind of edge,0,DB1,drug,metformin,DrugBank,6,7,planet,Mars,
indication,indication,0,DB1,drug,metformin,DrugBank,,,,,
"""


def test_primekg(workplace, tmp_path):
    """Each edge once, although the file has both directions of it, and the right way round."""
    report, folder = imported(workplace, write(tmp_path, kg__csv=PRIMEKG))
    metformin, diabetes, phyhip, kif15 = (
        "DRUGBANK:DB1",
        "MONDO:0005015",
        "NCBIGene:9796",
        "NCBIGene:56992",
    )
    triples = {(r["head_id"], r["predicate"], r["tail_id"], r["negated"]) for r in rows(folder, "relations")}
    assert triples == {
        (metformin, "treats", diabetes, False),
        (kif15, "binds", phyhip, False),
        ("UBERON:0002107", "expresses", phyhip, True),
        (metformin, "targets", phyhip, False),
        (metformin, "related_to", kif15, False),
        (diabetes, "related_to", "MONDO_grouped:1_2", False),
        ("7", "related_to", metformin, False),
    }
    assert report.unmapped == {"has the enzyme": 1, "new kind of edge": 1, "parent-child": 1}
    assert (report.skipped, report.unnamed) == (1, 0)
    named = {row["entity_id"]: (row["name"], row["category"]) for row in rows(folder, "entities")}
    assert named[diabetes] == ("diabetes, any", "biolink:Disease")
    assert named["7"] == ("Mars", "biolink:NamedThing")
    quotes = {row["quote"] for row in rows(folder, "evidence")}
    assert "metformin is indicated for diabetes, any [infores:primekg]" in quotes


def test_the_order_of_rows_and_files_does_not_matter(workplace, tmp_path):
    edges = [(f"A:{n % 3}", "biolink:causes", f"B:{n}") for n in range(9)]
    header = ("subject", "predicate", "object")
    forward = write(tmp_path / "f", n__tsv=NODES, e__tsv=table(header, *edges))
    backward = write(tmp_path / "b", e__tsv=table(header, *reversed(edges)), n__tsv=NODES)
    assert imported(workplace, forward)[1] == imported(workplace, backward)[1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no format that can be imported"),
        ("a\tb\n1\t2\n", "no format that can be imported"),
        ("id\tname\nA\tB\n", "None of the files has edges"),
        ("subject\tpredicate\tobject\nA\tB\n", r"line 2, has 2 cells, and the header 3"),
    ],
)
def test_files_that_cannot_be_used_are_told(workplace, tmp_path, content, message):
    with pytest.raises(GraphError, match=message):
        import_graph("other", write(tmp_path, x__tsv=content), workplace.settings, embed="none")


def test_broken_json_binary_and_absent_files_are_told(workplace, tmp_path):
    (path,) = write(tmp_path, x__jsonl='{"subject": "A", "predicate": "p", "object": "B"}\n{"id"')
    with pytest.raises(GraphError, match=r"line 2, is not JSON"):
        import_graph("other", [path], workplace.settings, embed="none")
    binary = tmp_path / "x.tsv"
    binary.write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(GraphError, match="cannot be read as UTF-8"):
        import_graph("other", [binary], workplace.settings, embed="none")
    with pytest.raises(GraphError, match="There is no file"):
        import_graph("other", [tmp_path / "absent.tsv"], workplace.settings, embed="none")


def test_a_corpus_of_articles_is_not_overwritten(workplace, cytokines, tmp_path):
    workplace.store.publish("tiny", workplace.build(cytokines).name)
    (path,) = write(
        tmp_path / "in", e__tsv=table(("subject", "predicate", "object"), ("A:1", "causes", "B:1"))
    )
    with pytest.raises(GraphError, match="built from articles"):
        import_graph("tiny", [path], workplace.settings, embed="none")
    with pytest.raises(GraphError, match="cannot name a corpus"):
        import_graph("../tiny", [path], workplace.settings, embed="none")


def test_a_sentence_keeps_its_section_however_near_the_next_one_is(workplace, tmp_path):
    supports = [
        {"article_id": "PMC1", "quote": "A raises B.", "section_path": "Results", "start": 40},
        {"article_id": "PMC1", "quote": "A and B.", "section_path": "Abstract", "start": 2},
        {"article_id": "PMC2", "quote": "B is raised by A.", "section_path": "Abstract", "start": 7},
    ]
    edge = {
        "subject": "E:A",
        "predicate": "biolink:affects",
        "object": "E:B",
        "kg_evidence": json.dumps(supports),
    }
    _, folder = imported(workplace, write(tmp_path, edges__jsonl=json.dumps(edge) + "\n"))
    section_of = {row["chunk_id"]: row["section_path"] for row in rows(folder, "chunks")}
    told = {
        (row["quote"], row["section_path"], section_of[row["chunk_id"]]) for row in rows(folder, "evidence")
    }
    assert told == {(each["quote"], each["section_path"], each["section_path"]) for each in supports}
