"""CURIEs of entities and articles."""

from __future__ import annotations

import pytest

from kg_pipeline.graph.exchange.curies import article_curie, article_of_curie, entity_curie, entity_of_curie


@pytest.mark.parametrize(
    ("entity", "curie"),
    [
        ("C0024141", "UMLS:C0024141"),
        ("CN000001", "medgen:CN000001"),
        ("MESH:D1", "MESH:D1"),
        ("LOCAL:0a", "LOCAL:0a"),
        ("UMLS:x", "UMLS:x"),
    ],
)
def test_entities(entity, curie):
    assert (entity_curie(entity), entity_of_curie(curie)) == (curie, entity)


@pytest.mark.parametrize(
    ("article", "curie"),
    [("PMC12", "PMC:12"), ("DOI:10.1/a:b", "doi:10.1/a:b"), ("FILE:x.xml", "FILE:x.xml")],
)
def test_articles(article, curie):
    assert (article_curie(article), article_of_curie(curie)) == (curie, article)


@pytest.mark.parametrize("curie", ["PMC:PMC12", "PMCID:PMC12", "pmc:12"])
def test_other_spellings_of_a_pmcid(curie):
    assert article_of_curie(curie) == "PMC12"
