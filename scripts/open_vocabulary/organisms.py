"""Taxa by their identifiers of the NCBI Taxonomy, and cell lines of the Experimental Factor Ontology."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator
from typing import Any

from open_vocabulary.drafts import Draft
from open_vocabulary.wheels import Wheel


def add_taxon_references(drafts: Iterable[Draft], pyobo: Wheel) -> None:
    """Give organisms of MeSH the taxon that has one of their names as its scientific name."""
    organisms = [draft for draft in drafts if draft.category == "biolink:OrganismTaxon"]
    wanted = {name.lower(): draft for draft in organisms for name in [*draft.names, *draft.ours, draft.name]}
    for line in gzip.decompress(pyobo.bytes("ncbitaxon.tsv.gz")).decode().splitlines():
        number, _, name = line.partition("\t")
        draft = wanted.get(name.lower())
        if draft is not None:
            draft.xrefs.add(f"NCBITaxon:{number}")


_CELL_LINE_ROOT = "0000322"
_PLAIN_CELL_LINE = re.compile(r"[\w./ -]{2,24}")


def cell_lines(terms: list[dict[str, Any]]) -> Iterator[Draft]:
    """Cell lines of EFO with their Cellosaurus accessions where it gives them."""
    children: dict[str, list[str]] = {}
    for term in terms:
        for parent in term.get("relations", {}).get("is_a", ()):
            children.setdefault(parent, []).append(term["id"])
    below, stack = set(), [_CELL_LINE_ROOT]
    while stack:
        for child in children.get(stack.pop(), ()):
            if child not in below:
                below.add(child)
                stack.append(child)
    for term in terms:
        accessions = {x["id"] for x in term.get("xrefs", ()) if x["id"].startswith("CVCL_")}
        is_line = (
            term["id"] in below and not children.get(term["id"]) and any(c.isdigit() for c in term["name"])
        )
        if not (accessions or is_line) or not _PLAIN_CELL_LINE.fullmatch(term["name"]):
            continue
        names = [name.removesuffix(" cell") for name in term.get("synonyms", ())]
        names = [name for name in names if _PLAIN_CELL_LINE.fullmatch(name)]
        yield Draft(
            f"EFO:{term['id']}",
            term["name"].removesuffix(" cell"),
            "biolink:CellLine",
            "EFO",
            names,
            xrefs=accessions,
        )
