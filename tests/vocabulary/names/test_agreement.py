from __future__ import annotations

import pytest

from kg_pipeline.vocabulary.names.agreement import clause, is_plural, verb
from kg_pipeline.vocabulary.predicates import PREDICATES


@pytest.mark.parametrize("predicate", PREDICATES)
def test_every_predicate_has_a_plural_of_its_own(predicate: str) -> None:
    one, many = verb(predicate), verb(predicate, plural=True)
    assert one != many
    assert one.split()[1:] == many.split()[1:]


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("B cells", "B cells produce IgG"),
        ("loss of B cells", "loss of B cells produces IgG"),
        ("scabies", "scabies produces IgG"),
        ("miRNAs", "miRNAs produce IgG"),
        ("virus", "virus produces IgG"),
    ],
)
def test_a_clause_agrees_with_its_subject(head: str, said: str) -> None:
    assert clause(head, "produces", "IgG") == said


def test_words_outside_of_the_closed_set_stay_as_they_are_and_no_name_is_no_plural() -> None:
    assert clause("a", "is_alike", "b") == "a is alike b"
    assert not is_plural("")
    assert not is_plural("s")
