"""What a corpus is, as a query to PubMed Central."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

LicenseClass = Literal["redistributable", "mining_only", "non_commercial", "unknown"]

#: E-utilities filters by licence class; `unknown` is what has none of them.
_FILTERS: dict[str, tuple[str, ...]] = {
    "redistributable": ("cc0_license[filter]", "cc_by_license[filter]", "cc_by-sa_license[filter]"),
    "non_commercial": (
        "cc_by-nc_license[filter]",
        "cc_by-nc-sa_license[filter]",
        "cc_by-nc-nd_license[filter]",
    ),
    "mining_only": ("cc_by-nd_license[filter]", "author_manuscript[filter]"),
}
_DATE_FIELDS = {"published": "pubdate", "released": "pmcrdat"}
_FIRST_DAY = "1800/01/01"
_LAST_DAY = "3000/12/31"


class PmcQuery(BaseModel):
    """One or several queries, and the filters that hold for all of them.

    An article belongs to the corpus if any of the `terms` finds it. `license` names licence classes, none for all;
    `article_types` are values of JATS `@article-type`, none for all; they are known only when an article is there.
    Of more than `max_articles` those with the highest PMCIDs, the latest additions to PMC, are taken.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    terms: tuple[str, ...] = Field(min_length=1)
    open_access: bool = True
    license: tuple[LicenseClass, ...] = ()
    from_date: date | None = None
    to_date: date | None = None
    date_field: Literal["published", "released"] = "published"
    article_types: tuple[str, ...] = ()
    max_articles: int | None = Field(None, ge=1)

    @field_validator("terms")
    @classmethod
    def _check_terms(cls, terms: tuple[str, ...]) -> tuple[str, ...]:
        tidy = tuple(dict.fromkeys(" ".join(term.split()) for term in terms))
        for term in tidy:
            if not term:
                raise ValueError("a query is empty")
            _check_balance(term)
        return tidy

    @model_validator(mode="after")
    def _check_dates(self) -> Self:
        if self.from_date and self.to_date and self.from_date > self.to_date:
            raise ValueError(f"from_date {self.from_date} is after to_date {self.to_date}")
        return self

    def entrez_terms(self) -> tuple[str, ...]:
        """The queries with all filters, in the syntax of E-utilities for `db=pmc`."""
        filters = self._entrez_filters()
        return tuple(_joined(term, filters) for term in self.terms)

    def europepmc_terms(self) -> tuple[str, ...]:
        """The queries with all filters that it has, in the syntax of Europe PMC."""
        filters = ["OPEN_ACCESS:y"] if self.open_access else ["IN_EPMC:y"]
        if self.from_date or self.to_date:
            field = "FIRST_PDATE" if self.date_field == "published" else "FIRST_IDATE"
            first = self.from_date.isoformat() if self.from_date else _FIRST_DAY.replace("/", "-")
            last = self.to_date.isoformat() if self.to_date else _LAST_DAY.replace("/", "-")
            filters.append(f"{field}:[{first} TO {last}]")
        return tuple(_joined(term, filters) for term in self.terms)

    def admits_license(self, license_class: str) -> bool:
        """Whether articles of that licence class belong to the corpus."""
        return not self.license or license_class in self.license

    def admits_type(self, article_type: str) -> bool:
        """Whether articles of that JATS `@article-type` belong to the corpus."""
        return not self.article_types or article_type.lower() in {kind.lower() for kind in self.article_types}

    def _entrez_filters(self) -> list[str]:
        filters = ["open_access[filter]"] if self.open_access else []
        if self.license and "unknown" in self.license:
            # What states no licence is found only as the rest.
            others = [name for kind, names in _FILTERS.items() if kind not in self.license for name in names]
            if others:
                filters.append(f"NOT ({' OR '.join(others)})")
        elif self.license:
            names = [name for kind in _FILTERS if kind in self.license for name in _FILTERS[kind]]
            filters.append(f"({' OR '.join(names)})")
        if self.from_date or self.to_date:
            filters.append(date_range(_DATE_FIELDS[self.date_field], self.from_date, self.to_date))
        return filters


def date_range(field: str, first: date | None, last: date | None) -> str:
    """E-utilities clause for a range of days, both included; open where a day is None."""
    start = f"{first:%Y/%m/%d}" if first else _FIRST_DAY
    end = f"{last:%Y/%m/%d}" if last else _LAST_DAY
    return f"{start}:{end}[{field}]"


def _joined(term: str, filters: Sequence[str]) -> str:
    """The query and its filters, evaluated from left to right; `NOT` is an operator of its own to E-utilities."""
    return f"({term})" + "".join(
        f" {clause}" if clause.startswith("NOT ") else f" AND {clause}" for clause in filters
    )


def _check_balance(term: str) -> None:
    """Refuse a query that would reach out of its parentheses and change the filters."""
    depth = 0
    is_quoted = False
    for character in term:
        if character == '"':
            is_quoted = not is_quoted
        elif not is_quoted:
            depth += (character == "(") - (character == ")")
            if depth < 0:
                break
    if depth or is_quoted:
        raise ValueError(f"parentheses or quotation marks of the query do not match: {term}")
