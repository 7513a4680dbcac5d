"""E-utilities for `db=pmc`: one page of a search, and one set of articles.

Parameters that are long or private (the API key, the e-mail address) go into the body of a POST, never into an
address, so that neither proxies nor logs get to see them.
"""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Sequence
from dataclasses import dataclass

from lxml import etree

from kg_pipeline.errors import ServiceRefused
from kg_pipeline.pmc.identifiers import parse_pmcid
from kg_pipeline.pmc.remote.bodies import excerpt, read_xml
from kg_pipeline.pmc.remote.failures import UnusableAnswer
from kg_pipeline.pmc.remote.http import Answer, Fetcher

OFFICIAL_URL = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
#: Requests a second that NCBI allows without and with an API key.
RATE, RATE_WITH_KEY = 3.0, 10.0

_LONGEST_QUERY = 1000  # characters of a GET; longer ones risk 414
_PASSING = re.compile(
    r"backend|temporar|unavailable|time[ds]?[ -]?out|try again|rate limit|internal|overload|busy",
    re.IGNORECASE,
)
_RESULT = frozenset({"eSearchResult"})
_SETS = frozenset({"pmc-articleset", "article", "eFetchResult"})
_IGNORED_WORDS = {
    "PhraseNotFound": "PMC does not know the phrase {!r} and left it out of the search",
    "QuotedPhraseNotFound": "PMC does not know the phrase {!r} as a whole and searched for its words",
    "PhraseIgnored": "PMC left {!r} out of the search",
}


@dataclass(frozen=True, slots=True)
class SearchPage:
    """A part of a search result: how many articles there are in all, and the numbers of some of them."""

    count: int
    numbers: tuple[int, ...]
    warnings: tuple[str, ...] = ()


class EntrezClient:
    """Requests to E-utilities through a `Fetcher`; `tool` and `email` are what NCBI asks clients to send."""

    def __init__(
        self,
        fetcher: Fetcher,
        *,
        base_url: str = OFFICIAL_URL,
        tool: str = "kg-pipeline",
        email: str = "",
        api_key: str = "",
    ) -> None:
        self._fetcher = fetcher
        self._base_url = base_url.rstrip("/")
        self._common = {"db": "pmc", "retmode": "xml", "tool": tool}
        self._private = {name: value for name, value in (("email", email), ("api_key", api_key)) if value}

    def search_page(self, term: str, start: int, size: int) -> SearchPage:
        """Articles number `start` to `start + size - 1` of a search, the newest first.

        Raises
        ------
        ServiceRefused
            If PMC says that the search is wrong, or does not know a field of it.
        ServiceUnavailable
            If no usable answer comes.

        """
        form = {**self._common, "term": term, "retstart": str(start), "retmax": str(size)}
        root = self._ask("esearch.fcgi", form, _RESULT)
        count = root.findtext("Count") or ""
        numbers = [(element.text or "").strip() for element in root.iterfind("IdList/Id")]
        if not count.isdecimal():
            raise ServiceRefused(
                f"{self._fetcher.service} counts {count!r} articles for {excerpt(term)}; that is no number.",
                status=200,
            )
        if strange := [number for number in numbers if not (number.isdecimal() and parse_pmcid(number)[0])]:
            raise ServiceRefused(
                f"{self._fetcher.service} lists {excerpt(strange[0])!r} for {excerpt(term)}; that is no PMCID.",
                status=200,
            )
        self._refuse_unknown_fields(root, term)
        return SearchPage(int(count), tuple(map(int, numbers)), _warnings(root))

    def fetch_set(self, numbers: Sequence[int]) -> etree._Element:
        """Root of the article set of these PMCID numbers, names without namespaces.

        Raises
        ------
        ServiceRefused
            If the service declines the request as it is, or the answer is over the bound (status 413).
        ServiceUnavailable
            If no usable answer comes.

        """
        form = {**self._common, "id": ",".join(map(str, numbers))}
        return self._ask("efetch.fcgi", form, _SETS)

    def _ask(self, path: str, form: dict[str, str], roots: frozenset[str]) -> etree._Element:
        url = f"{self._base_url}/{path}"

        def checked(answer: Answer) -> etree._Element:
            root = read_xml(answer, roots)
            self._refuse_error(root)
            return root

        if self._private or len(urllib.parse.urlencode(form)) > _LONGEST_QUERY:
            return self._fetcher.post(url, {**form, **self._private}, read=checked)
        return self._fetcher.get(url, form, read=checked)

    def _refuse_error(self, root: etree._Element) -> None:
        """An error inside of a 200: repeated if it may pass, else final."""
        problem = root.find("ERROR")
        if problem is None:
            return
        text = self._fetcher.clean(excerpt("".join(map(str, problem.itertext()))))
        if _PASSING.search(text):
            raise UnusableAnswer(f"it reports: {text}")
        raise ServiceRefused(f"{self._fetcher.service} declined the request: {text}", status=200)

    def _refuse_unknown_fields(self, root: etree._Element, term: str) -> None:
        """A clause with an unknown field is ignored by the service: the search would find too much."""
        fields = sorted(
            {(element.text or "").strip() for element in root.iterfind("ErrorList/FieldNotFound")}
        )
        if fields:
            raise ServiceRefused(
                f"{self._fetcher.service} does not know the field {', '.join(fields)} of the query {excerpt(term)}. "
                "Mend the query; with the field ignored it would find other articles.",
                status=200,
            )


def _warnings(root: etree._Element) -> tuple[str, ...]:
    found = (
        sentence.format((element.text or "").strip())
        for name, sentence in _IGNORED_WORDS.items()
        for element in root.iterfind(f".//{name}")
    )
    return tuple(dict.fromkeys(found))
