"""A corpus that is a query: what it holds now, and the articles themselves."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self, TypeVar

from kg_pipeline.errors import ServiceUnavailable, StageError
from kg_pipeline.pmc.remote.articles import recall
from kg_pipeline.pmc.remote.outcomes import EXCLUDED, Fetched, Listed, Wanted
from kg_pipeline.pmc.remote.services import ArticleService, Keeper
from kg_pipeline.queries import PmcQuery

_Key = tuple[str, int | None]
_Outcome = TypeVar("_Outcome", Listed, Fetched)


@dataclass(frozen=True, slots=True)
class Found:
    """What the queries of a corpus find together: PMCIDs by number, and what the service complained about."""

    pmcids: tuple[str, ...]
    warnings: tuple[str, ...] = ()


class RemoteSource:
    """Lists and fetches the articles of one `PmcQuery`. Close it, or use it in a `with` statement."""

    def __init__(
        self,
        query: PmcQuery,
        search: Callable[[PmcQuery], Found],
        articles: ArticleService,
        keeper: Keeper,
        *,
        patience: int = 5,
        resources: contextlib.ExitStack | None = None,
    ) -> None:
        self._query = query
        self._search = search
        self._articles = articles
        self._keeper = keeper
        self._patience = patience
        self._resources = resources or contextlib.ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End requests that wait, and close connections and files."""
        self._resources.close()

    def find(self) -> Found:
        """PMCIDs of the corpus now.

        Raises
        ------
        StageError
            If no query finds anything: that is an error of a query or a service rather than an empty corpus.

        """
        found = self._search(self._query)
        if not found.pmcids:
            hints = "".join(f" {warning}." for warning in found.warnings)
            queries = " | ".join(self._query.terms)
            raise StageError(
                f"No article of PMC matches the query {queries} with its filters.{hints} "
                "Mend the query, or loosen open_access, license or the dates."
            )
        return found

    def look_up(self, found: Iterable[str], previous: Iterable[str] = ()) -> Iterator[Listed]:
        """One row an article, by PMCID number: what the queries find, and what is left of `previous`.

        `previous` are the PMCIDs of the last listing. Those that no query finds any more are looked up, too, so that
        a retraction is told from an article that only left the result; they are `retracted`, `failed` or
        `not_found`, never `ok`.

        Raises
        ------
        StageError
            If the service as a whole fails.

        """
        found = set(found)
        gone = set(previous) - found
        wanted = [one for text in found | gone if (one := Wanted.parse(text)) is not None]
        wanted = [replace(one, version=None) for one in sorted(wanted, key=lambda one: one.number)]
        for listed in self._patient(self._articles.look_up(wanted)):
            yield _withdrawn(listed) if listed.pmcid in gone else self._filtered(listed)

    def fetch(self, articles: Iterable[str | Wanted]) -> Iterator[Fetched]:
        """One outcome for each distinct id, in the order asked; a version counts as part of the id.

        Articles are what a listing gives (`Listed.as_wanted`), or PMCIDs in any spelling, with or without a version,
        or the `source_ref` of a listing. One that was fetched before comes from the store; a run that was killed
        goes on where it was.

        Raises
        ------
        StageError
            If the service as a whole fails.

        """
        asked: dict[_Key | str, Wanted | None] = {}
        for article in articles:
            one = article if isinstance(article, Wanted) else Wanted.parse(article)
            key = (one.pmcid, one.version) if one is not None else str(article).strip()
            if asked.get(key) is None or (one is not None and one.md5):
                asked[key] = one
        wanted = [one for one in asked.values() if one is not None]
        outcomes = self._patient(self._articles.fetch(wanted, self._keeper))
        for key, one in asked.items():
            if one is None:
                yield Fetched(str(key), None, "failed", f"bad_request: {str(key)[:40]!r} is no PMCID")
            else:
                yield self._of_wanted_kind(next(outcomes).with_license_of(one))

    def recall(self, article: Wanted) -> Fetched | None:
        """The article if it was fetched before; nothing is asked."""
        known = recall(self._keeper, self._articles.name, article)
        return self._of_wanted_kind(known.with_license_of(article)) if known is not None else None

    def _patient(self, outcomes: Iterator[_Outcome]) -> Iterator[_Outcome]:
        """The outcomes, until so many requests fail one after the other that the service must be down."""
        failures = 0
        for outcome in outcomes:
            if outcome.is_service_failure:
                failures += 1
            elif outcome.status != "failed":
                failures = 0
            if failures >= self._patience:
                raise ServiceUnavailable(f"{failures} requests failed one after the other. {outcome.reason}")
            yield outcome

    def _filtered(self, listed: Listed) -> Listed:
        if listed.status == "not_found":
            # The search has just found it.
            return replace(listed, status="not_open", reason=f"PMC has the article, but {listed.reason}")
        if listed.status in {"ok", "no_body"} and not self._query.admits_license(listed.license_class):
            # A licence may be stated in the article only; then it is decided when that is there.
            if listed.license_class == "unknown":
                return listed
            stated = f"its licence, {listed.license}, is of the class {listed.license_class}"
            return replace(listed, status=EXCLUDED, reason=f"{stated}, which the corpus does not take")
        return listed

    def _of_wanted_kind(self, article: Fetched) -> Fetched:
        if article.status != "ok":
            return article
        if not self._query.admits_type(article.article_type):
            reason = f"its type, {article.article_type or 'none'}, is not among those the corpus takes"
            return replace(article, status=EXCLUDED, reason=reason)
        if not self._query.admits_license(article.license_class):
            reason = f"its licence is of the class {article.license_class}, which the corpus does not take"
            return replace(article, status=EXCLUDED, reason=reason)
        return article


def _withdrawn(listed: Listed) -> Listed:
    """An article of the last listing that no query finds any more."""
    if listed.status in {"retracted", "failed"}:
        return listed
    reason = listed.reason if listed.status == "not_found" else "no query of the corpus finds it any more"
    return replace(listed, status="not_found", reason=f"withdrawn: {reason}")
