from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.extraction.grounding.denial import is_denied
from kg_pipeline.extraction.grounding.triples import (
    CATEGORIES,
    CandidateTriple,
    GroundedTriple,
    MentionSpan,
    Rejected,
    biolink_category,
    ground,
)
from kg_pipeline.text.abbreviations import find_definitions
from kg_pipeline.vocabulary.categories import OTHER, group_of


def split(text: str) -> list[tuple[int, int]]:
    """Sentences of a text in which every full stop and blank ends one."""
    spans, start = [], 0
    for part in text.split(". "):
        spans.append((start, min(start + len(part) + 1, len(text))))
        start += len(part) + 2
    return spans


def mention(
    text: str, surface: str, *, nth: int = 0, normal: str = "", concept: str | None = None
) -> MentionSpan:
    start = -1
    for _ in range(nth + 1):
        start = text.index(surface, start + 1)
    end = start + len(surface)
    return MentionSpan(
        f"PMC1:{start}-{end}", start, end, surface, normal or surface, "biolink:Protein", concept
    )


def run(text, head, predicate, tail, quote=None, mentions=(), start=0, end=None, **options):
    candidate = CandidateTriple(head, predicate, tail, text if quote is None else quote, **options)
    return ground(
        candidate,
        article_id="PMC1",
        document_text=text,
        chunk_start=start,
        chunk_end=len(text) if end is None else end,
        mentions=mentions,
        definitions=find_definitions(text),
        sentences=[(a, b) for a, b in split(text) if a >= start and b <= (len(text) if end is None else end)],
    )


def test_a_claim_of_the_text_keeps_its_sentence_and_its_words():
    text = "We studied mice. Aspirin inhibits COX-1 in platelets. It is cheap."
    triple = run(
        text,
        "aspirin",
        "inhibits",
        "COX‑1",
        "aspirin inhibits COX-1",
        head_category="Drug",
        tail_category="x",
    )
    assert isinstance(triple, GroundedTriple)
    assert triple.quote == "Aspirin inhibits COX-1 in platelets." == text[triple.start : triple.end]
    assert (triple.head.text, triple.head.category) == ("Aspirin", "biolink:Drug")
    assert (triple.tail.text, triple.tail.category) == ("COX-1", "biolink:NamedThing")
    assert triple.head.mention_id == "PMC1:17-24"
    assert triple.new_mentions == (triple.head, triple.tail)
    assert (triple.predicate_text, triple.negated) == ("inhibits", False)


def test_mentions_that_are_known_are_used_and_the_nearest_in_the_quote_preferred():
    text = "IL-6 is a cytokine. IL-6 raised CRP, and IL-6 fell later. CRP is a marker."
    known = [mention(text, "IL-6", nth=n, concept="C1") for n in range(3)]
    known += [mention(text, "CRP", nth=n, normal="C-reactive protein", concept="C2") for n in range(2)]
    triple = run(text, "IL-6", "increases", "C-reactive protein", "IL-6 raised CRP, and IL-6 fell", known)
    assert isinstance(triple, GroundedTriple)
    assert (triple.head, triple.tail) == (known[1], known[3])
    assert triple.new_mentions == ()


def test_an_entity_that_the_text_does_not_name_gets_no_node():
    text = "Zinc reduced diarrhoea in children."
    assert run(text, "imatinib", "decreases", "diarrhoea") == Rejected(
        "head_not_anchored", "imatinib | decreases | diarrhoea"
    )
    result = run(text, "zinc", "decreases", "mortality")
    assert isinstance(result, Rejected)
    assert result.reason == "tail_not_anchored"


def test_an_end_outside_of_the_offered_entities_is_checked_against_the_text():
    text = "IL-6 raised fibrinogen and CRP."
    known = [mention(text, "IL-6"), mention(text, "CRP")]
    triple = run(text, "IL-6", "increases", "fibrinogen", mentions=known, tail_category="Protein")
    assert isinstance(triple, GroundedTriple)
    (new,) = triple.new_mentions
    assert (new.text, new.category, new.concept_id) == ("fibrinogen", "biolink:Protein", None)
    assert isinstance(run("IL-6 raised CRP.", "IL-6", "increases", "fibrinogen", mentions=known), Rejected)


def test_nothing_outside_of_the_chunk_counts():
    text = "Aspirin is old. Heparin helps. Warfarin causes bleeding."
    start = text.index("Heparin")
    options = {
        "start": start,
        "end": text.index(" Warfarin"),
        "mentions": [mention(text, "Aspirin"), mention(text, "Warfarin")],
    }
    assert (
        run(text, "Aspirin", "treats", "Heparin", "Heparin helps.", **options).reason == "head_not_anchored"
    )
    assert (
        run(text, "Heparin", "causes", "bleeding", "Warfarin causes bleeding.", **options).reason
        == "quote_not_found"
    )


