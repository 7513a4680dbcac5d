"""JSON-LD in the manner of nanopublications: `graph.jsonld`, one assertion with its provenance a relation.

Each relation is a nanopublication: its assertion graph holds the triple, its provenance graph what it was derived from
(quotes as Web Annotation selectors in their article, or premises) and its publication graph which graph version says
so. A relation that the articles deny has the assertion typed `kg:NegatedAssertion`, so that nobody reads it as a fact.

Carried: entities, relations of all kinds, evidence. Not carried: counts of mentions, articles' bibliography, text,
chunks, merges, vectors. Values of confidence are literals of `kg:confidence`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote as percent

from kg_pipeline.graph.exchange import biolink
from kg_pipeline.graph.exchange.curies import article_curie, entity_curie
from kg_pipeline.graph.exchange.files import writing
from kg_pipeline.graph.exchange.records import Edge, Node, Support
from kg_pipeline.graph.exchange.source import ExportSource

#: Names within one graph; a URN, since nothing of ours is served on the web.
_BASE = "urn:kg:"
_IDENTIFIERS = "https://identifiers.org/"
#: Where a prefix resolves, if it is not identifiers.org.
_RESOLVERS = {"PMC": "http://europepmc.org/articles/PMC", "doi": "https://doi.org/"}
_CONTEXT = {
    "@version": 1.1,
    "np": "http://www.nanopub.org/nschema#",
    "prov": "http://www.w3.org/ns/prov#",
    "oa": "http://www.w3.org/ns/oa#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "dcterms": "http://purl.org/dc/terms/",
    "biolink": "https://w3id.org/biolink/vocab/",
    "kg": _BASE,
}


def write(source: ExportSource, folder: Path) -> list[Path]:
    """Write the file; its path."""
    name = "graph.jsonld"
    manifest = source.manifest
    version = f"{_BASE}{manifest.corpus}/{manifest.version}"
    with writing(folder, [name]) as (stream,):
        stream.write(f'{{"@context": {json.dumps(_CONTEXT)},\n"@graph": [\n')
        for place, item in enumerate(_items(source, version)):
            stream.write((",\n" if place else "") + json.dumps(item, ensure_ascii=False))
        stream.write("\n]}\n")
    return [folder / name]


def _items(source: ExportSource, version: str) -> Iterator[dict[str, Any]]:
    yield from map(_entity, source.nodes())
    for edge in source.edges():
        yield _nanopublication(edge, version)


def _entity(node: Node) -> dict[str, Any]:
    return {
        "@id": _iri(entity_curie(node.entity_id)),
        "@type": node.category,
        "rdfs:label": node.name,
        "skos:altLabel": [alias for alias in node.aliases if alias != node.name],
    }


def _nanopublication(edge: Edge, version: str) -> dict[str, Any]:
    own = f"{version}/{edge.relation_id}"
    assertion, provenance, publication = (f"{own}#{part}" for part in ("assertion", "provenance", "pubinfo"))
    said = biolink.to_biolink(edge.predicate)
    statement = {
        "@id": f"{own}#statement",
        "@type": "biolink:Association",
        "biolink:subject": {"@id": _iri(entity_curie(edge.head_id))},
        "biolink:predicate": {"@id": said.predicate},
        "biolink:object": {"@id": _iri(entity_curie(edge.tail_id))},
        "biolink:original_predicate": biolink.ORIGINAL + edge.predicate,
        "biolink:negated": edge.negated,
        "kg:speculative": edge.speculative,
        **{f"biolink:{n}": v for n, v in zip(biolink.QUALIFIERS, said.qualifiers, strict=True) if v},
    }
    derived = [_annotation(own, support) for support in edge.supports]
    derived += [{"@id": f"{version}/{premise}"} for premise in edge.premises]
    return {
        "@id": f"{own}#head",
        "@graph": [
            {
                "@id": own,
                "@type": "np:Nanopublication",
                "np:hasAssertion": {
                    "@id": assertion,
                    "@type": "kg:NegatedAssertion" if edge.negated else "np:Assertion",
                    "@graph": [statement],
                },
                "np:hasProvenance": {
                    "@id": provenance,
                    "@graph": [
                        {
                            "@id": assertion,
                            "kg:kind": edge.kind,
                            "kg:confidence": edge.confidence,
                            "kg:rule": edge.rule or None,
                            "dcterms:source": [{"@id": _iri(curie)} for curie in edge.publications],
                            "prov:wasAttributedTo": edge.source,
                            "prov:wasDerivedFrom": derived,
                        }
                    ],
                },
                "np:hasPublicationInfo": {
                    "@id": publication,
                    "@graph": [{"@id": own, "dcterms:isPartOf": {"@id": version}}],
                },
            }
        ],
    }


def _annotation(own: str, support: Support) -> dict[str, Any]:
    return {
        "@id": f"{own}#{support.evidence_id}",
        "@type": "oa:SpecificResource",
        "oa:hasSource": {"@id": _iri(article_curie(support.article_id))},
        "oa:hasSelector": [
            {"@type": "oa:TextQuoteSelector", "oa:exact": support.quote},
            {"@type": "oa:TextPositionSelector", "oa:start": support.start, "oa:end": support.end},
        ],
        "dcterms:isPartOf": support.section_path,
        "kg:extractor": support.extractor,
        "kg:confidence": support.confidence,
    }


def _iri(curie: str) -> str:
    prefix, colon, local = curie.partition(":")
    if not colon:
        return f"{_BASE}entity/{percent(curie, safe='')}"
    if prefix in _RESOLVERS:
        return _RESOLVERS[prefix] + percent(local, safe="/:.()-_")
    return f"{_IDENTIFIERS}{percent(prefix, safe='')}:{percent(local, safe='/:.()-_')}"
