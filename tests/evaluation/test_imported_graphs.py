"""Questions from graphs that others publish: every kind of question that their schema allows, and no other."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from kg_pipeline.graph.exchange.importing import import_graph
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.settings import load_settings
from retrieval.evaluation.biomedhop.build import BuildSettings, Built, build_items
from retrieval.evaluation.biomedhop.datasheet import make_datasheet, render_datasheet
from retrieval.evaluation.biomedhop.patterns import load_patterns

_STEMS = [
    one + two + three for one, two, three in product("bdgklmp", ("ar", "el", "on", "is"), ("ta", "vo", "zu"))
]
#: Type in PrimeKG, its vocabulary, the ending of its names, and how many there are.
_PRIMEKG = {
    "disease": ("MONDO", "osis", 24),
    "gene/protein": ("NCBI", "1", 28),
    "drug": ("DrugBank", "ine", 20),
    "effect/phenotype": ("HPO", "algia", 14),
    "biological_process": ("GO", " signalling", 10),
    "molecular_function": ("GO", " binding", 6),
    "cellular_component": ("GO", " body", 6),
    "anatomy": ("UBERON", " gland", 8),
    "exposure": ("CTD", " dust", 5),
    "pathway": ("REACTOME", " cascade", 5),
}
_PRIMEKG_EDGES = (
    ("disease_protein", "associated with", "gene/protein", "disease", 110),
    ("indication", "indication", "drug", "disease", 70),
    ("contraindication", "contraindication", "drug", "disease", 30),
    ("drug_effect", "side effect", "drug", "effect/phenotype", 60),
    ("drug_protein", "target", "drug", "gene/protein", 60),
    ("disease_phenotype_positive", "phenotype present", "disease", "effect/phenotype", 70),
    ("bioprocess_protein", "interacts with", "biological_process", "gene/protein", 50),
    ("molfunc_protein", "interacts with", "molecular_function", "gene/protein", 40),
    ("cellcomp_protein", "interacts with", "cellular_component", "gene/protein", 30),
    ("anatomy_protein_present", "expression present", "anatomy", "gene/protein", 40),
    ("exposure_disease", "linked to", "exposure", "disease", 15),
    ("pathway_protein", "interacts with", "pathway", "gene/protein", 25),
    ("protein_protein", "ppi", "gene/protein", "gene/protein", 40),
)
_HETIONET = {
    "Disease": ("osis", 24),
    "Gene": ("1", 28),
    "Compound": ("ine", 20),
    "Symptom": ("algia", 10),
    "Side Effect": ("emia", 10),
    "Anatomy": (" gland", 8),
    "Biological Process": (" signalling", 8),
    "Cellular Component": (" body", 6),
    "Molecular Function": (" binding", 6),
}
_HETIONET_EDGES = (
    ("DaG", "Disease", "Gene", 110),
    ("DuG", "Disease", "Gene", 30),
    ("CtD", "Compound", "Disease", 60),
    ("CpD", "Compound", "Disease", 30),
    ("CcSE", "Compound", "Side Effect", 50),
    ("CbG", "Compound", "Gene", 60),
    ("DpS", "Disease", "Symptom", 50),
    ("DlA", "Disease", "Anatomy", 40),
    ("GpBP", "Gene", "Biological Process", 50),
    ("GpCC", "Gene", "Cellular Component", 30),
    ("GpMF", "Gene", "Molecular Function", 30),
)


def write_primekg(folder: Path) -> list[Path]:
    """One CSV file with every edge in both directions, as it is published."""
    source = np.random.default_rng(5)
    nodes: dict[str, list[tuple[str, ...]]] = {}
    for number, (kind, (vocabulary, ending, count)) in enumerate(_PRIMEKG.items()):
        names = source.choice(_STEMS, count, replace=False).tolist()
        nodes[kind] = [
            (str(n), str(1000 * (number + 1) + n), kind, f"{name}{ending}", vocabulary)
            for n, name in enumerate(names)
        ]
    rows = set()
    for relation, shown, one, other, count in _PRIMEKG_EDGES:
        for _ in range(count):
            ends = (
                nodes[one][source.integers(len(nodes[one]))],
                nodes[other][source.integers(len(nodes[other]))],
            )
            rows |= {(relation, shown, *ends[0], *ends[1]), (relation, shown, *ends[1], *ends[0])}
    what = ("index", "id", "type", "name", "source")
    heads = ["relation", "display_relation", *(f"{end}_{name}" for end in "xy" for name in what)]
    with (folder / "kg.csv").open("w", newline="") as file:
        csv.writer(file).writerows([heads, *sorted(rows)])
    return [folder / "kg.csv"]


def write_hetionet(folder: Path) -> list[Path]:
    """Nodes and edges as they are published."""
    source = np.random.default_rng(5)
    ids: dict[str, list[str]] = {}
    nodes = ["id\tname\tkind"]
    for kind, (ending, count) in _HETIONET.items():
        ids[kind] = [f"{kind}::X:{kind.replace(' ', '')}{n}" for n in range(count)]
        names = source.choice(_STEMS, count, replace=False).tolist()
        nodes += [f"{one}\t{name}{ending}\t{kind}" for one, name in zip(ids[kind], names, strict=True)]
    rows = {
        f"{source.choice(ids[one])}\t{metaedge}\t{source.choice(ids[other])}"
        for metaedge, one, other, count in _HETIONET_EDGES
        for _ in range(count)
    }
    paths = folder / "nodes.tsv", folder / "edges.sif"
    paths[0].write_text("\n".join(nodes) + "\n")
    paths[1].write_text("\n".join(["source\tmetaedge\ttarget", *sorted(rows)]) + "\n")
    return list(paths)


def build(folder: Path, files: Sequence[Path]) -> tuple[Built, str]:
    """Items of an imported graph, and their datasheet."""
    settings = load_settings({"KG_HOME": str(folder)})
    version = import_graph("imported", files, settings, embed="none").manifest.version
    store = VersionStore(settings.graphs)
    store.publish("imported", version)
    reader = store.open("imported")
    chosen = BuildSettings(items=150, least_tries=400)
    built = build_items(store.folder("imported", version), reader, None, chosen)
    sheet = render_datasheet(make_datasheet(built, chosen, load_patterns(), reader))
    reader.close()
    return built, sheet


#: What the schema of each graph holds instances of, by family: PrimeKG has no anatomy of a disease and no food, Hetionet no
#: organisms, and neither has protein domains, cell types of proteins, microRNAs or places.
_ALLOWED = {
    "primekg": {
        "entity_pair": {
            *(
                "disease-gene",
                "disease-compound",
                "disease-symptom",
                "compound-side_effect",
                "compound-disease",
            ),
        },
        "intersection": {
            *("gene+symptom+compound", "gene+gene+compound", "gene+compound+compound"),
            *("symptom+symptom+gene", "compound+compound+symptom"),
        },
        "path": {"3", "4"},
    },
    "hetionet": {
        "entity_pair": {
            *("disease-gene", "disease-compound", "disease-symptom", "disease-anatomy"),
            *("compound-side_effect", "compound-disease"),
        },
        "intersection": {
            *("gene+symptom+compound", "gene+symptom+anatomy", "gene+compound+anatomy"),
            *("symptom+compound+anatomy", "gene+gene+compound", "gene+compound+compound"),
            *("symptom+symptom+gene", "compound+compound+symptom"),
        },
        "path": {"3", "4"},
    },
}


@pytest.mark.parametrize(("name", "write"), [("primekg", write_primekg), ("hetionet", write_hetionet)])
def test_every_kind_of_question_that_a_published_graph_allows_is_built(
    name: str, write: object, tmp_path: Path
) -> None:
    assert callable(write)
    built, sheet = build(tmp_path, write(tmp_path))
    for family, patterns in _ALLOWED[name].items():
        assert {item.pattern for item in built.items if item.family == family} == patterns
    assert {item.pattern for item in built.items if item.family == "count"} <= _ALLOWED[name]["path"]
    assert sum(item.family == "count" for item in built.items) > 0
    for item in built.items:
        assert item.queries
        assert {unit.source for unit in item.evidence} == {"kg"}  # a published graph quotes nothing
        if item.options:
            assert item.options[item.correct_index] == item.answers[0].name
    for heading in ("tables 2 and 18", "table 3", "table 16", "table 17", "Clue patterns", "Left out while"):
        assert heading in sheet
