"""Europe PMC: search with a cursor, and the full text of open access articles.

Its full-text address answers 404 or 500 alike for articles that are closed and for those that do not exist, so
whether an article is open is always found out by a search first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kg_pipeline.errors import ServiceError
from kg_pipeline.pmc.identifiers import parse_doi, parse_pmcid, parse_pmid
from kg_pipeline.pmc.jats.licenses import classify_license
from kg_pipeline.pmc.remote.articles import failed_article, read_article, recall
from kg_pipeline.pmc.remote.bodies import excerpt, read_json, read_xml
from kg_pipeline.pmc.remote.failures import UnusableAnswer
from kg_pipeline.pmc.remote.http import Answer, Fetcher
from kg_pipeline.pmc.remote.outcomes import Fetched, Listed, Wanted
from kg_pipeline.pmc.remote.parallel import ordered_map
from kg_pipeline.pmc.remote.services import Keeper

OFFICIAL_URL = "https://www.ebi.ac.uk/europepmc/webservices/rest"
#: Requests a second that users of the service report as its bound.
RATE = 10.0

_MISSING = frozenset({404})
_LONGEST_QUERY = 1000  # characters of a query in an address; longer ones risk 414
_IDS_PER_SEARCH = 50
#: Articles that one search tells the state of before they are fetched.
IDS_PER_FETCH = 10
_RETRACTED = "retracted publication"


@dataclass(frozen=True, slots=True)
class EuropeRecord:
    """One search result that has a PMCID."""

    pmcid: str
    is_open_access: bool
    license: str
    publication_types: str
    title: str
    doi: str
    pmid: str


class EuropePmcClient:
    """Requests to Europe PMC's REST service through a `Fetcher`."""

    def __init__(
        self, fetcher: Fetcher, *, base_url: str = OFFICIAL_URL, page_size: int = 500, email: str = ""
    ) -> None:
        self._fetcher = fetcher
        self._base_url = base_url.rstrip("/")
        self._page_size = page_size
        self._private = {"email": email} if email else {}

    def search(self, query: str, *, at_most: int | None = None) -> Iterator[EuropeRecord]:
        """Results that are in PMC, in the order of the service; `at_most` bounds how many are given.

        Raises
        ------
        ServiceError
            If the service fails, or gives another number of results than it counts.

        """
        cursor = "*"
        results = given = 0
        while True:
            page = self._page(query, cursor)
            hits = _hits(page)
            results += len(hits)
            for record in filter(None, map(_record, hits)):
                yield record
                given += 1
                if at_most is not None and given >= at_most:
                    return
            following = str(page.get("nextCursorMark") or "")
            if not hits or following in {"", cursor}:
                break
            cursor = following
        count = int(page["hitCount"])
        if results < count:
            raise ServiceError(
                f"Europe PMC counts {count} results for the query {excerpt(query)} but gave {results}. "
                "Nothing was changed; try again later."
            )

    def full_text(self, pmcid: str) -> bytes | None:
        """JATS of an open access article; None if the service says that there is none."""

        def read(answer: Answer) -> bytes | None:
            if answer.status in _MISSING:
                return None
            read_xml(answer, frozenset({"article"}))
            return answer.content

        return self._fetcher.get(f"{self._base_url}/{pmcid}/fullTextXML", read=read, accept=_MISSING)

    def _page(self, query: str, cursor: str) -> dict[str, Any]:
        form = {
            "query": query,
            "format": "json",
            "resultType": "core",
            "pageSize": str(self._page_size),
            "cursorMark": cursor,
        }
        if self._private or len(query) > _LONGEST_QUERY:
            return self._fetcher.post(
                f"{self._base_url}/searchPOST", {**form, **self._private}, read=_read_page
            )
        return self._fetcher.get(f"{self._base_url}/search", form, read=_read_page)


