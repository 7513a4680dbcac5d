"""Our ids as CURIEs and back: concepts of UMLS, and articles by PMCID or DOI. Everything else is one already."""

from __future__ import annotations

import re

_CUI = re.compile(r"C\d{7}")
_UMLS = "UMLS:"
_PMCID = re.compile(r"PMC(\d+)")
_FOREIGN_PMC = re.compile(r"(?:PMC|PMCID|pmc):(?:PMC)?(\d+)")
_DOI = "DOI:"


def entity_curie(entity_id: str) -> str:
    """CURIE of an entity: `UMLS:C0024141` for a CUI."""
    return f"{_UMLS}{entity_id}" if _CUI.fullmatch(entity_id) else entity_id


def entity_of_curie(curie: str) -> str:
    """Entity id of a CURIE; the inverse of `entity_curie`."""
    bare = curie.removeprefix(_UMLS)
    return bare if bare != curie and _CUI.fullmatch(bare) else curie


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