@pytest.mark.parametrize("quote", ["Zinc cures cancer.", "", "Zinc … diarrhoea … everything"])
def test_an_invented_quote_is_refused_and_kept_for_the_count(quote):
    result = run("Zinc reduced diarrhoea in children.", "zinc", "decreases", "diarrhoea", quote)
    assert result == Rejected("quote_not_found", f"zinc | decreases | diarrhoea | {quote}")


def test_abbreviations_lead_from_either_form_to_the_other():
    text = "Systemic lupus erythematosus (SLE) is chronic. Sunlight aggravates SLE."
    triple = run(text, "Sunlight", "increases", "systemic lupus erythematosus", "Sunlight aggravates SLE.")
    assert isinstance(triple, GroundedTriple)
    assert triple.tail.text.lower() == "systemic lupus erythematosus"
    text = "Androgen receptor (AR) is here. Testosterone binds AR."
    triple = run(text, "Testosterone", "binds", "AR", "Testosterone binds AR.")
    assert isinstance(triple, GroundedTriple)
    assert (triple.tail.text, triple.tail.normal_form, triple.tail.start) == (
        "AR",
        "Androgen receptor",
        text.rindex("AR"),
    )


def test_a_short_form_with_two_meanings_does_not_lead_to_either_long_form():
    text = "Androgen receptor (AR) binds testosterone. Aortic regurgitation (AR) is common. Murmurs accompany aortic regurgitation."
    result = run(text, "Murmurs", "associated_with", "AR", "Murmurs accompany aortic regurgitation.")
    assert isinstance(result, GroundedTriple)
    assert result.tail.text == "AR"


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("IL-10 raised CRP.", "IL-1"),
        ("Anti-IL-6 lowered CRP.", "IL-6"),
        ("We describe oxygen-independent activation of CRP.", "oxygen"),
        ("Growth was oxygen independent and raised CRP.", "oxygen"),
        ("Insulin-free medium raised CRP.", "insulin"),
    ],
)
def test_a_name_that_the_text_makes_another_one_or_takes_back_is_no_anchor(text, head):
    assert run(text, head, "increases", "CRP").reason == "head_not_anchored"
    if head.lower() in text.lower():
        known = [mention(text, text[text.lower().index(head.lower()) :][: len(head)])]
        assert isinstance(run(text, f"the {head}", "increases", "CRP", mentions=known), Rejected)


def test_the_agent_of_an_independent_activation_is_found():
    text = "We describe oxygen-independent activation of HIF1A by succinate."
    assert isinstance(run(text, "succinate", "activates", "HIF1A"), GroundedTriple)
    assert run(text, "oxygen", "activates", "HIF1A").reason == "head_not_anchored"


def test_words_inside_a_longer_mention_speak_of_something_else():
    text = "Insulin resistance causes diabetes."
    known = [mention(text, "Insulin resistance")]
    assert run(text, "insulin", "causes", "diabetes", mentions=known).reason == "head_not_anchored"
    assert isinstance(run(text, "insulin resistance", "causes", "diabetes", mentions=known), GroundedTriple)


@pytest.mark.parametrize(
    ("head", "tail", "known"),
    [
        ("IL-6", "il 6", []),
        ("IL-6", "interleukin 6", [("IL-6", "IL-6", "C1"), ("interleukin 6", "interleukin 6", "C1")]),
        ("IL-6", "interleukin 6", [("IL-6", "Interleukin-6", None)]),
        ("interleukin 6", "interleukin", []),
    ],
)
def test_an_entity_has_no_relation_to_itself(head, tail, known):
    text = "IL-6 means interleukin 6 here."
    mentions = [mention(text, surface, normal=normal, concept=concept) for surface, normal, concept in known]
    assert run(text, head, "related_to", tail, mentions=mentions).reason == "same_entity"


def test_two_names_of_one_spelling_at_two_places_are_told_apart_by_concept():
    text = "Cold causes cold."
    known = [
        mention(text, "Cold", concept="C1"),
        replace(mention(text, "cold"), normal_form="common cold", concept_id="C2"),
    ]
    assert isinstance(run(text, "Cold", "causes", "common cold", mentions=known), GroundedTriple)


@pytest.mark.parametrize(
    ("text", "head", "tail", "denied"),
    [
        ("Metformin did not reduce PSA in these men.", "Metformin", "PSA", True),
        ("Metformin failed to reduce PSA.", "Metformin", "PSA", True),
        ("There was no association between coffee and stroke.", "coffee", "stroke", True),
        ("Aspirin, but not ibuprofen, inhibits COX-1.", "Aspirin", "COX-1", False),
        ("Aspirin, but not ibuprofen, inhibits COX-1.", "ibuprofen", "COX-1", True),
        ("Zinc raised IgA but not IgG.", "Zinc", "IgG", True),
        ("Zinc raised IgA but not IgG.", "Zinc", "IgA", False),
        ("Zinc did not raise IgA but raised IgG.", "Zinc", "IgG", False),
        ("Zinc not only raised IgA but also IgG.", "Zinc", "IgG", False),
        ("PSA was not reduced by Metformin.", "Metformin", "PSA", True),
        ("Metformin reduced PSA.", "Metformin", "PSA", False),
    ],
)
def test_a_sentence_that_denies_the_claim_makes_it_negated_whatever_the_model_said(text, head, tail, denied):
    triple = run(text, head, "decreases", tail)
    assert isinstance(triple, GroundedTriple)
    assert triple.negated is denied
    spans = [(text.index(name), text.index(name) + len(name)) for name in (head, tail)]
    assert is_denied(text, *spans) is denied


