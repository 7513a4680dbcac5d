"""Similar names are offered where guards and a comparison word by word have no objection, and never merged."""

from __future__ import annotations

import pytest

from kg_pipeline.vocabulary.index.lookup import Vocabulary
from kg_pipeline.vocabulary.linking.likeness import SAME_WORDS, SIMILAR_NAME, TYPING_ERROR, resembling
from kg_pipeline.vocabulary.linking.links import link, standard

DISEASE, CHEMICAL, GENE = "biolink:Disease", "biolink:ChemicalEntity", "biolink:Gene"


@pytest.mark.parametrize(
    ("name", "category", "rule", "like"),
    [
        ("menstrual disorders of youth", DISEASE, None, ""),
        ("rheumatoid athritis", DISEASE, TYPING_ERROR, "rheumatoid arthritis"),
        ("infection by hepatitis C virus", DISEASE, SAME_WORDS, "hepatitis C virus infection"),
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
    for name in ("systemic lupus erythematodes", "infection by hepatitis C virus"):
        links = link(name, DISEASE, vocabulary)
        assert links
        assert standard(links, vocabulary) is None


@pytest.mark.parametrize(
    ("turned", "name"),
    [
        ("hypertension-induced pregnancy", "pregnancy-induced hypertension"),
        ("hypertension induced pregnancy", "pregnancy-induced hypertension"),
        ("hypertension\u2010induced pregnancy", "pregnancy-induced hypertension"),
        ("cancer-associated colitis", "colitis-associated cancer"),
        ("host-versus-graft disease", "graft-versus-host disease"),
    ],
)
def test_what_does_it_and_what_comes_of_it_do_not_change_places(
    vocabulary: Vocabulary, turned: str, name: str
) -> None:
    meant = {one.concept_id for one in vocabulary.lookup(name)}
    links = link(turned, DISEASE, vocabulary)
    assert standard(links, vocabulary) is None
    if "versus" not in turned:
        assert not meant & {one.candidate.concept_id for one in links}


@pytest.mark.parametrize(
    ("name", "like"),
    [
        ("ventilator-induced injury of the lung", "ventilator-induced lung injury"),
        ("cancer associated with colitis", "colitis-associated cancer"),
        ("osteomalacia induced by tumor", "tumor-induced osteomalacia"),
    ],
)
def test_another_order_in_which_the_same_does_it_is_found(
    vocabulary: Vocabulary, name: str, like: str
) -> None:
    found = resembling(name, DISEASE, vocabulary)
    assert (found[0].rule, found[0].form.lower()) == (SAME_WORDS, like)


def test_symbols_and_short_names_have_no_likeness(vocabulary: Vocabulary) -> None:
    assert resembling("IL-110", GENE, vocabulary) == []
    assert resembling("asthmo", DISEASE, vocabulary) == []


@pytest.mark.parametrize("name", ["L-asparaginase", "asparaginases"])
def test_an_enzyme_is_no_typing_error_of_its_substrate(vocabulary: Vocabulary, name: str) -> None:
    assert vocabulary.lookup("L-asparaginate")
    assert not [one.form for one in resembling(name, CHEMICAL, vocabulary) if "ate" in one.form]
