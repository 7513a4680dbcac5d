"""When one of the concepts of a name is the clear reading."""

from __future__ import annotations

import pytest

from kg_pipeline.vocabulary.index.lookup import Candidate, Vocabulary
from kg_pipeline.vocabulary.linking.readings import clear_reading

GENE, CHEMICAL, DISEASE = "biolink:Gene", "biolink:ChemicalEntity", "biolink:Disease"


def candidate(concept_id: str, score: float, category: str = GENE, name: str = "") -> Candidate:
    return Candidate(concept_id, name or f"name of {concept_id}", category, score)


def test_equal_readings_are_open_unless_the_article_decides(vocabulary: Vocabulary) -> None:
    readings = [candidate("HGNC:12441", 0.8), candidate("HGNC:11515", 0.8)]
    assert clear_reading("TS", readings, set(), vocabulary) is None
    assert clear_reading("TS", readings, {"HGNC:11515"}, vocabulary) is readings[1]
    assert clear_reading("TS", [], set(), vocabulary) is None


@pytest.mark.parametrize(
    ("name", "score", "is_clear"),
    [
        ("Trex1", 0.6, False),  # another case: never by itself
        ("TS", 0.95, True),  # a preferred name
        ("TS", 0.8, False),  # a synonym of two letters
        ("TS1", 0.8, True),  # with a digit, and nothing else it could be
        ("thymidylate", 0.8, True),
    ],
)
def test_a_short_symbol_needs_a_preferred_name(
    vocabulary: Vocabulary, name: str, score: float, is_clear: bool
) -> None:
    assert (clear_reading(name, [candidate("HGNC:1", score)], set(), vocabulary) is not None) is is_clear


def test_a_protein_that_is_a_chemical_too_is_one_thing_and_a_disease_is_another(
    vocabulary: Vocabulary,
) -> None:
    gene = candidate("X:1", 0.9, GENE, "foxin")
    assert clear_reading("foxin", [gene, candidate("X:2", 0.9, CHEMICAL, "foxin")], set(), vocabulary) is gene
    disease = candidate("X:3", 0.9, DISEASE, "foxin")
    assert clear_reading("foxin", [gene, disease], set(), vocabulary) is None
