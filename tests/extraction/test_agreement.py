"""The recogniser and the vocabulary made into one reading; formulae, and words for people."""

from __future__ import annotations

import pytest

from kg_pipeline.extraction.mentions.agreement import agree
from kg_pipeline.extraction.mentions.formulas import is_formula
from kg_pipeline.extraction.mentions.mention import Mention
from kg_pipeline.extraction.mentions.ner.recogniser import RecognisedName
from kg_pipeline.extraction.mentions.people import is_people
from kg_pipeline.vocabulary.index.lookup import Candidate

TEXT = "chronic foxitis CAT DNA repair"
KNOWN = {"disorder", "gene", "chemical"}
GENE, DISEASE, CHEMICAL = "biolink:Gene", "biolink:Disease", "biolink:ChemicalEntity"
PROCESS, TAXON = "biolink:BiologicalProcess", "biolink:OrganismTaxon"


def candidate(concept_id: str, category: str, score: float = 1.0) -> Candidate:
    return Candidate(concept_id, concept_id, category, score)


def mention(surface: str, category: str, *candidates: Candidate, source: str = "vocabulary") -> Mention:
    start = TEXT.index(surface)
    first = candidates[0].concept_id if candidates else None
    return Mention(start, start + len(surface), surface, surface, category, first, candidates, source)


def name(surface: str, category: str) -> RecognisedName:
    start = TEXT.index(surface)
    return RecognisedName(start, start + len(surface), category)


def agreed(mentions: list[Mention], names: list[RecognisedName]) -> list[tuple[str, str, str | None, str]]:
    found = agree(TEXT, mentions, names, KNOWN)
    return [(one.text, one.category, one.concept_id, one.source) for one in found]


def test_the_recognisers_span_is_taken() -> None:
    found = agreed(
        [mention("foxitis", DISEASE, candidate("X:1", DISEASE))], [name("chronic foxitis", DISEASE)]
    )
    assert found == [("chronic foxitis", DISEASE, None, "model")]


def test_a_name_without_a_concept_stays_open() -> None:
    assert agreed([], [name("CAT", GENE)]) == [("CAT", GENE, None, "model")]


def test_the_recogniser_chooses_among_the_readings_of_a_name() -> None:
    readings = candidate("X:animal", TAXON, 0.9), candidate("X:gene", GENE)
    found = agreed([mention("CAT", TAXON, *readings)], [name("CAT", GENE)])
    assert found == [("CAT", GENE, "X:gene", "vocabulary")]


def test_the_recogniser_drops_the_readings_of_other_kinds_of_an_open_name() -> None:
    readings = candidate("X:gene", GENE, 0.9), candidate("X:animal", TAXON, 0.9)
    start = TEXT.index("CAT")
    open_name = Mention(start, start + 3, "CAT", "CAT", GENE, None, readings, "vocabulary")
    (found,) = agree(TEXT, [open_name], [name("CAT", GENE)], KNOWN)
    assert [one.concept_id for one in found.candidates] == ["X:gene"]


def test_a_kind_that_no_reading_has_leaves_the_name_open() -> None:
    process = mention("foxitis", PROCESS, candidate("X:1", PROCESS, 0.9))
    found = agreed([process], [name("foxitis", DISEASE)])
    assert found == [("foxitis", DISEASE, None, "vocabulary")]


def test_a_sure_concept_is_kept_whole_where_the_recogniser_sees_a_part_of_it() -> None:
    whole = mention("chronic foxitis", DISEASE, candidate("X:1", DISEASE))
    assert agreed([whole], [name("foxitis", DISEASE)]) == [("chronic foxitis", DISEASE, "X:1", "vocabulary")]
    doubtful = mention("chronic foxitis", DISEASE, candidate("X:1", DISEASE, 0.88))
    assert agreed([doubtful], [name("foxitis", DISEASE)]) == [("foxitis", DISEASE, None, "model")]


def test_a_definition_of_several_names_that_is_no_concept_gives_way_to_them() -> None:
    both = mention("foxitis CAT", DISEASE, source="abbreviation")
    names = [name("foxitis", DISEASE), name("CAT", GENE)]
    assert [text for text, *_ in agreed([both], names)] == ["foxitis", "CAT"]
    assert [text for text, *_ in agreed([both], names[:1])] == ["foxitis CAT"]
    known = mention("foxitis CAT", DISEASE, candidate("X:1", DISEASE), source="abbreviation")
    assert [text for text, *_ in agreed([known], names)] == ["foxitis CAT"]


def test_a_span_of_two_concepts_gives_way_to_them() -> None:
    gene = mention("CAT", GENE, candidate("X:1", GENE))
    disease = mention("foxitis", DISEASE, candidate("X:2", DISEASE))
    found = agreed([disease, gene], [name("foxitis CAT", DISEASE)])
    assert [text for text, *_ in found] == ["foxitis"]  # a symbol alone is doubted


def test_a_span_that_goes_on_after_a_concept_of_its_kind_gives_way_to_it() -> None:
    foxitis = mention("foxitis", DISEASE, candidate("X:2", DISEASE))
    found = agreed([foxitis], [name("foxitis CAT DNA repair", DISEASE)])
    assert [text for text, *_ in found] == ["foxitis"]


