import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.text.abbreviations import find_definitions
from kg_pipeline.text.definitions import definition_at


def pairs(text: str) -> list[tuple[str, str]]:
    return [(definition.short, definition.long) for definition in find_definitions(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The vitamin D receptor (VDR) binding retinoid X receptor (RXR) forms dimers.",
            [("VDR", "vitamin D receptor"), ("RXR", "retinoid X receptor")],
        ),
        (
            "interleukin 10 (IL-10) and interleukin 6 (IL-6) rose (1), (see Fig. 2).",
            [("IL-10", "interleukin 10"), ("IL-6", "interleukin 6")],
        ),
        ("tumor necrosis factor-α (TNF-α) fell", [("TNF-α", "tumor necrosis factor-α")]),
        ("transforming growth factor beta (TGF-β) fell", [("TGF-β", "transforming growth factor beta")]),
        (
            "patients with systemic lupus erythematosus (SLE; n = 5)",
            [("SLE", "systemic lupus erythematosus")],
        ),
        ("epidermal growth factor receptor [EGFR] was", [("EGFR", "epidermal growth factor receptor")]),
        (
            "non-steroidal anti-inflammatory drugs (NSAIDs)",
            [("NSAIDs", "non-steroidal anti-inflammatory drugs")],
        ),
        ("small cell lung cancer (hereafter SCLC)", [("SCLC", "small cell lung cancer")]),
        ("2,6-diaminopurine (DAP) was given", [("DAP", "2,6-diaminopurine")]),
        ("IL-17 (interleukin 17) rose", [("IL-17", "interleukin 17")]),
        ("prostaglandin E(2) (PGE(2)) rose", [("PGE(2)", "prostaglandin E(2)")]),
        (
            "forced expiratory volume in 1 second [FEV(1)]",
            [("FEV(1)", "forced expiratory volume in 1 second")],
        ),
        ("in ovariectomized (OVX) rats", [("OVX", "ovariectomized")]),
        (
            "international index of erectile function (IIEF)",
            [("IIEF", "international index of erectile function")],
        ),
    ],
)
def test_definitions_are_found(text, expected):
    assert pairs(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "levels rose (1) and fell (2a), (ii) and (III)",
        "levels rose (see Fig. 2), (Figure 3A) and (Table 1)",
        "mice (n = 12) and (P < 0.05) were (Sigma, USA)",
        "interleukin 1 (IL-10) rose",  # the digits differ
        "high-density lipoprotein was low (left) in mice (right)",
        "AGS cells were treated with 5-FU.",
        "one paragraph on tumour necrosis\n\nfactor (TNF)",
    ],
)
def test_what_is_no_definition(text):
    assert pairs(text) == []


def test_prefix_that_negates_is_not_taken_in():
    assert pairs("non-high-density lipoprotein (HDL)") == [("HDL", "high-density lipoprotein")]


def test_each_occurrence_has_the_nearest_earlier_meaning():
    text = "MS is used. Multiple sclerosis (MS) is common; MS lasts. Mass spectrometry (MS) was run; MS showed it."
    definitions = find_definitions(text)
    places = [match.start() for match in re.finditer(r"\bMS\b", text)]
    meanings = [definition_at(definitions, "MS", place) for place in places]
    assert [meaning.long if meaning else None for meaning in meanings] == [
        None, "Multiple sclerosis", "Multiple sclerosis", "Mass spectrometry", "Mass spectrometry",
    ]  # fmt: skip


def test_a_letter_is_defined_where_it_is_defined_only():
    text = "Foxosterone (F) rose. Factor F and F. fox did not."
    definitions = find_definitions(text, shortest=1)
    assert [(one.short, one.long) for one in definitions] == [("F", "Foxosterone")]
    assert definition_at(definitions, "F", text.index("(F)") + 1) == definitions[0]
    assert definition_at(definitions, "F", text.index("Factor F") + 7) is None
    assert find_definitions(text) == []


def test_plural_is_not_another_short_form_and_case_counts():
    definitions = find_definitions("Ageing genes (AGs) were listed. Natural killer (NK) cells.")
    assert definition_at(definitions, "AG", 100).long == "Ageing genes"
    assert definition_at(definitions, "AGS", 100) is None
    assert definition_at(definitions, "nk", 100) is None
    assert definition_at(definitions, "NKs", 100).long == "Natural killer"


@settings(deadline=None)
@given(st.text(alphabet="abcIL-10 ()[],.;αs\n", max_size=120))
def test_spans_are_exact_on_any_text(text):
    for definition in find_definitions(text):
        assert text[definition.short_start : definition.short_end] == definition.short
        assert text[definition.long_start : definition.long_end] == definition.long
        assert len(definition.long) > len(definition.short)


@pytest.mark.shared
def test_gold_abbreviations_of_medline_records(shared):
    records = (shared / "data" / "gold" / "ab3p_med1250" / "dev_1000.txt").read_text().split("\n\n")
    right = found = wanted = 0
    for record in records:
        lines = record.strip("\n").split("\n")
        text = "\n".join(line for line in lines[1:] if not line.startswith("  "))
        gold = {
            tuple(line.strip().lower().split("|")[:2])
            for line in lines
            if line.startswith("  ") and "|" in line
        }
        ours = {(short.lower(), long.lower()) for short, long in pairs(text)}
        right, found, wanted = right + len(gold & ours), found + len(ours), wanted + len(gold)
    assert right / found > 0.95
    assert right / wanted > 0.81


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a two-dimensional (2D) map", [("2D", "two-dimensional")]),
        ("the barrier (blood-brain barrier, BBB) held", [("BBB", "blood-brain barrier")]),
        ("some delta-9-foxahydrol (FXH) was given", [("FXH", "delta-9-foxahydrol")]),
        ("subjects with smoking and subarachnoid hemorrhage (SAH)", [("SAH", "subarachnoid hemorrhage")]),
        ("rat/human CRF (r/hCRF) bound", [("r/hCRF", "rat/human CRF")]),
        ("cells (mice, USA) and (see Smith, WHO)", []),
    ],
)
def test_numbers_in_words_locants_and_both_forms_in_one_bracket(text, expected):
    assert pairs(text) == expected


def test_one_letter_is_a_definition_only_where_it_is_asked_for():
    text = "We gave testosterone (T) to half (B) of them."
    assert find_definitions(text) == []
    assert [(one.short, one.long) for one in find_definitions(text, shortest=1)] == [("T", "testosterone")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # A list of names that have their short forms behind them, and what is done to the last of them.
        (
            "foxin phosphatase (FXP), gloxonase (GLX), and quoxin (QX)",
            [("FXP", "foxin phosphatase"), ("GLX", "gloxonase"), ("QX", "quoxin")],
        ),
        ("foxlike phosphatase (FP), garonase (5FPG) were", [("FP", "foxlike phosphatase")]),
        ("tall oak macrophages, and inhibiting relaxed quiet cells (Trqs)", []),
        ("TOE by reducing relaxed quiet cells (Trqs)", []),
        # The bracket belongs to the name before; a stereo descriptor to the name itself.
        ("the (FXR)-quoxinositide 3-kinase (QX3K)", [("QX3K", "quoxinositide 3-kinase")]),
        ("we gave (S)-foxahydrol (FXH)", [("FXH", "(S)-foxahydrol")]),
        ("where i|m⟩=δ_(im) and x=0 (note: we mean (min, max))", []),
    ],
)
def test_items_of_a_list_and_equations_are_no_long_forms(text, expected):
    assert pairs(text) == expected
