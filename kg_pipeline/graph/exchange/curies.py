"""Our ids as CURIEs and back: concepts of UMLS and MedGen, and articles by PMCID or DOI. Everything else is one already."""

from __future__ import annotations

import re

#: Ids that come without a prefix, and the one they get; MedGen's own concepts are those that UMLS lacks.
_BARE = {"UMLS:": re.compile(r"C\d{7}"), "medgen:": re.compile(r"CN\d{6}")}
_PMCID = re.compile(r"PMC(\d+)")
_FOREIGN_PMC = re.compile(r"(?:PMC|PMCID|pmc):(?:PMC)?(\d+)")
_DOI = "DOI:"


def entity_curie(entity_id: str) -> str:
    """CURIE of an entity: `UMLS:C0024141` for a CUI, `medgen:CN000001` for a concept of MedGen."""
    prefixes = (prefix for prefix, pattern in _BARE.items() if pattern.fullmatch(entity_id))
    return next(prefixes, "") + entity_id


def entity_of_curie(curie: str) -> str:
    """Entity id of a CURIE; the inverse of `entity_curie`."""
    for prefix, pattern in _BARE.items():
        bare = curie.removeprefix(prefix)
        if bare != curie and pattern.fullmatch(bare):
            return bare
    return curie


def article_curie(article_id: str) -> str:
    """CURIE of an article, with the prefixes that Biolink expands: `PMC:123`, `doi:10.1/x`."""
    if match := _PMCID.fullmatch(article_id):
        return f"PMC:{match[1]}"
    return f"doi:{article_id.removeprefix(_DOI)}" if article_id.startswith(_DOI) else article_id


def article_of_curie(curie: str) -> str:
    """Article id of a CURIE; the inverse of `article_curie`, which also takes other spellings of a PMCID."""
    if match := _FOREIGN_PMC.fullmatch(curie):
        return f"PMC{match[1]}"
    prefix, _, local = curie.partition(":")
    return f"{_DOI}{local}" if prefix.lower() == "doi" else curie
