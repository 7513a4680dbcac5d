"""Mondo, the Disease Ontology and the Gene Ontology."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from kg_pipeline.vocabulary.names.symbols import is_symbol
from open_vocabulary.drafts import Draft, curie


def ontology(terms: list[dict[str, Any]], prefix: str, category: str) -> Iterator[Draft]:
    """Terms of an OBO-like ontology, with the cross-references that are used here."""
    spaces = {"UMLS": "UMLS", "UMLS_CUI": "UMLS", "MESH": "MESH", "DOID": "DOID", "OMIM": "OMIM"}
    for term in terms:
        if not term["name"] or term["name"].startswith("obsolete"):
            continue
        xrefs = {
            f"{spaces[x['namespace']]}:{x['id'].removeprefix('DOID:')}"
            for x in term.get("xrefs", ())
            if x["namespace"] in spaces
        }
        yield Draft(
            id=curie(prefix, term["id"]),
            name=term["name"].removesuffix(" (disease)"),
            category=category,
            source=prefix,
            names=list(term.get("synonyms", ())),
            parents=[curie(prefix, parent) for parent in term.get("relations", {}).get("is_a", ())],
            xrefs=xrefs,
            cuis=Counter(x.removeprefix("UMLS:") for x in xrefs if x.startswith("UMLS:C")),
        )


def mondo_diseases(terms: list[dict[str, Any]]) -> Iterator[Draft]:
    """Terms below `disease`, so no characteristics such as `rare`; acronyms that Mondo folded get their capitals back."""
    drafts = {draft.id: draft for draft in ontology(terms, "MONDO", "biolink:Disease")}
    children: dict[str, list[str]] = defaultdict(list)
    for draft in drafts.values():
        for parent in draft.parents:
            children[parent].append(draft.id)
    below, stack = {"MONDO:0000001"}, ["MONDO:0000001"]
    while stack:
        for child in children[stack.pop()]:
            if child not in below:
                below.add(child)
                stack.append(child)
    for draft in drafts.values():
        if draft.id in below:
            draft.names = [
                name.upper() if is_folded_acronym(name, draft.name) else name for name in draft.names
            ]
            yield draft


def is_folded_acronym(short: str, name: str) -> bool:
    """Whether a short lower-case synonym is an acronym of the name: `arms` of alveolar rhabdomyosarcoma; not `flu`."""
    if not (2 <= len(short) <= 5 and short.isalpha() and short.islower()) or short in name.lower():
        return False
    letters = iter(name.lower())
    return name[:1].lower() == short[0] and all(letter in letters for letter in short)


GO_CATEGORIES = {
    "biological_process": "biolink:BiologicalProcess",
    "molecular_function": "biolink:MolecularActivity",
    "cellular_component": "biolink:CellularComponent",
}


#: `NF-kappaB activation` and the like would hide the gene that the sentence is about.
_GO_OVER_GENES = re.compile(
    r"(?:activation|inhibition|induction|stimulation|down-?regulation|up-?regulation)( of .*)?$"
)


def gene_ontology(terms: list[dict[str, Any]]) -> Iterator[Draft]:
    """Terms with a name short enough to be written in a sentence."""
    for draft, term in zip(ontology(terms, "GO", ""), terms, strict=True):
        draft.category = GO_CATEGORIES[term["namespace"]]
        # GO does not tell exact synonyms from broad ones here; short ones are mostly names of gene products.
        draft.names = [
            name
            for name in draft.names
            if 6 < len(name) <= 60 and not is_symbol(name) and not _GO_OVER_GENES.search(name)
        ]
        if len(draft.name) <= 70:
            yield draft
