from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.extraction.lexicon.inflection import inflections
from kg_pipeline.extraction.lexicon.predicate_lexicon import (
    verb_forms,
    verb_meanings,
)
from kg_pipeline.extraction.lexicon.predicate_words import denies, map_predicate
from kg_pipeline.vocabulary.predicates import PREDICATES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("is up-regulated by", ("increases", True)),
        ("up\u2010regulates", ("increases", False)),
        ("leads to", ("causes", False)),
        ("gives rise to", ("causes", False)),
        ("results in", ("causes", False)),
        ("results from", ("causes", True)),
        ("due to", ("causes", True)),
        ("was not associated with", ("associated_with", False)),
        ("increased risk of", ("predisposes", False)),
        ("is a risk factor for", ("predisposes", False)),
        ("reduces the risk of", ("prevents", False)),
        ("inhibition of X by", ("inhibits", True)),
        ("inhibition of", ("inhibits", False)),
        ("is an inhibitor of", ("inhibits", False)),
        ("-induced", ("increases", False)),
        ("induced by", ("increases", True)),
        ("role in", ("associated_with", False)),
        ("role of X in", ("associated_with", False)),
        ("is expressed in", ("expresses", True)),
        ("expresses", ("expresses", False)),
        ("HAS_BIOMARKER", ("biomarker_of", True)),
        ("negatively regulates", ("decreases", False)),
        ("used to treat", ("treats", False)),
        ("is treated with", ("treats", True)),
        ("is characterised by", ("manifestation_of", True)),
        ("consists of", ("part_of", True)),
        ("is a", ("subclass_of", False)),
        ("binds to", ("binds", False)),
        ("protects against", ("prevents", False)),
        ("is a target of", ("targets", True)),
        ("bicycles", None),
        ("", None),
        ("is in the neighbourhood", None),
    ],
)
def test_map_predicate_reads_predicate_and_direction(text: str, expected: tuple[str, bool] | None) -> None:
    assert map_predicate(text) == expected


@pytest.mark.parametrize("name", sorted(PREDICATES))
def test_map_predicate_knows_names_and_labels(name: str) -> None:
    predicate = PREDICATES[name]
    assert map_predicate(name) == (name, False)
    assert map_predicate(predicate.label) == (name, False)
    if not predicate.symmetric:
        assert map_predicate(predicate.inverse_label) == (name, True)


@given(st.text(max_size=60))
def test_map_predicate_never_leaves_the_closed_set(text: str) -> None:
    mapped = map_predicate(text)
    assert mapped is None or mapped[0] in PREDICATES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("was not associated with", True),
        ("didn't reduce", True),
        ("failed to reduce", True),
        ("did not fail to reduce", False),  # two denials
        ("not only inhibits", False),
        ("inhibits", False),
        ("notably increases", False),
    ],
)
def test_denies_counts_denials(text: str, expected: bool) -> None:
    assert denies(text) is expected


def test_verb_forms_are_unambiguous() -> None:
    forms = [form for verb in verb_meanings() for form in inflections(verb)]
    assert len(set(forms)) == len(verb_forms())
    assert inflections("modify") == ("modify", "modifies", "modified", "modifying")
