"""What a recogniser takes for names in full text: labels of figures, records of databases, debris of tables and formulas."""

from __future__ import annotations

import pytest

from kg_pipeline.extraction.mentions.not_names import (
    is_label,
    is_mere_word,
    is_no_name,
    is_record_number,
    whole_brackets,
)
from kg_pipeline.extraction.mentions.plain_words import is_plain_word

GENE, VARIANT, CHEMICAL, DISEASE = (
    "biolink:Gene",
    "biolink:SequenceVariant",
    "biolink:ChemicalEntity",
    "biolink:Disease",
)


def span(text: str, part: str) -> tuple[int, int]:
    start = text.index(part)
    return start, start + len(part)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("The other panels (Figure S7C and S7F) agree.", "S7F"),
        ("Growth was slower (S1D Fig).", "S1D"),
        ("See Tables S3, S4, S5 and S10.", "S10"),
        ("Movie S2 shows it.", "S2"),
        ("Primers are in Supplementary File 3B.", "3B"),
        ("It fell (Figs. 2A, 3B and 4D).", "4D"),
        ("It fell (Figs. 2and 3A).", "3A"),
        ("It fell (Fig. 2, S3).", "S3"),
        ("As Figs. S1, S2 and 3 show.", "S2"),
        ("As Figs. 2 or S3 show.", "S3"),
        ("As figs. s1 and S3 show.", "S3"),
    ],
)
def test_numbers_of_figures_and_tables_are_labels(text: str, part: str) -> None:
    assert is_label(text, *span(text, part))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("The V600E mutation activates BRAF.", "V600E"),
        ("Phosphorylation of S6 fell.", "S6"),
        ("Complement C6 was low (Figure 2), and C6 rose later.", "C6 rose"[:2]),
        ("Table 1 lists carriers of T790M.", "T790M"),
        ("As shown in Fig. 2, C3 deposition was lower.", "C3"),
        ("In Figure 3A, C5a levels rose.", "C5a"),
        ("In Fig. 4B, E2 induced growth.", "E2"),
        ("As in Fig. 2, B12 deficiency is common.", "B12"),
        ("In Fig. S2, S6 levels fell.", "S6"),
        ("In Fig. 2, S6 phosphorylation fell.", "S6"),
    ],
)
def test_variants_and_symbols_are_no_labels(text: str, part: str) -> None:
    start = text.rindex(part)
    assert not is_label(text, start, start + len(part))


@pytest.mark.parametrize("between", ["- ", ", ", " ", "1or,", "1to or "])
def test_no_row_of_labels_takes_more_than_an_instant(between: str) -> None:
    text = ("Fig 1" + between * 60)[:57] + "x S7"  # had each part two readings, 2^25 in all
    assert not any(is_label(text, len(text) - 2, len(text)) for _ in range(300))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Deposited as GSE10001.", "GSE10001"),
        ("Sequences (accession No. XY123456) were taken.", "XY123456"),
        ("It encodes a kinase [XY123456].", "XY123456"),
        ("The transcript NM_000001.2 was used.", "NM_000001.2"),
        ("As he wrote (p. 261).", "p. 261"),
    ],
)
def test_numbers_of_records_and_pages_are_no_names(text: str, part: str) -> None:
    assert is_record_number(text, *span(text, part))
    assert is_no_name(text, *span(text, part), VARIANT)


def test_codes_of_compounds_are_no_record_numbers() -> None:
    text = "The inhibitor XY123456 and p.261G were studied."
    assert not is_record_number(text, *span(text, "XY123456"))
    assert not is_record_number(text, *span(text, "p.261G"))


@pytest.mark.parametrize(
    ("text", "part", "category"),
    [
        ("oldFox01 2; oldFox02 3; newFox01 1", "oldFox01 2; oldFox02 3", DISEASE),
        ("with k = a/(K_4+P_2) as before", "K_4+P_2", CHEMICAL),
        ("by ANOVA with a post hoc test", "ANOVA", GENE),
        ("washed in PBS twice", "PBS", DISEASE),
        ("stained with anti-Foxin", "anti-Foxin", GENE),
        ("x" * 120, "x" * 120, DISEASE),
    ],
)
def test_debris_methods_and_antibodies_are_no_names(text: str, part: str, category: str) -> None:
    assert is_no_name(text, *span(text, part), category)


def test_what_an_article_defines_is_a_name_whatever_others_abbreviate_so() -> None:
    text = "Choroid thinning (CT) is common."
    assert is_no_name(text, *span(text, "CT"), DISEASE)
    assert not is_no_name(text, *span(text, "CT"), DISEASE, {"CT"})


@pytest.mark.parametrize("name", ["t(9;22)(q34;q11)", "poly(I:C)", "PE(18:0/20:4)"])
def test_names_with_signs_of_their_own_are_kept(name: str) -> None:
    assert not is_no_name(name, 0, len(name), CHEMICAL)


@pytest.mark.parametrize(
    ("text", "part", "whole"),
    [
        ("with poly(I:C) for a day", "poly(I:C", "poly(I:C)"),
        ("of (E,E)-farnesene", "E,E)-farnesene", "(E,E)-farnesene"),
        ("(TP53) was lost", "TP53", "TP53"),
        ("poly(I:C", "poly(I:C", "poly(I:C"),
    ],
)
def test_a_name_keeps_its_bracket(text: str, part: str, whole: str) -> None:
    start, end = whole_brackets(text, *span(text, part))
    assert text[start:end] == whole


def test_a_proper_noun_is_a_gene_only_where_a_word_says_so() -> None:
    text = "Phage Pumpkin was isolated, and Pumpkin mutants of the fly, and Foxp3 rose."
    assert is_mere_word(text, *span(text, "Pumpkin"))
    second = text.rindex("Pumpkin")
    assert not is_mere_word(text, second, second + 7)
    assert not is_mere_word(text, *span(text, "Foxp3"))


@pytest.mark.parametrize(
    ("text", "part", "expected"),
    [
        ("with the RNA isolation Kit of the maker", "Kit", True),
        ("Kit is a receptor of mast cells", "Kit", False),
        ("in modified Eagle medium", "Eagle", True),
        ("the eagle is a bird", "eagle", False),
        ("loss of retinal neurons", "retinal", True),
        ("retinal is an aldehyde", "retinal", False),
        ("shaken under gentle agitation", "agitation", True),
        ("agitation of the patient", "agitation", False),
    ],
)
def test_words_of_the_bench_name_an_entity_only_elsewhere(text: str, part: str, expected: bool) -> None:
    assert is_plain_word(text, *span(text, part)) is expected
