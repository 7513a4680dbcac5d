"""A search in full, however many articles it finds.

E-utilities list 9,999 articles at most and cut what is above without a word. A larger search is halved by the day
on which PMC released the articles until every part fits; a single day that does not is halved by the day of
publication. What the parts hold is compared with what the service counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Protocol

from kg_pipeline.errors import ServiceError
from kg_pipeline.pmc.remote.bodies import excerpt
from kg_pipeline.pmc.remote.entrez import SearchPage
from kg_pipeline.queries import date_range

#: Articles that one search lists.
LIMIT = 9_999
#: PMC opened in 2000; older articles were released later, and earlier days fall to the open end.
_FIRST_RELEASE = date(1999, 1, 1)
_FIRST_PUBLICATION = date(1800, 1, 1)
_ATTEMPTS = 3


class SearchPages(Protocol):
    """What a search needs of `EntrezClient`."""

    def search_page(self, term: str, start: int, size: int) -> SearchPage:
        """See `EntrezClient.search_page`."""
        ...


@dataclass(frozen=True, slots=True)
class SearchResult:
    """PMCID numbers in ascending order, how many articles the service counted, and what it complained about."""

    numbers: tuple[int, ...]
    count: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Days:
    """A range of days in a date field; a border that is the field's own is left open."""

    field: str
    earliest: date
    latest: date
    first: date
    last: date

    def clause(self) -> str:
        return date_range(
            self.field,
            self.first if self.first > self.earliest else None,
            self.last if self.last < self.latest else None,
        )

    def halves(self) -> tuple[_Days, _Days] | None:
        """The later and the earlier half; None for a single day."""
        if self.first == self.last:
            return None
        middle = self.first + (self.last - self.first) // 2
        later = _Days(self.field, self.earliest, self.latest, middle + timedelta(days=1), self.last)
        return later, _Days(self.field, self.earliest, self.latest, self.first, middle)


def search_all(
    pages: SearchPages, term: str, *, today: date, at_most: int | None = None, limit: int = LIMIT
) -> SearchResult:
    """Every article of a search; with `at_most`, those with the highest numbers of the latest releases.

    Raises
    ------
    ServiceError
        If the service fails or declines, or the articles listed are not as many as it counts.

    """
    listed = 0
    before = after = 0
    for _ in range(_ATTEMPTS):
        first = pages.search_page(term, 0, limit)
        before = first.count
        numbers: set[int] = set()
        warnings = dict.fromkeys(first.warnings)
        for part in _parts(pages, term, first, _axes(today), limit):
            numbers.update(part)
            if at_most is not None and len(numbers) >= at_most:
                return SearchResult(_highest(numbers, at_most), before, tuple(warnings))
        listed = len(numbers)
        if listed == before:
            return SearchResult(tuple(sorted(numbers)), before, tuple(warnings))
        # Articles are added and taken away while one searches; that much may differ.
        after = pages.search_page(term, 0, 0).count
        if min(before, after) <= listed <= max(before, after):
            return SearchResult(tuple(sorted(numbers)), after, tuple(warnings))
    raise ServiceError(
        f"PMC counts {after} articles for the query {excerpt(term)} but lists {listed}, {_ATTEMPTS} times. "
        "Nothing was changed; try again later, or narrow the query."
    )


def _axes(today: date) -> tuple[_Days, ...]:
    # One day ahead: the service's day may have begun already.
    latest = today + timedelta(days=1)
    return tuple(
        _Days(field, earliest, latest, earliest, latest)
        for field, earliest in (("pmcrdat", _FIRST_RELEASE), ("pubdate", _FIRST_PUBLICATION))
    )


def _parts(
    pages: SearchPages, term: str, first: SearchPage, axes: tuple[_Days, ...], limit: int
) -> Iterator[tuple[int, ...]]:
    """Numbers of the search in parts, later days first."""
    if first.count <= limit:
        yield _complete(pages, term, first, limit)
        return
    if not axes:
        raise ServiceError(
            f"PMC lists at most {limit} articles a search, and {excerpt(term)} has {first.count} of one day. "
            "Split the query into several narrower ones."
        )
    days, *others = axes
    halves = days.halves()
    if halves is None:
        yield from _parts(pages, f"({term}) AND {days.clause()}", first, tuple(others), limit)
        return
    for half in halves:
        page = pages.search_page(f"({term}) AND {half.clause()}", 0, limit)
        if page.count <= limit:
            yield _complete(pages, f"({term}) AND {half.clause()}", page, limit)
        else:
            yield from _parts(pages, term, page, (half, *others), limit)


def _complete(pages: SearchPages, term: str, first: SearchPage, limit: int) -> tuple[int, ...]:
    """All numbers of a search that fits; the service may give fewer a page than asked for."""
    numbers = list(first.numbers)
    while len(numbers) < first.count:
        page = pages.search_page(term, len(numbers), limit)
        if not page.numbers:
            break
        numbers.extend(page.numbers)
    return tuple(numbers)


def _highest(numbers: set[int], at_most: int) -> tuple[int, ...]:
    return tuple(sorted(sorted(numbers, reverse=True)[:at_most]))
