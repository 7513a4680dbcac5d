"""The PMC Cloud Service: one folder an article version in a public S3 bucket, read over plain HTTPS.

Versions are listed and compared as numbers, the newest that has metadata counts, these say what may be used, and the XML
is checked against the MD5 that they give. Being in the bucket is no licence: it also holds author manuscripts and scans.
"""

from __future__ import annotations

import hashlib
import re
import urllib.parse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kg_pipeline.errors import ServiceError, ServiceRefused, ServiceUnavailable
from kg_pipeline.pmc.identifiers import parse_doi, parse_pmid
from kg_pipeline.pmc.jats.licenses import classify_license
from kg_pipeline.pmc.remote.articles import failed_article, read_article, recall
from kg_pipeline.pmc.remote.bodies import read_json, read_xml
from kg_pipeline.pmc.remote.failures import ChangedFile, UnusableAnswer
from kg_pipeline.pmc.remote.http import Answer, Fetcher
from kg_pipeline.pmc.remote.outcomes import Fetched, Listed, Wanted
from kg_pipeline.pmc.remote.parallel import ordered_map
from kg_pipeline.pmc.remote.services import Keeper

OFFICIAL_URL = "https://pmc-oa-opendata.s3.amazonaws.com"
_MISSING = frozenset({404})
_LISTING = frozenset({"ListBucketResult"})
_FOLDER = re.compile(r"(PMC[1-9]\d*)\.([1-9]\d{0,3})/")
#: Versions, from the newest, whose metadata are asked for: a folder may be there a while before they are.
_VERSIONS_TRIED = 3


@dataclass(frozen=True, slots=True)
class CloudRecord:
    """Metadata of one article version, as far as they matter here. What they leave out counts as no."""

    pmcid: str
    version: int
    is_open_access: bool
    is_manuscript: bool
    is_retracted: bool
    license_code: str
    xml_url: str
    title: str
    doi: str
    pmid: str

    @property
    def license_class(self) -> str:
        """One of `schema.LICENSE_CLASSES`."""
        return classify_license(self.license_code, is_manuscript=self.is_manuscript)


class CloudClient:
    """Requests to the bucket through a `Fetcher`."""

    def __init__(self, fetcher: Fetcher, *, base_url: str = OFFICIAL_URL) -> None:
        self._fetcher = fetcher
        self._base_url = base_url.rstrip("/")

    def versions(self, pmcid: str) -> list[int]:
        """Versions of the article in the bucket, in ascending order; none if it is not there."""
        found: set[int] = set()
        token = ""
        while True:
            # The dot keeps PMC10 out of the listing of PMC1.
            params = {"list-type": "2", "prefix": f"{pmcid}.", "delimiter": "/"}
            if token:
                params["continuation-token"] = token
            root = self._fetcher.get(
                f"{self._base_url}/", params, read=lambda answer: read_xml(answer, _LISTING)
            )
            for element in root.iterfind("CommonPrefixes/Prefix"):
                match = _FOLDER.fullmatch((element.text or "").strip())
                if match and match.group(1) == pmcid:
                    found.add(int(match.group(2)))
            following = (root.findtext("NextContinuationToken") or "").strip()
            if (root.findtext("IsTruncated") or "").strip().lower() != "true" or following in {"", token}:
                return sorted(found)
            token = following

    def metadata(self, pmcid: str, version: int) -> CloudRecord | None:
        """Metadata of an article version; None if there are none."""

        def read(answer: Answer) -> CloudRecord | None:
            return None if answer.status in _MISSING else _record(read_json(answer), pmcid, version)

        return self._fetcher.get(
            f"{self._base_url}/metadata/{pmcid}.{version}.json", read=read, accept=_MISSING
        )

    def xml(self, source_ref: str) -> bytes | None:
        """The XML at an `s3://…?md5=…` address, checked against the MD5 where there is one; None if it is not there.

        Raises
        ------
        ChangedFile
            If the same content with another MD5 comes twice: that is no accident on the way.

        """
        address = urllib.parse.urlsplit(source_ref)
        wanted = urllib.parse.parse_qs(address.query).get("md5", [""])[0].lower()
        wrong = ""

        def read(answer: Answer) -> bytes | None:
            nonlocal wrong
            if answer.status in _MISSING:
                return None
            md5 = hashlib.md5(answer.content, usedforsecurity=False).hexdigest()
            if wanted and md5 != wanted:
                reason = f"{address.path} has MD5 {md5}, not {wanted} as its metadata say"
                if md5 == wrong:
                    raise ChangedFile(f"{reason}; it has changed since they were read.")
                wrong = md5
                raise UnusableAnswer(reason)
            if not answer.content:
                raise UnusableAnswer("the file is empty")
            return answer.content

        path = urllib.parse.quote(address.path.lstrip("/"))
        return self._fetcher.get(f"{self._base_url}/{path}", read=read, accept=_MISSING)


