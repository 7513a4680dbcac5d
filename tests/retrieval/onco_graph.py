"""Small cell lung cancer with hops that are relations and hops that only sentences state, and drugs to count."""

from __future__ import annotations

from tests.retrieval.memory_graph import Builder, HashingEmbedder, MemoryGraph


def onco(embedder: object | None = None) -> MemoryGraph:
    b = Builder(embedder=embedder or HashingEmbedder())
    b.entity("G1", "ASCL1", "Gene")
    b.entity("G2", "DLL3", "Gene", "delta like ligand 3")
    b.entity("G3", "PARP1", "Gene")
    b.entity("G4", "interleukin 6", "Protein", "IL-6")
    b.entity("M1", "tarlatamab", "Drug")
    b.entity("M2", "tocilizumab", "Drug")
    b.entity("M3", "cisplatin", "Drug")
    b.entity("M4", "cis-platinum", "Drug", "cisplatin")
    b.entity("M5", "etoposide", "Drug")
    b.entity("M6", "amifampridine", "Drug")
    b.entity("S1", "small cell lung cancer", "Disease", "SCLC")
    b.entity("S2", "cytokine release syndrome", "Disease")
    b.entity("S3", "myasthenic syndrome", "Disease")
    b.entity("S4", "renal failure", "Disease")
    s = {
        "drives": "ASCL1 drives the expression of DLL3.",
        "binds": "Tarlatamab binds DLL3 with high affinity.",
        "crs": "Tarlatamab causes cytokine release syndrome after the first dose.",
        "toci": "Tocilizumab treats cytokine release syndrome.",
        "tar": "Tarlatamab treats small cell lung cancer after chemotherapy.",
        "cis": "Cisplatin treats small cell lung cancer of limited stage.",
        "eto": "Etoposide treats small cell lung cancer as well.",
        "lems": "Small cell lung cancer causes myasthenic syndrome.",
        "ami": "Amifampridine treats myasthenic syndrome.",
        "il6": "Cytokine release syndrome increases serum IL-6.",
        "title": "ASCL1, DLL3 and the treatment of small cell lung cancer",
        "not": "Tarlatamab does not cause renal failure.",
        "two": "Tocilizumab inhibits interleukin 6, and PARP1 regulates ASCL1.",
    }
    b.article("PMC21", "Transcription factors", [s["drives"], s["title"]], [s["lems"]])
    b.article("PMC22", "A bispecific antibody", [s["binds"], s["tar"]], [s["crs"], s["il6"], s["not"]])
    b.article("PMC23", "Care", [s["toci"], s["two"]], [s["cis"], s["eto"], s["ami"]])
    b.relation("M1", "binds", "G2", s["binds"])
    b.relation("M1", "causes", "S2", s["crs"])
    b.relation("M1", "treats", "S1", s["tar"])
    b.relation("M2", "treats", "S2", s["toci"])
    b.relation("M3", "treats", "S1", s["cis"])
    b.relation("M4", "treats", "S1", s["cis"], confidence=0.6)
    b.relation("M5", "treats", "S1", s["eto"])
    b.relation("S1", "causes", "S3", s["lems"])
    b.relation("M6", "treats", "S3", s["ami"])
    b.relation("S2", "increases", "G4", s["il6"])
    b.relation("M1", "causes", "S4", s["not"], negated=True)
    return b.build()
