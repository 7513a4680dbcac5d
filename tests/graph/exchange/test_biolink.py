"""Predicates and categories on their way to Biolink and back."""

from __future__ import annotations

import pytest

from kg_pipeline.graph.exchange import biolink
from kg_pipeline.vocabulary.predicates import PREDICATES


@pytest.mark.parametrize("predicate", PREDICATES)
def test_every_predicate_has_a_biolink_form_and_comes_back(predicate):
    said = biolink.to_biolink(predicate)
    assert said.predicate.startswith("biolink:")
    assert biolink.from_biolink(said.predicate, {}, biolink.ORIGINAL + predicate) == (predicate, False, False)


@pytest.mark.parametrize("predicate", sorted(PREDICATES.keys() - {"targets"}))
def test_they_come_back_without_our_own_name_too(predicate):
    said = biolink.to_biolink(predicate)
    qualifiers = dict(zip(biolink.QUALIFIERS, said.qualifiers, strict=True))
    assert biolink.from_biolink(said.predicate, qualifiers)[0] == predicate


def test_inverses_are_turned_and_the_unknown_is_told():
    assert biolink.from_biolink("biolink:has_part", {}) == ("part_of", True, False)
    assert biolink.from_biolink("biolink:expressed_in", {}) == ("expresses", True, False)
    assert biolink.from_biolink("drugbank:enhances smell of", {}) == ("related_to", False, True)
    assert biolink.from_biolink("biolink:treats", {}, "kg:no_such") == ("treats", False, False)


def test_the_first_biolink_category_counts_and_other_kinds_become_one():
    assert biolink.category_of(("Gene", "biolink:Disease")) == "biolink:Disease"
    assert biolink.category_of(("Side Effect",)) == "biolink:SideEffect"
    assert biolink.category_of(()) == "biolink:NamedThing"
