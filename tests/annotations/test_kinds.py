from __future__ import annotations

import pytest

from kg_pipeline.extraction.annotations import kinds
from kg_pipeline.extraction.annotations.identifiers import category_of, curies
from kg_pipeline.extraction.relation_model.kinds import Meant
from kg_pipeline.vocabulary.predicates import PREDICATES

GENE, CHEMICAL, DISEASE = "biolink:Gene", "biolink:ChemicalEntity", "biolink:Disease"


@pytest.mark.parametrize(
    ("relation", "head", "tail", "meant"),
    [
        ("Positive_Correlation", DISEASE, CHEMICAL, Meant("causes", inverted=True)),
        ("Positive_Correlation", GENE, GENE, Meant("correlated_with")),
        ("negative_correlate", CHEMICAL, DISEASE, Meant("treats")),
        ("associate", GENE, DISEASE, Meant("associated_with")),
        ("treat", CHEMICAL, DISEASE, Meant("treats")),
        ("cause", GENE, DISEASE, Meant("causes")),
        ("stimulate", CHEMICAL, DISEASE, Meant("increases")),
        ("CID", CHEMICAL, DISEASE, Meant("causes")),
        ("PRODUCT-OF", CHEMICAL, GENE, Meant("produces", inverted=True)),
        ("Influence negative", DISEASE, DISEASE, Meant("decreases")),
        ("biolink:treats", CHEMICAL, DISEASE, Meant("treats")),
        ("Associated With", GENE, DISEASE, Meant("associated_with")),
        ("is up-regulated by", GENE, CHEMICAL, Meant("increases", inverted=True)),
    ],
)
def test_a_type_means_a_predicate_that_its_ends_allow(
    relation: str, head: str, tail: str, meant: Meant
) -> None:
    assert kinds.meant_by(relation, head, tail) == meant


@pytest.mark.parametrize(
    ("relation", "why"),
    [
        ("Cotreatment", "no_knowledge"),
        ("compare", "no_knowledge"),
        ("co-occurs in a title", "unknown_predicate"),
        ("", "unknown_predicate"),
        ("treats", "unfit_categories"),
    ],
)
def test_why_a_type_means_none(relation: str, why: str) -> None:
    assert kinds.meant_by(relation, CHEMICAL, GENE) == why


def test_every_listed_type_has_a_predicate_of_the_closed_set() -> None:
    for kind, meanings in kinds._listed().items():
        for meaning in meanings:
            is_special = meaning == "-" or meaning.startswith("biored")
            assert is_special or meaning.removeprefix("<") in PREDICATES, kind


@pytest.mark.parametrize(
    ("raw", "kind", "found"),
    [
        ("672", "Gene", ("NCBIGene:672",)),
        ("672;673", "GeneOrGeneProduct", ("NCBIGene:672", "NCBIGene:673")),
        ("D003409", "Disease", ("MESH:D003409",)),
        ("OMIM:181500|MESH:D012559", "Disease", ("OMIM:181500", "MESH:D012559")),
        ("MESH:C0000001", "Chemical", ("MESH:C0000001",)),
        ("9606", "Species", ("NCBITaxon:9606",)),
        ("CVCL_0030", "CellLine", ("CVCL_0030",)),
        ("C0024141", "", ("C0024141",)),
        ("c|DEL|1314_1328|", "SequenceVariant", ()),
        ("-", "Gene", ()),
        ("no number", "Gene", ()),
        (None, "Gene", ()),
    ],
)  # fmt: skip
def test_identifiers_become_those_of_the_vocabulary(
    raw: str | None, kind: str, found: tuple[str, ...]
) -> None:
    assert curies(raw, category_of(kind)) == found
