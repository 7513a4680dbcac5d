"""The shipped recogniser on sentences of our own, its files, and spaCy pipelines in its place."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.errors import ModelError
from kg_pipeline.extraction.mentions.ner.choice import chosen_recogniser, recogniser_digest
from kg_pipeline.extraction.mentions.ner.recogniser import (
    CATEGORIES,
    OWN_MODEL,
    CrfRecogniser,
    NameRecogniser,
    load_recogniser,
)
from kg_pipeline.extraction.mentions.ner.spacy_names import LABELS, SpacyRecogniser
from kg_pipeline.extraction.mentions.ner.storage import LEXICON, TAGGER, parts_digest
from kg_pipeline.text.abbreviations import find_definitions

MEGABYTE = 1_000_000


def names(recogniser: NameRecogniser, *sentences: str) -> set[tuple[str, str]]:
    text = " ".join(sentences)
    spans, position = [], 0
    for sentence in sentences:
        spans.append((position, position + len(sentence)))
        position += len(sentence) + 1
    found = recogniser.recognise(text, spans, find_definitions(text), {})
    return {(text[one.start : one.end], one.category.removeprefix("biolink:")) for one in found}


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Cisplatin caused acute renal failure in rats.", {("Cisplatin", "ChemicalEntity"), ("acute renal failure", "Disease"), ("rats", "OrganismTaxon")}),
        ("The V600E mutation of BRAF was found in melanoma.", {("V600E", "SequenceVariant"), ("BRAF", "Gene"), ("melanoma", "Disease")}),
        ("We treated patients with metformin.", {("patients", "OrganismTaxon"), ("metformin", "ChemicalEntity")}),
    ],
)  # fmt: skip
def test_names_of_all_kinds_are_found(sentence: str, expected: set[tuple[str, str]]) -> None:
    assert expected <= names(load_recogniser(), sentence)


def test_a_name_that_no_vocabulary_has_is_told_by_its_form_and_definition() -> None:
    found = names(
        load_recogniser(),
        "Rats received benzoflumidine hydrochloride (BFH).",
        "BFH induced seizures in rats.",
    )
    assert ("BFH", "ChemicalEntity") in found
    assert ("seizures", "Disease") in found


def test_a_short_form_of_no_entity_is_no_name() -> None:
    found = names(load_recogniser(), "The overall survival time (OST) was 3 months.", "OST fell.")
    assert not any(text == "OST" for text, _ in found)


def test_sentences_without_names_have_none() -> None:
    assert names(load_recogniser(), "We describe the results in the next section.") == set()
    assert load_recogniser().recognise("", [], [], {}) == []


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.sampled_from(["aspirin", "(", "TP53", " ", "\n", "IL-6", "α", "tumour", ".", "of", "é", "rats"])
    )
)
def test_names_lie_in_their_sentence_in_order_and_do_not_overlap(parts: list[str]) -> None:
    text = " ".join(parts)
    middle = len(text) // 2
    spans = [(0, middle), (middle, len(text))]
    end = 0
    for name in load_recogniser().recognise(text, spans, find_definitions(text), {}):
        assert end <= name.start < name.end
        assert any(start <= name.start and name.end <= stop for start, stop in spans)
        assert name.category in set(CATEGORIES.values())
        end = name.end


def test_the_same_text_gives_the_same_names_whatever_was_read_before() -> None:
    recogniser = load_recogniser()
    first = names(recogniser, "Lithium harms the kidney.")
    names(recogniser, "Lithium (Li) is a metal.")
    assert names(recogniser, "Lithium harms the kidney.") == first


def test_the_model_is_small_enough_to_ship_and_its_licences_go_with_it() -> None:
    assert sum(path.stat().st_size for path in OWN_MODEL.iterdir()) <= 15 * MEGABYTE
    notice = (OWN_MODEL / "NOTICE.md").read_text(encoding="utf-8")
    assert all(name in notice for name in ("BC5CDR", "BioRED", "NCBI-disease", "NERO", "MeSH", "Mondo"))


def test_a_damaged_or_missing_model_is_refused_with_advice(tmp_path: Path) -> None:
    copy = tmp_path / "model"
    shutil.copytree(OWN_MODEL, copy)
    (copy / LEXICON).write_bytes(b"x")
    with pytest.raises(ModelError, match=r"lexicon\.zst is not the file .* Install the package again"):
        CrfRecogniser(copy)
    (copy / TAGGER).unlink()
    with pytest.raises(ModelError, match="Install the package again"):
        CrfRecogniser(copy)
    with pytest.raises(ModelError, match="There is no recogniser"):
        parts_digest(tmp_path / "absent")


def pipeline_of(folder: Path, *patterns: dict[str, str], name: str = "ner") -> str:
    """A spaCy pipeline on disk whose component `ner` finds these patterns."""
    language = spacy.blank("en")
    language.add_pipe("entity_ruler", name=name).add_patterns(list(patterns))
    language.to_disk(folder)
    return str(folder)


def test_a_spacy_pipeline_can_take_its_place(tmp_path: Path) -> None:
    path = pipeline_of(
        tmp_path / "p",
        {"label": "CHEMICAL", "pattern": "foxamide"},
        {"label": "DISEASE", "pattern": "foxitis"},
        {"label": "DATE", "pattern": "Monday"},
    )
    recogniser = chosen_recogniser(path)
    assert isinstance(recogniser, SpacyRecogniser)
    assert recogniser.categories == {LABELS["CHEMICAL"], LABELS["DISEASE"]}
    found = names(recogniser, "Nothing here.", "On Monday foxamide cured foxitis.")
    assert found == {("foxamide", "ChemicalEntity"), ("foxitis", "Disease")}
    assert (
        recogniser_digest(path) == recogniser.digest != recogniser_digest("own") != recogniser_digest("none")
    )


def test_spacy_pipelines_that_find_nothing_of_use_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be loaded"):
        SpacyRecogniser("en_ner_that_is_not_installed")
    with pytest.raises(ModelError, match="has no `ner` component"):
        SpacyRecogniser(pipeline_of(tmp_path / "a", {"label": "CHEMICAL", "pattern": "x"}, name="other"))
    with pytest.raises(ModelError, match="none of the labels"):
        SpacyRecogniser(pipeline_of(tmp_path / "b", {"label": "PERSON", "pattern": "x"}))


def test_no_recogniser_can_be_chosen() -> None:
    assert chosen_recogniser("none") is None
