from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.extraction.grounding.quotes import find_name, find_quote, fold, fold_text

TEXT = "Serum TNF‑α and IL–10 rose.  Sjögren’s syndrome re-\u00adlated to “UV‑B” (1.5 µM; P < 0.05) [12]."


def found(text: str, quote: str) -> list[str]:
    return [text[start:end] for start, end in find_quote(text, quote)]


@pytest.mark.parametrize(
    ("quote", "original"),
    [
        ("Serum TNF‑α and IL–10 rose.", "Serum TNF‑α and IL–10 rose."),
        ("serum TNF-alpha and IL-10 rose", "Serum TNF‑α and IL–10 rose"),
        ('"Serum TNF-α and IL-10 rose."', "Serum TNF‑α and IL–10 rose."),
        ("Serum TNF-α and IL-10 rose;", "Serum TNF‑α and IL–10 rose"),
        ("IL-10 rose. Sjogren's syndrome", "IL–10 rose.  Sjögren’s syndrome"),
        ("Sjo\u0308gren's\nsyndrome related to", "Sjögren’s syndrome re-\u00adlated to"),
        ('to "UV-B" (1.5 μM', "to “UV‑B” (1.5 µM"),
        ("Serum TNF-α and … Sjögren's syndrome", "Serum TNF‑α and IL–10 rose.  Sjögren’s syndrome"),
        ("TNF-α [...] Sjögren's syndrome", ""),  # the first piece is too short to mean anything
        ("Serum TNF-α and IL-1 rose.", ""),
        ("Serum TNF-α fell.", ""),
        ("", ""),
        ("…", ""),
    ],
)
def test_a_quotation_is_found_up_to_spelling_and_given_in_the_words_of_the_text(quote, original):
    assert found(TEXT, quote) == ([original] if original else [])


def test_every_occurrence_is_found_and_pieces_must_follow_each_other():
    assert find_quote("a cell and a cell", "a cell") == [(0, 6), (11, 17)]
    assert (
        find_quote("the second part is here; the first part is there", "the first part … the second part")
        == []
    )


def test_an_ellipsis_does_not_stand_for_half_the_article():
    far = f"aspirin was given daily {'x ' * 300} and fever went down"
    assert find_quote(far, "aspirin was given … and fever went down") == []


def test_no_character_is_cut_in_two():
    assert find_quote("5 α units", "alph") == []
    assert found("nai\u0308ve cells", "naive") == ["nai\u0308ve"]


SPELLINGS = str.maketrans({" ": "\u00a0", "-": "‑", "'": "’", "a": "a\u0301", "β": "beta"})


@given(st.text(st.sampled_from("ab βγIL-10'. é"), min_size=1, max_size=60), st.data())
def test_any_slice_is_found_again_after_respelling_and_covers_the_same_text(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    quote = text[start:end]
    respelled = quote.translate(SPELLINGS).upper().lower()
    if not fold(respelled.strip(" \t\r\n\"'“”‘’«»`")):
        return
    spans = find_quote(text, respelled)
    assert any(fold(text[a:b]) in fold(quote) for a, b in spans)
    assert all(0 <= a < b <= len(text) for a, b in spans)


@given(st.text(max_size=80))
def test_folding_keeps_track_of_every_character(text):
    folded = fold_text(text)
    assert folded.folded == fold(text)
    assert len(folded.sources) == len(folded.folded)
    assert list(folded.sources) == sorted(folded.sources)
    assert all(fold(text[source]) for source in folded.sources)


@pytest.mark.parametrize(
    ("text", "name", "spans"),
    [
        ("IL-10 and IL-1 rose", "IL-1", ["IL-1"]),
        ("IL-10 only", "IL-1", []),
        ("IL-1β only", "IL-1", []),
        ("sIL-1 only", "IL-1", []),
        ("IL 1 or il‑1", "IL-1", ["IL 1", "il‑1"]),
        ("TGF-β1 signalling", "TGF", []),
        ("NF-κB", "NF", []),
        ("TGF-β1 signalling", "β1", []),
        ("COVID-19", "COVID", []),
        ("IL-1-induced fever", "IL-1", ["IL-1"]),
        ("aspirin-treated", "aspirin", ["aspirin"]),
        ("both tumours", "tumour", ["tumours"]),
        ("IL-1 0.5 mg", "IL-10", []),
        ("2 000 cells", "2000 cells", []),
        ("5-fluorouracil", "5-Fluorouracil", ["5-fluorouracil"]),
        ("heart", "", []),
        ("a - b", "-", []),
    ],
)
def test_a_name_is_found_as_whole_words_only(text, name, spans):
    assert [text[start:end] for start, end in find_name(text, name)] == spans
