from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.errors import ServiceError
from kg_pipeline.pmc.remote.entrez import EntrezClient, SearchPage
from kg_pipeline.pmc.remote.search import search_all
from tests.pmc.remote.replies import search_result
from tests.pmc.remote.server import Asked, Reply, Server

TODAY = date(2026, 11, 30)
_RANGE = re.compile(r"(\d{4})/(\d\d)/(\d\d):(\d{4})/(\d\d)/(\d\d)\[(pmcrdat|pubdate)\]")


@dataclass
class Index:
    """Articles by number with the days of release and publication, listed as E-utilities do: cut at `limit`."""

    articles: dict[int, tuple[date, date]]
    limit: int
    page: int = 10**9
    terms: list[str] = field(default_factory=list)

    def search_page(self, term: str, start: int, size: int) -> SearchPage:
        self.terms.append(term)
        found = sorted(self._matching(term), reverse=True)
        if start >= self.limit:
            raise AssertionError("asked beyond the limit")
        return SearchPage(len(found), tuple(found[start : start + min(size, self.page, self.limit)]))

    def _matching(self, term: str) -> list[int]:
        numbers = list(self.articles)
        for *parts, name in _RANGE.findall(term):
            first, last = date(*map(int, parts[:3])), date(*map(int, parts[3:]))
            axis = 0 if name == "pmcrdat" else 1
            numbers = [number for number in numbers if first <= self.articles[number][axis] <= last]
        return numbers


@settings(max_examples=60, deadline=None)
@given(
    articles=st.dictionaries(
        st.integers(1, 10**8),
        st.tuples(st.dates(date(1999, 1, 1), TODAY), st.dates(date(1800, 1, 1), TODAY)),
        max_size=40,
    ),
    limit=st.integers(3, 12),
    page=st.integers(1, 12),
)
def test_every_article_is_listed_once(articles: dict[int, tuple[date, date]], limit: int, page: int) -> None:
    # No two articles of one day of both kinds, else the limit cannot be met.
    distinct = {days: number for number, days in articles.items()}
    index = Index({number: days for days, number in distinct.items()}, limit, page)
    result = search_all(index, "x", today=TODAY, limit=limit)
    assert result.numbers == tuple(sorted(index.articles))
    assert result.count == len(index.articles)


def test_days_before_and_after_the_known_range_are_not_lost() -> None:
    days = [date(1950, 1, 1), date(1998, 12, 31), date(2020, 1, 1), date(2026, 12, 2), date(2031, 1, 1)]
    index = Index({n: (day, day) for n, day in enumerate(days, start=1)}, limit=2)
    assert search_all(index, "x", today=TODAY, limit=2).numbers == (1, 2, 3, 4, 5)


def test_a_large_search_is_split_by_release_and_a_single_day_by_publication() -> None:
    day = date(2020, 5, 5)
    articles = {n: (day, date(1900, 1, 1) + timedelta(days=n)) for n in range(1, 31)}
    index = Index(articles, limit=10)
    assert search_all(index, "lupus", today=TODAY, limit=10).numbers == tuple(range(1, 31))
    assert any("2020/05/05:2020/05/05[pmcrdat]" in term and "[pubdate]" in term for term in index.terms)


def test_more_than_the_limit_on_one_day_is_a_sentence() -> None:
    day = date(2020, 5, 5)
    index = Index(dict.fromkeys(range(1, 31), (day, day)), limit=10)
    with pytest.raises(ServiceError, match="Split the query into several narrower ones"):
        search_all(index, "lupus", today=TODAY, limit=10)


def test_at_most_takes_the_latest_and_does_not_list_the_rest() -> None:
    generator = random.Random(4)
    articles = {n: (date(2000, 1, 1) + timedelta(days=n), date(2000, 1, 1)) for n in range(1, 5000)}
    shuffled = dict(generator.sample(sorted(articles.items()), len(articles)))
    index = Index(shuffled, limit=100)
    result = search_all(index, "x", today=TODAY, limit=100, at_most=50)
    assert result.numbers == tuple(range(4950, 5000))
    assert len(index.terms) < 30


class _Drifting(Index):
    """Adds an article at every request."""

    def search_page(self, term: str, start: int, size: int) -> SearchPage:
        self.articles[max(self.articles) + 1] = (TODAY, TODAY - timedelta(days=len(self.articles)))
        return super().search_page(term, start, size)


def test_articles_that_come_while_one_searches_are_no_error() -> None:
    articles = {n: (date(2010, 1, 1) + timedelta(days=n), date(2010, 1, 1)) for n in range(1, 40)}
    result = search_all(_Drifting(articles, limit=25), "x", today=TODAY, limit=25)
    assert set(range(1, 40)) <= set(result.numbers)


class _Losing(Index):
    """Never lists one of its articles."""

    def search_page(self, term: str, start: int, size: int) -> SearchPage:
        page = super().search_page(term, start, size)
        return SearchPage(page.count, tuple(number for number in page.numbers if number != 3))


@pytest.mark.parametrize("limit", [100, 10])
def test_count_and_listing_must_agree(limit: int) -> None:
    articles = {n: (date(2010, 1, 1) + timedelta(days=n), date(2010, 1, 1)) for n in range(1, 40)}
    with pytest.raises(ServiceError, match=r"counts 39 articles .* but lists 38, 3 times"):
        search_all(_Losing(articles, limit=limit), "x", today=TODAY, limit=limit)


def test_over_http_with_a_listing_cut_at_9999(server: Server, make_fetcher) -> None:
    articles = {n: (date(2001, 1, 1) + timedelta(days=n % 9000), date(2001, 1, 1)) for n in range(1, 25_001)}
    index = Index(articles, limit=9_999)

    def handler(asked: Asked) -> Reply:
        page = index.search_page(
            asked.values["term"], int(asked.values["retstart"]), int(asked.values["retmax"])
        )
        return Reply(search_result(page.count, list(page.numbers)))

    server.handler = handler
    result = search_all(EntrezClient(make_fetcher(), base_url=server.url), "cancer", today=TODAY)
    assert result.numbers == tuple(range(1, 25_001))
    assert len(server.asked) < 12