def test_the_not_that_a_model_cut_off_is_part_of_the_quote():
    triple = run(
        "Metformin did not reduce PSA in these men.",
        "Metformin",
        "decreases",
        "PSA",
        "reduce PSA in these men",
    )
    assert isinstance(triple, GroundedTriple)
    assert (triple.quote, triple.negated) == ("Metformin did not reduce PSA in these men.", True)


def test_flags_of_the_model_are_never_cleared():
    triple = run("Zinc lowers fever.", "Zinc", "decreases", "fever", negated=True, speculative=True)
    assert isinstance(triple, GroundedTriple)
    assert (triple.negated, triple.speculative) == (True, True)


def test_a_quote_of_a_whole_passage_shrinks_to_the_sentences_of_its_ends():
    text = "Mice were bought. Zinc lowers fever. Rats were not. Nobody knows why. Iron raises ferritin."
    triple = run(text, "Zinc", "decreases", "fever")
    assert isinstance(triple, GroundedTriple)
    assert triple.quote == "Zinc lowers fever."
    assert run(text, "Zinc", "related_to", "ferritin").reason == "quote_too_long"


def test_ends_may_stand_beside_the_quote_but_not_be_preferred_there():
    text = "Zinc is a metal. It lowers fever."
    triple = run(text, "zinc", "decreases", "fever", "It lowers fever.")
    assert isinstance(triple, GroundedTriple)
    assert (triple.head.text, triple.quote) == ("Zinc", "It lowers fever.")


def test_two_sentences_state_only_what_a_word_of_theirs_expresses():
    text = "Zinc lowers fever. Iron was given too."
    assert run(text, "Zinc", "causes", "Iron") == Rejected("not_stated", "Zinc | causes | Iron")
    assert run(text, "Zinc", "related_to", "Iron").reason == "not_stated"
    assert isinstance(run("Zinc was given. This lowers fever.", "Zinc", "decreases", "fever"), GroundedTriple)


def test_the_words_for_the_predicate_are_the_authors():
    text = "Zinc markedly attenuated fever."
    assert run(text, "Zinc", "decreases", "fever").predicate_text == "attenuated"
    assert (
        run(text, "Zinc", "decreases", "fever", predicate_text="markedly  attenuated").predicate_text
        == "markedly attenuated"
    )
    assert (
        run(text, "Zinc", "decreases", "fever", predicate_text="strongly reduced").predicate_text
        == "attenuated"
    )
    assert run(text, "Zinc", "treats", "fever").predicate_text == "markedly attenuated"


def test_categories_are_those_that_standardisation_groups():
    assert biolink_category("biolink:disease") == biolink_category("Disease") == "biolink:Disease"
    assert biolink_category("Small Molecule") == "biolink:SmallMolecule"
    assert biolink_category("Spaceship") == biolink_category("") == "biolink:NamedThing"
    ungrouped = [name for name in CATEGORIES if group_of(f"biolink:{name}") == OTHER]
    assert ungrouped == ["NamedThing"]


WORDS = st.sampled_from(
    ["IL-6", "IL-10", "zinc", "fever", "not", "raises", "TNF-α", "a", "(SLE)", "lupus.", "Zinc", "µM"]
)


@given(st.lists(WORDS, min_size=1, max_size=30), WORDS, WORDS, st.integers(0, 40), st.integers(0, 40))
def test_whatever_is_kept_is_in_the_chunk_as_it_says(words, head, tail, start, length):
    text = " ".join(words)
    start = min(start, len(text))
    end = min(start + length, len(text))
    candidate = CandidateTriple(head, "related_to", tail, text[start:end])
    result = ground(
        candidate,
        article_id="PMC1",
        document_text=text,
        chunk_start=start,
        chunk_end=end,
        mentions=[],
        definitions=[],
    )
    if isinstance(result, GroundedTriple):
        assert text[result.start : result.end] == result.quote
        assert start <= result.start < result.end <= end
        for anchor in (result.head, result.tail):
            assert text[anchor.start : anchor.end] == anchor.text
            assert start <= anchor.start < anchor.end <= end
        assert result.head.end <= result.tail.start or result.tail.end <= result.head.start
