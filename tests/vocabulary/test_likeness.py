"""Similar names are offered where guards and a comparison word by word have no objection, and merged only if re-ordered."""

from __future__ import annotations

import pytest

from kg_pipeline.vocabulary.index import Vocabulary
from kg_pipeline.vocabulary.likeness import SIMILAR_NAME, TYPING_ERROR, WORD_ORDER, resembling
from kg_pipeline.vocabulary.linking import link, standard

DISEASE, CHEMICAL, GENE = "biolink:Disease", "biolink:ChemicalEntity", "biolink:Gene"


@pytest.mark.parametrize(
    ("name", "category", "rule", "like"),
    [
        ("menstrual disorders of youth", DISEASE, None, ""),
        ("rheumatoid athritis", DISEASE, TYPING_ERROR, "rheumatoid arthritis"),
        ("infection by hepatitis C virus", DISEASE, WORD_ORDER, "hepatitis C virus infection"),
        ("systemic lupus erythematodes", DISEASE, SIMILAR_NAME, "systemic lupus erythematosus"),
        ("von Willerbrand factor", GENE, SIMILAR_NAME, "von Willebrand factor"),
    ],
)
def test_a_name_that_the_vocabulary_lacks_is_found_by_the_nearest_one(
    vocabulary: Vocabulary, name: str, category: str, rule: str | None, like: str
) -> None:
    found = resembling(name, category, vocabulary)
    assert (found[0].rule if found else None) == rule
    if found:
        ids = {one.concept_id for one in vocabulary.lookup(like)}
        assert ids & {one.concept_id for one in vocabulary.lookup(found[0].form)}
        assert link(name, category, vocabulary)[0].candidate.concept_id in ids


@pytest.mark.parametrize(
    ("name", "category", "trap"),
    [
        ("hypothyroidosis of the heart", DISEASE, "hyper"),  # opposite prefixes
        ("interleukin 110 receptor", GENE, "interleukin"),  # numbers
        ("familial cardiomyopathy type 99", DISEASE, "familial"),
        ("transforming growth factor omega", GENE, "transforming growth factor"),  # Greek letters
        ("factor XXII deficiency", DISEASE, "factor"),  # Roman numerals
        ("kupivacaine hydrochloride", CHEMICAL, "bupivacaine"),  # another drug, by its first letter
        ("hand abnormality disease", DISEASE, "skin"),
    ],
)
def test_guards_keep_away_what_merely_looks_alike(
    vocabulary: Vocabulary, name: str, category: str, trap: str
) -> None:
    assert not [one for one in resembling(name, category, vocabulary) if trap in one.form.lower()]


def test_what_is_similar_is_offered_and_never_standardised_to(vocabulary: Vocabulary) -> None:
    links = link("systemic lupus erythematodes", DISEASE, vocabulary)
    assert links
    assert standard(links, vocabulary) is None
    reordered = link("infection by hepatitis C virus", DISEASE, vocabulary)
    assert standard(reordered, vocabulary) is not None


def test_symbols_and_short_names_have_no_likeness(vocabulary: Vocabulary) -> None:
    assert resembling("IL-110", GENE, vocabulary) == []
    assert resembling("asthmo", DISEASE, vocabulary) == []
