"""Identifiers as annotations write them, in the form of our vocabulary: CURIEs of concepts, and keys of articles."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from kg_pipeline.extraction.annotations.records import MOST_IDENTIFIERS, ArticleReference, clean
from kg_pipeline.extraction.grounding.triples import NAMED_THING, biolink_category

_GENE, _TAXON, _MESH, _CELL_LINE = "NCBIGene", "NCBITaxon", "MESH", "CVCL"

#: Biolink category of the types of entities that PubTator, BioRED, BC5CDR and INDRA have.
_CATEGORIES = {
    "gene": "biolink:Gene",
    "geneorgeneproduct": "biolink:Gene",
    "protein": "biolink:Gene",
    "familyname": "biolink:GeneFamily",
    "disease": "biolink:Disease",
    "diseaseorphenotypicfeature": "biolink:Disease",
    "chemical": "biolink:ChemicalEntity",
    "drug": "biolink:ChemicalEntity",
    "chemicalentity": "biolink:ChemicalEntity",
    "species": "biolink:OrganismTaxon",
    "organismtaxon": "biolink:OrganismTaxon",
    "cellline": "biolink:CellLine",
    "mutation": "biolink:SequenceVariant",
    "dnamutation": "biolink:SequenceVariant",
    "proteinmutation": "biolink:SequenceVariant",
    "proteinallele": "biolink:SequenceVariant",
    "dnaallele": "biolink:SequenceVariant",
    "acidchange": "biolink:SequenceVariant",
    "copynumbervariant": "biolink:SequenceVariant",
    "snp": "biolink:SequenceVariant",
    "variant": "biolink:SequenceVariant",
    "sequencevariant": "biolink:SequenceVariant",
}
#: Prefix of identifiers that are written without one, by category.
_BARE = {
    "biolink:Gene": _GENE,
    "biolink:GeneFamily": _GENE,
    "biolink:OrganismTaxon": _TAXON,
    "biolink:Disease": _MESH,
    "biolink:ChemicalEntity": _MESH,
}
#: Prefixes in our spelling, by how they are written elsewhere, INDRA's names of databases among them.
_PREFIXES = {
    "mesh": _MESH,
    "ncbigene": _GENE,
    "ncbi_gene": _GENE,
    "entrez": _GENE,
    "egid": _GENE,
    "geneid": _GENE,
    "gene": _GENE,
    "ncbitaxon": _TAXON,
    "taxonomy": _TAXON,
    "taxid": _TAXON,
    "hgnc": "HGNC",
    "mgi": "MGI",
    "rgd": "RGD",
    "fplx": "FPLX",
    "chebi": "CHEBI",
    "go": "GO",
    "mondo": "MONDO",
    "doid": "DOID",
    "efo": "EFO",
    "omim": "OMIM",
    "mim": "OMIM",
    "umls": "UMLS",
}
_CURIE = re.compile(r"([A-Za-z][\w.]*)[:_](\S+)")
_CUI = re.compile(r"C\d{7}")
_MESH_NUMBER = re.compile(r"[CD]\d{6,9}")
#: Several identifiers of one mention.
SEPARATORS = re.compile(r"[|,;+]")
_UNKNOWN = frozenset({"", "-", "-1", "none", "null"})
_PMCID = re.compile(r"PMC0*([1-9]\d{0,11})(?:\.\d{1,4})?", re.IGNORECASE)
_PMID = re.compile(r"(?:PMID:\s*)?0*([1-9]\d{0,11})", re.IGNORECASE)
_DOI = re.compile(r"10\.\d{4,9}/\S+")


def category_of(kind: object) -> str:
    """Biolink category of a type of entity; `biolink:NamedThing` for one that is not known."""
    return _category(clean(kind))


@lru_cache(maxsize=1024)
def _category(name: str) -> str:
    known = _CATEGORIES.get(re.sub(r"[^a-z]", "", name.casefold()))
    return known or (biolink_category(name) if name else NAMED_THING)


def curies(raw: object, category: str = NAMED_THING) -> tuple[str, ...]:
    """Identifiers of one mention in our spelling, in their order; what cannot be one is left out.

    >>> curies("D003409", "biolink:Disease"), curies("MESH:D012559|OMIM:181500")
    (('MESH:D003409',), ('MESH:D012559', 'OMIM:181500'))
    """
    return _curies(clean(raw), category)


@lru_cache(maxsize=65_536)
def _curies(text: str, category: str) -> tuple[str, ...]:
    found = (_curie(part.strip(), category) for part in SEPARATORS.split(text))
    return tuple(dict.fromkeys(each for each in found if each))[:MOST_IDENTIFIERS]


def curie_of(database: str, number: object) -> str:
    """Identifier of a number of a database, as INDRA's `db_refs` give them; empty for a database that has none of ours."""
    prefix, value = _PREFIXES.get(database.casefold(), ""), clean(number)
    if not prefix or value.casefold() in _UNKNOWN:
        return ""
    bare = re.sub(rf"^{re.escape(prefix)}:", "", value, flags=re.IGNORECASE)
    if prefix == "UMLS":
        return bare if _CUI.fullmatch(bare) else ""
    return f"{prefix}:{bare}"


def _curie(text: str, category: str) -> str:
    if text.casefold() in _UNKNOWN:
        return ""
    if _CUI.fullmatch(text):
        return text
    if text.upper().startswith(_CELL_LINE):
        return text.upper().replace(":", "_", 1)
    written = _CURIE.fullmatch(text)
    if written is not None:
        return curie_of(written.group(1), written.group(2)) or text
    prefix = _BARE.get(category)
    if prefix is None or (prefix == _MESH and not _MESH_NUMBER.fullmatch(text)):
        return ""
    return f"{prefix}:{text}" if prefix == _MESH or text.isdecimal() else ""


def article_of(*references: object) -> ArticleReference:
    """The article that identifiers name, of which each is a PMCID with its prefix, a DOI, a PubMed id or an own id.

    No article where two of a kind differ: nothing tells which of them is meant.
    """
    found: dict[str, str] = {}
    for reference in references:
        kind, value = _reference(clean(reference))
        if kind and found.setdefault(kind, value).casefold() != value.casefold():
            return ArticleReference()
    return ArticleReference(**found)


def _reference(text: str) -> tuple[str, str]:
    """What kind of identifier of an article a text is, and its usual form; two empty ones for none."""
    if match := _PMCID.fullmatch(text):
        return "pmcid", f"PMC{match.group(1)}"
    if match := _PMID.fullmatch(text):
        return "pmid", match.group(1)
    if text.startswith(("FILE:", "SOURCE:")):
        return "own", text
    if match := _DOI.search(text):
        return "doi", match.group().rstrip(".,;)")
    return "", ""


def distinct(names: Iterable[str], most: int) -> tuple[str, ...]:
    """The first different names that are not empty."""
    return tuple(dict.fromkeys(name for name in names if name))[:most]
