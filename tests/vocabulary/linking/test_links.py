"""From a name in an article to its concept: the article's word, other ways to say it, the species, and what stays open."""

from __future__ import annotations

import pytest

from kg_pipeline.text.abbreviations import find_definitions
from kg_pipeline.vocabulary.index.lookup import Vocabulary
from kg_pipeline.vocabulary.linking.article_context import article_context
from kg_pipeline.vocabulary.linking.links import Link, link, standard

DISEASE, CHEMICAL, GENE, TAXON = (
    "biolink:Disease",
    "biolink:ChemicalEntity",
    "biolink:Gene",
    "biolink:OrganismTaxon",
)


def first(vocabulary: Vocabulary, name: str, category: str, text: str = "") -> Link | None:
    context = article_context(text, find_definitions(text), {}, vocabulary)
    return next(iter(link(name, category, vocabulary, context, max(text.rfind(name), 0))), None)


def same(vocabulary: Vocabulary, name: str, category: str) -> str | None:
    found = standard(link(name, category, vocabulary), vocabulary)
    return found.candidate.concept_id if found else None


@pytest.mark.parametrize(
    ("name", "category", "like"),
    [
        ("cancer of the prostate", DISEASE, "prostate cancer"),
        ("renal failure", DISEASE, "kidney failure"),
        ("hypertensive", DISEASE, "hypertension"),
        ("asthma patients", DISEASE, "asthma"),
        ("Ca2+", CHEMICAL, "calcium"),
        ("CaCl(2)", CHEMICAL, "calcium chloride"),
        ("p53 gene", GENE, "TP53"),
    ],
)
def test_another_way_to_say_a_name_is_the_same_concept(
    vocabulary: Vocabulary, name: str, category: str, like: str
) -> None:
    assert same(vocabulary, name, category) == same(vocabulary, like, category) is not None


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("severe asthma", DISEASE),
        ("cisplatin-induced nephropathy of rats", DISEASE),
        ("morphine sulfate", CHEMICAL),
        ("(+)-pentazocine", CHEMICAL),
        ("asthma susceptibility", DISEASE),
        ("methotrexxate", CHEMICAL),
    ],
)
def test_what_is_only_near_is_offered_and_never_standardised_to(
    vocabulary: Vocabulary, name: str, category: str
) -> None:
    links = link(name, category, vocabulary)
    plain = {"severe asthma": "asthma", "morphine sulfate": "morphine", "methotrexxate": "methotrexate"}.get(
        name
    )
    assert links
    assert same(vocabulary, name, category) is None or same(vocabulary, name, category) != (
        same(vocabulary, plain, category) if plain else links[0].candidate.concept_id
    )


def test_the_article_says_what_a_short_form_means_alone_and_inside_a_name(vocabulary: Vocabulary) -> None:
    text = "Parkinson disease (PD) was seen. PD patients had tremor."
    found = first(vocabulary, "PD patients", DISEASE, text)
    plain = first(vocabulary, "Parkinson disease", DISEASE)
    assert found is not None
    assert plain is not None
    assert found.candidate.concept_id == plain.candidate.concept_id


@pytest.mark.parametrize(
    ("text", "concept_id"),
    [
        ("Patients had less STAT3.", "HGNC:11364"),
        ("In mice, STAT3 was low.", "MGI:103038"),
        ("Rats were given STAT3 siRNA, and STAT3 fell.", "RGD:3772"),
        ("STAT3 was low.", "HGNC:11364"),
    ],
)
def test_a_gene_is_of_the_species_that_the_sentence_is_about(
    vocabulary: Vocabulary, text: str, concept_id: str
) -> None:
    found = first(vocabulary, "STAT3", GENE, text)
    assert found is not None
    assert found.candidate.concept_id == concept_id


def test_a_gene_of_a_species_that_is_not_known_is_never_standardised_to_a_human_one(
    vocabulary: Vocabulary,
) -> None:
    """Rpc82 in yeast is no human subunit, though a vocabulary of human genes may list the name (er_overmerge)."""
    text = "In Saccharomyces cerevisiae, POLR3C binds Rpc34."
    context = article_context(text, (), {}, vocabulary)
    links = link("POLR3C", GENE, vocabulary, context, text.index("POLR3C"))
    assert standard(links, vocabulary) is None


def test_an_ambiguous_symbol_stays_open_and_another_type_is_no_candidate(vocabulary: Vocabulary) -> None:
    """TS may be several genes; a name of a fabric is none of a drug (er_overmerge, scispacy)."""
    assert same(vocabulary, "TS", GENE) is None
    assert link("tarlatamax", DISEASE, vocabulary) == ()
    assert all(one.candidate.category != "biolink:Gene" for one in link("insulin", DISEASE, vocabulary))


def test_words_for_people_are_one_species_and_variants_have_one_spelling(vocabulary: Vocabulary) -> None:
    people = {first(vocabulary, name, TAXON) for name in ("patients", "young women", "PATIENTS")}
    assert {one.candidate.concept_id for one in people if one} == {
        first(vocabulary, "Homo sapiens", TAXON).candidate.concept_id
    }  # type: ignore[union-attr]
    variant = first(vocabulary, "Val600Glu", "biolink:SequenceVariant")
    assert variant is not None
    assert variant.candidate.concept_id == "HGVS:p.V600E"
    assert not variant.is_same  # of which gene, its name does not say


def test_the_same_input_gives_the_same_links(vocabulary: Vocabulary) -> None:
    """Ties are broken by a written rule, so that runs agree (scispacy)."""
    runs = {link("aspirin", CHEMICAL, vocabulary) for _ in range(5)}
    assert len(runs) == 1


@pytest.mark.parametrize("name", ["smoking", "contrast", "foxitide"])
def test_a_salt_put_behind_a_word_does_not_stand_for_it(vocabulary: Vocabulary, name: str) -> None:
    assert first(vocabulary, name, CHEMICAL) is None
