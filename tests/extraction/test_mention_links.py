"""Mentions get one concept for one name, however they were found, and what is not clear stays open."""

from __future__ import annotations

import pytest

from kg_pipeline.extraction.mentions.links import MentionLinker
from kg_pipeline.extraction.mentions.mention import Mention
from kg_pipeline.settings import load_settings
from kg_pipeline.text.abbreviations import find_definitions
from kg_pipeline.vocabulary.index.build import build_vocabulary
from kg_pipeline.vocabulary.index.lookup import Candidate, Vocabulary, open_vocabulary
from kg_pipeline.vocabulary.linking.article_context import article_context, named_in_full

GENE, DISEASE, CHEMICAL = "biolink:Gene", "biolink:Disease", "biolink:ChemicalEntity"


@pytest.fixture(scope="session")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    settings = load_settings({"KG_HOME": str(tmp_path_factory.getbasetemp() / "shared-vocabulary")})
    return open_vocabulary(build_vocabulary(settings))


def linked(
    vocabulary: Vocabulary, text: str, name: str, category: str, *readings: Candidate, last: bool = False
) -> Mention:
    """A mention of the name in the text, as a recogniser leaves it, linked."""
    context = article_context(
        text, find_definitions(text), {}, vocabulary, named_in_full(text, vocabulary.match(text))
    )
    start = text.rindex(name) if last else text.index(name)
    found = Mention(start, start + len(name), name, name, category, None, readings, "model")
    return MentionLinker(vocabulary, context.across_vertebrates()).linked(found)


def name_of(vocabulary: Vocabulary, mention: Mention) -> str | None:
    concept = vocabulary.concept(mention.concept_id or "")
    return concept.name if concept else None


@pytest.mark.parametrize(
    ("name", "category", "like"),
    [
        ("cancer of the prostate", DISEASE, "prostate cancer"),
        ("hypertensive", DISEASE, "hypertension"),
        ("Ca2+", CHEMICAL, "calcium"),
        ("b-catenin", GENE, "beta-catenin"),
        ("p53 gene", GENE, "TP53"),
    ],
)
def test_a_name_has_the_concept_of_another_way_to_say_it(
    vocabulary: Vocabulary, name: str, category: str, like: str
) -> None:
    found = linked(vocabulary, f"We saw {name} there.", name, category)
    plain = linked(vocabulary, f"We saw {like} there.", like, category)
    assert found.concept_id == plain.concept_id is not None
    assert found.candidates[0].concept_id == found.concept_id


@pytest.mark.parametrize("name", ["severe asthma", "asthma susceptibility"])
def test_what_is_only_near_stays_open(vocabulary: Vocabulary, name: str) -> None:
    assert linked(vocabulary, f"We saw {name} there.", name, DISEASE).concept_id is None


@pytest.mark.parametrize(
    "text", ["CTLA-4 was low.", "In mice, CTLA-4 was low.", "Rats and patients had CTLA-4 in common."]
)
def test_a_gene_is_one_entity_in_articles_about_mice_and_patients(vocabulary: Vocabulary, text: str) -> None:
    assert linked(vocabulary, text, "CTLA-4", GENE).concept_id == "HGNC:2505"


def test_a_gene_written_as_that_of_the_mouse_is_that_of_the_mouse(vocabulary: Vocabulary) -> None:
    assert linked(vocabulary, "In mice, Ctla4 was low.", "Ctla4", GENE).concept_id == "MGI:88556"


def test_an_article_about_yeast_has_no_human_genes(vocabulary: Vocabulary) -> None:
    text = "In yeast, POLR3C binds. Yeast cells need POLR3C."
    assert linked(vocabulary, text, "POLR3C", GENE).concept_id is None


def test_a_short_form_means_what_the_article_says_where_it_stands(vocabulary: Vocabulary) -> None:
    text = "Multiple sclerosis (MS) is rare. MS patients slept. Mitral stenosis (MS) differs from it in MS patients."
    first = linked(vocabulary, text, "MS patients", DISEASE)
    second = linked(vocabulary, text, "MS patients", DISEASE, last=True)
    assert name_of(vocabulary, first) == "multiple sclerosis"
    assert "mitral" in (name_of(vocabulary, second) or "").lower()


def test_a_recognised_short_form_stands_for_its_long_form(vocabulary: Vocabulary) -> None:
    text = "Foxic bar disorder (FBD) was seen. FBD is rare."
    found = linked(vocabulary, text, "FBD", DISEASE, last=True)
    assert (found.normal_form, found.concept_id) == ("Foxic bar disorder", None)


@pytest.mark.parametrize(
    ("text", "short", "category", "like"),
    [
        # What it stands for is no name of the vocabulary, and the concept of the letters says the same in other words.
        ("Huntington's chorea (HD) is rare.", "HD", DISEASE, "Huntington disease"),
        # Letters with a number that the long form has too.
        ("Foxic epidermal receptor 2 (HER2) rose.", "HER2", GENE, "ERBB2"),
        # It says something else.
        ("Antigen presenting cells (APC) rose.", "APC", GENE, None),
        ("Factor of apoptotic stress (FAS) rose.", "FAS", GENE, None),
    ],
)
def test_a_short_form_is_what_its_letters_mean_to_others_only_if_the_article_agrees(
    vocabulary: Vocabulary, text: str, short: str, category: str, like: str | None
) -> None:
    found = linked(vocabulary, text, short, category)
    expected = linked(vocabulary, f"We saw {like}.", like, category).concept_id if like else None
    assert found.concept_id == expected


def test_an_abbreviation_that_no_article_explains_is_not_taken_for_a_substance(
    vocabulary: Vocabulary,
) -> None:
    assert linked(vocabulary, "DEX was given.", "DEX", CHEMICAL).concept_id is None
    assert linked(vocabulary, "Zn was given.", "Zn", CHEMICAL).concept_id is not None


def test_a_name_is_no_less_clear_for_the_article_naming_its_readings(vocabulary: Vocabulary) -> None:
    text = "Immune responses differ. Immunity and the immune response rose. Folate and folates fell."
    assert (
        linked(vocabulary, text, "Immune responses", "biolink:BiologicalProcess").concept_id == "GO:0006955"
    )
    assert linked(vocabulary, text, "Folate", CHEMICAL).concept_id is not None


def test_a_name_of_several_kinds_that_the_recogniser_did_not_see_stays_open(vocabulary: Vocabulary) -> None:
    readings = Candidate("X:1", "x", GENE, 0.9), Candidate("X:2", "x", DISEASE, 0.9)
    found = linked(vocabulary, "We saw TP53 there.", "TP53", GENE, *readings)
    assert (found.concept_id, found.candidates) == (None, readings)


def test_neighbouring_numbers_are_different_concepts(vocabulary: Vocabulary) -> None:
    names = ["IL-1", "IL-2", "IL-10", "IL-12", "interleukin 1 beta"]
    concepts = [linked(vocabulary, f"We saw {name} there.", name, GENE).concept_id for name in names]
    assert len(set(concepts)) == len(names)