class EuropePmcArticles:
    """Europe PMC as an `ArticleService`; it tells no versions, and its XML has a flavour of its own."""

    name = "europepmc"

    def __init__(self, client: EuropePmcClient, *, threads: int = 4) -> None:
        self._client = client
        self._threads = threads

    def look_up(self, wanted: Sequence[Wanted]) -> Iterator[Listed]:
        """See `ArticleService`: one search for many articles."""
        for listed in ordered_map(self._look_up, _batches(wanted), threads=self._threads):
            yield from listed

    def fetch(self, wanted: Sequence[Wanted], keeper: Keeper) -> Iterator[Fetched]:
        """See `ArticleService`: one request an article, after one search for many."""

        def run(batch: Sequence[Wanted]) -> list[Fetched]:
            known = {one: article for one in batch if (article := recall(keeper, self.name, one)) is not None}
            missing = [one for one in batch if one not in known]
            listed = dict(zip(missing, self._look_up(missing), strict=True))
            return [known[one] if one in known else self._fetch(one, listed[one], keeper) for one in batch]

        for articles in ordered_map(run, _batches(wanted, size=IDS_PER_FETCH), threads=self._threads):
            yield from articles

    def _look_up(self, batch: Sequence[Wanted]) -> list[Listed]:
        if not batch:
            return []
        query = " OR ".join(f"PMCID:{pmcid}" for pmcid in dict.fromkeys(one.pmcid for one in batch))
        try:
            records = {record.pmcid: record for record in self._client.search(f"({query})")}
        except ServiceError as error:
            return [
                Listed(one.pmcid, one.version, "failed", str(error), is_service_failure=number == 0)
                for number, one in enumerate(batch)
            ]
        return [_listed(one, records.get(one.pmcid)) for one in batch]

    def _fetch(self, one: Wanted, listed: Listed, keeper: Keeper) -> Fetched:
        outcome = Fetched(
            one.pmcid,
            one.version,
            listed.status,
            listed.reason,
            license=listed.license,
            license_class=listed.license_class,
            source_ref=listed.source_ref,
            is_service_failure=listed.is_service_failure,
        )
        if listed.status != "ok":
            return outcome
        try:
            content = self._client.full_text(one.pmcid)
        except ServiceError as error:
            return failed_article(one, error)
        if content is None:
            return Fetched(one.pmcid, one.version, "not_found", "Europe PMC has no full text of it")
        return keeper.keep(self.name, read_article(content, one)).with_license_of(listed)


def _batches(wanted: Sequence[Wanted], size: int = _IDS_PER_SEARCH) -> list[Sequence[Wanted]]:
    return [wanted[start : start + size] for start in range(0, len(wanted), size)]


def _read_page(answer: Answer) -> dict[str, Any]:
    page = read_json(answer)
    if str(page.get("hitCount", "")).isdecimal() and isinstance(_hits(page), list):
        return page
    problem = page.get("errMsg") or page.get("errorMessage") or "it has no hitCount"
    raise UnusableAnswer(f"the answer is no search result: {excerpt(str(problem))}")


def _hits(page: dict[str, Any]) -> list[dict[str, Any]]:
    holder = page.get("resultList")
    hits = holder.get("result", []) if isinstance(holder, dict) else []
    return [hit for hit in hits if isinstance(hit, dict)]


def _record(hit: dict[str, Any]) -> EuropeRecord | None:
    pmcid, _ = parse_pmcid(str(hit.get("pmcid") or ""))
    if not pmcid:
        return None
    listed_types = hit.get("pubTypeList")
    types = (
        listed_types.get("pubType", []) if isinstance(listed_types, dict) else str(hit.get("pubType") or "")
    )
    return EuropeRecord(
        pmcid,
        is_open_access=hit.get("isOpenAccess") == "Y",
        license=str(hit.get("license") or ""),
        publication_types=types if isinstance(types, str) else "; ".join(map(str, types)),
        title=str(hit.get("title") or ""),
        doi=parse_doi(str(hit.get("doi") or "")),
        pmid=parse_pmid(str(hit.get("pmid") or "")),
    )


def _listed(one: Wanted, record: EuropeRecord | None) -> Listed:
    if record is None:
        return Listed(
            one.pmcid, one.version, "not_found", "Europe PMC does not know it", source_ref=one.pmcid
        )
    is_retracted = _RETRACTED in record.publication_types.lower()
    status, reason = "ok", ""
    if is_retracted:
        status, reason = "retracted", "Europe PMC marks it as retracted"
    elif not record.is_open_access:
        status, reason = "not_open", "Europe PMC does not hold it as open access"
    return Listed(
        one.pmcid,
        one.version,
        status,
        reason,
        license=record.license,
        license_class=classify_license(record.license),
        is_retracted=is_retracted,
        source_ref=one.pmcid,
        title=record.title,
        doi=record.doi,
        pmid=record.pmid,
    )