def test_a_sure_concept_of_a_kind_that_the_recogniser_does_not_know_is_kept() -> None:
    exposure = "biolink:EnvironmentalExposure"
    found = agreed([mention("DNA", exposure, candidate("X:1", exposure))], [name("DNA", GENE)])
    assert found == [("DNA", exposure, "X:1", "vocabulary")]


def test_a_chemical_that_is_a_protein_keeps_its_concept() -> None:
    found = agreed([mention("CAT", CHEMICAL, candidate("X:1", CHEMICAL))], [name("CAT", GENE)])
    assert found == [("CAT", CHEMICAL, "X:1", "vocabulary")]


@pytest.mark.parametrize(
    ("one", "is_kept"),
    [
        (mention("CAT", GENE, candidate("X:1", GENE)), False),
        (mention("foxitis", DISEASE), False),
        (mention("foxitis", DISEASE, candidate("X:1", DISEASE)), True),
        (mention("foxitis", DISEASE, candidate("X:1", DISEASE, 0.8)), False),
        (mention("DNA", CHEMICAL, candidate("X:1", CHEMICAL)), True),
        (mention("CAT", GENE, candidate("X:1", GENE), source="abbreviation"), True),
        (mention("DNA repair", PROCESS, candidate("X:1", PROCESS)), True),
    ],
    ids=[
        "symbol",
        "open",
        "preferred name",
        "doubtful synonym",
        "chemical symbol",
        "defined",
        "kind unknown to the recogniser",
    ],
)
def test_silence_of_the_recogniser_weighs_against_doubtful_readings(one: Mention, is_kept: bool) -> None:
    assert bool(agreed([one], [])) is is_kept


@pytest.mark.parametrize(
    "formula", ["CO2", "H2O2", "NO2", "NaCl", "CaCl2", "CaCl(2)", "H2SO4", "NaHCO3", "Fe2O3", "NH3", "TiO2"]
)
def test_formulae_are_compounds_unless_a_word_says_gene(formula: str) -> None:
    assert is_formula(f"{formula} was added", 0, len(formula))
    assert not is_formula(f"{formula} mRNA was low", 0, len(formula))


@pytest.mark.parametrize("symbol", ["NOS2", "COX2", "H2AX", "F2", "NF1", "CS", "H2", "FOS", "HF", "SNCA"])
def test_symbols_that_only_look_like_formulae_are_none(symbol: str) -> None:
    assert not is_formula(f"{symbol} was seen", 0, len(symbol))


@pytest.mark.parametrize(
    ("text", "category", "expected"),
    [
        ("patients", TAXON, True),
        ("Homo sapiens", TAXON, True),
        ("young women", TAXON, True),
        ("animals", TAXON, True),
        ("mice", TAXON, False),
        ("human papillomavirus", TAXON, False),
        ("infant respiratory distress", DISEASE, False),
    ],
)
def test_people_are_told_from_species(text: str, category: str, expected: bool) -> None:
    assert is_people(Mention(0, len(text), text, text, category, None, (), "model")) is expected


def test_a_disorder_called_after_its_cause_gives_way_to_the_two_names_that_are_in_a_relation() -> None:
    text = "foxolan-induced owlitis and foxolan-associated owlitis"

    def at(surface: str, start: int) -> tuple[int, int]:
        found = text.index(surface, start)
        return found, found + len(surface)

    def whole(surface: str, source: str) -> Mention:
        return Mention(
            *at(surface, 0), surface, surface, DISEASE, "X:1", (candidate("X:1", DISEASE),), source
        )

    names = [
        RecognisedName(*at("foxolan", 0), CHEMICAL),
        RecognisedName(*at("owlitis", 0), DISEASE),
        RecognisedName(*at("foxolan", 20), CHEMICAL),
        RecognisedName(*at("owlitis", 30), DISEASE),
    ]
    listed = [
        whole("foxolan-induced owlitis", "vocabulary"),
        whole("foxolan-associated owlitis", "vocabulary"),
    ]
    found = [one.text for one in agree(text, listed, names, KNOWN)]
    assert found == ["foxolan", "owlitis", "foxolan-associated owlitis"]
    # What the article defines is one thing to it.
    defined = [whole("foxolan-induced owlitis", "abbreviation")]
    assert "foxolan-induced owlitis" in [one.text for one in agree(text, defined, names, KNOWN)]


def test_a_virus_is_not_its_disease() -> None:
    virus = mention("CAT", TAXON, candidate("X:virus", TAXON), candidate("X:disease", DISEASE, 0.88))
    assert agreed([virus], [name("CAT", DISEASE)]) == [("CAT", TAXON, "X:virus", "vocabulary")]
    doubtful = mention("CAT", TAXON, candidate("X:animal", TAXON, 0.9), candidate("X:disease", DISEASE, 0.88))
    assert agreed([doubtful], [name("CAT", DISEASE)]) == [("CAT", DISEASE, "X:disease", "vocabulary")]


def test_a_full_name_of_a_kind_that_the_recogniser_does_not_know_keeps_its_kind() -> None:
    repair = mention("DNA repair", PROCESS, candidate("X:repair", PROCESS, 0.9))
    assert agreed([repair], [name("DNA repair", DISEASE)]) == [
        ("DNA repair", PROCESS, "X:repair", "vocabulary")
    ]