class CloudArticles:
    """The Cloud Service as an `ArticleService`.

    With `open_access`, author manuscripts and scans outside of the open access subset are `not_open`.
    """

    name = "cloud"

    def __init__(self, client: CloudClient, *, open_access: bool = True, threads: int = 8) -> None:
        self._client = client
        self._open_access = open_access
        self._threads = threads

    def look_up(self, wanted: Sequence[Wanted]) -> Iterator[Listed]:
        """See `ArticleService`: two small requests an article."""
        return ordered_map(self._look_up, wanted, threads=self._threads)

    def fetch(self, wanted: Sequence[Wanted], keeper: Keeper) -> Iterator[Fetched]:
        """See `ArticleService`; what a listing found takes one request, a bare PMCID three."""
        return ordered_map(lambda one: self._fetch(one, keeper), wanted, threads=self._threads)

    def _look_up(self, one: Wanted) -> Listed:
        try:
            versions = (
                [one.version]
                if one.version
                else self._client.versions(one.pmcid)[: -_VERSIONS_TRIED - 1 : -1]
            )
            records = (self._client.metadata(one.pmcid, version) for version in versions)
            record = next((record for record in records if record is not None), None)
        except ServiceUnavailable as error:
            return Listed(one.pmcid, one.version, "failed", str(error), is_service_failure=True)
        except ServiceRefused as error:
            return Listed(
                one.pmcid, one.version, "failed", str(error), is_service_failure=error.status == 403
            )
        if record is None:
            what = f"version {versions[0]} of it" if versions else "it"
            return Listed(one.pmcid, one.version, "not_found", f"the PMC Cloud Service does not hold {what}")
        return self._listed(record)

    def _listed(self, record: CloudRecord) -> Listed:
        status, reason = self._status(record)
        return Listed(
            record.pmcid,
            record.version,
            status,
            reason,
            license=record.license_code,
            license_class=record.license_class,
            is_retracted=record.is_retracted,
            md5=urllib.parse.parse_qs(urllib.parse.urlsplit(record.xml_url).query)
            .get("md5", [""])[0]
            .lower(),
            source_ref=record.xml_url or f"{record.pmcid}.{record.version}",
            title=record.title,
            doi=record.doi,
            pmid=record.pmid,
        )

    def _status(self, record: CloudRecord) -> tuple[str, str]:
        if record.is_retracted:
            return "retracted", "PMC marks it as retracted"
        if self._open_access and not record.is_open_access:
            kind = "an author manuscript" if record.is_manuscript else "a deposit"
            return "not_open", f"it is {kind} outside of the open access subset"
        if not record.xml_url:
            return "no_body", "PMC holds no XML of it"
        return "ok", ""

    def _fetch(self, one: Wanted, keeper: Keeper) -> Fetched:
        if one.version is not None and (known := recall(keeper, self.name, one)) is not None:
            return known
        try:
            if one.md5 and (article := self._download_listed(one)) is not None:
                return keeper.keep(self.name, article)
            # Nothing is known of it yet, or the listing is older than the last change.
            listed = self._look_up(replace(one, source_ref="", md5=""))
            if listed.status != "ok":
                return _without_text(listed)
            current = listed.as_wanted()
            if (known := recall(keeper, self.name, current)) is not None:
                return known.with_license_of(listed)
            article = self._download(current)
        except ServiceError as error:
            return failed_article(one, error)
        if article is None:
            return Fetched(
                one.pmcid,
                listed.version,
                "not_found",
                "its XML is not in the bucket",
                source_ref=listed.source_ref,
            )
        return keeper.keep(self.name, article).with_license_of(listed)

    def _download_listed(self, one: Wanted) -> Fetched | None:
        """The file that a listing promised; None if it is gone or another one by now."""
        try:
            return self._download(one)
        except ChangedFile:
            return None

    def _download(self, one: Wanted) -> Fetched | None:
        content = self._client.xml(one.source_ref)
        return None if content is None else read_article(content, one)


def _record(values: dict[str, Any], pmcid: str, version: int) -> CloudRecord:
    if values.get("pmcid") != pmcid or values.get("version") not in {version, str(version)}:
        raise UnusableAnswer(f"the metadata are those of {values.get('pmcid')}.{values.get('version')}")
    return CloudRecord(
        pmcid,
        version,
        is_open_access=_is_yes(values.get("is_pmc_openaccess")),
        is_manuscript=_is_yes(values.get("is_manuscript")),
        is_retracted=_is_yes(values.get("is_retracted")),
        license_code=str(values.get("license_code") or ""),
        xml_url=str(values.get("xml_url") or ""),
        title=str(values.get("title") or ""),
        doi=parse_doi(str(values.get("doi") or "")),
        pmid=parse_pmid(str(values.get("pmid") or "")),
    )


def _is_yes(value: object) -> bool:
    """Whether a flag is set, should it ever be written as a text or a number."""
    return str(value).strip().lower() in {"true", "yes", "1"}


def _without_text(listed: Listed) -> Fetched:
    return Fetched(
        listed.pmcid,
        listed.version,
        listed.status,
        listed.reason,
        md5=listed.md5,
        license=listed.license,
        license_class=listed.license_class,
        source_ref=listed.source_ref,
        is_service_failure=listed.is_service_failure,
    )
