from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from kg_pipeline.queries import PmcQuery


def test_each_query_gets_all_filters() -> None:
    query = PmcQuery(
        terms=("lupus AND UV", "psoriasis"),
        license=("redistributable",),
        from_date=date(2020, 1, 1),
        to_date=date(2021, 12, 31),
    )
    tail = (
        " AND open_access[filter] AND (cc0_license[filter] OR cc_by_license[filter] OR cc_by-sa_license[filter])"
        " AND 2020/01/01:2021/12/31[pubdate]"
    )
    assert query.entrez_terms() == (f"(lupus AND UV){tail}", f"(psoriasis){tail}")


def test_an_open_end_of_the_dates() -> None:
    query = PmcQuery(terms=("x",), open_access=False, from_date=date(2026, 1, 14), date_field="released")
    assert query.entrez_terms() == ("(x) AND 2026/01/14:3000/12/31[pmcrdat]",)


def test_articles_without_a_known_licence_are_found_as_the_rest() -> None:
    query = PmcQuery(terms=("x",), license=("redistributable", "unknown"))
    (term,) = query.entrez_terms()
    assert term.startswith("(x) AND open_access[filter] NOT (cc_by-nc_license[filter] OR ")
    assert "cc_by_license" not in term
    every = PmcQuery(terms=("x",), license=("redistributable", "unknown", "mining_only", "non_commercial"))
    assert every.entrez_terms() == ("(x) AND open_access[filter]",)


def test_europe_pmc_syntax() -> None:
    query = PmcQuery(terms=("lupus",), to_date=date(2020, 2, 3))
    assert query.europepmc_terms() == (
        "(lupus) AND OPEN_ACCESS:y AND FIRST_PDATE:[1800-01-01 TO 2020-02-03]",
    )


def test_queries_are_tidied_and_distinct() -> None:
    assert PmcQuery(terms=(" a \n b ", "a b", "c")).terms == ("a b", "c")


@pytest.mark.parametrize("term", ["", "   ", "a) OR (b", "(a", "a)", '"lupus', ')("'])
def test_a_query_cannot_reach_out_of_its_parentheses(term: str) -> None:
    with pytest.raises(ValidationError):
        PmcQuery(terms=(term,))


def test_parentheses_inside_quotes_are_text() -> None:
    assert PmcQuery(terms=('"a) OR (b" AND (c)',)).entrez_terms()[0].startswith('("a) OR (b" AND (c)) AND')


@pytest.mark.parametrize(
    "options",
    [
        {"terms": ()},
        {"terms": ("x",), "license": ("free",)},
        {"terms": ("x",), "max_articles": 0},
        {"terms": ("x",), "from_date": "2021-01-02", "to_date": "2021-01-01"},
        {"terms": ("x",), "unknown_option": 1},
    ],
)
def test_what_cannot_be_used_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        PmcQuery.model_validate(options)


@given(st.lists(st.text(), min_size=1, max_size=4).map(tuple))
def test_filters_hold_whatever_is_asked(terms: tuple[str, ...]) -> None:
    try:
        query = PmcQuery(terms=terms)
    except ValidationError:
        return
    for term, whole in zip(query.terms, query.entrez_terms(), strict=True):
        assert whole == f"({term}) AND open_access[filter]"


def test_types_and_licences() -> None:
    query = PmcQuery(terms=("x",), article_types=("Research-Article",), license=("redistributable",))
    assert query.admits_type("research-article")
    assert not query.admits_type("review-article")
    assert not query.admits_license("unknown")
    assert PmcQuery(terms=("x",)).admits_type("")
