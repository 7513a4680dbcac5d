"""What is asked for, what a listing says about it, and what a fetch brought: one row an id, whatever happened."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from kg_pipeline.pmc.identifiers import parse_pmcid

#: The article is there, but the corpus does not want articles of its type.
EXCLUDED = "excluded"
_S3_URL = re.compile(r"s3://[^/?#]+/(PMC[1-9]\d*)\.([1-9]\d*)/[^?#]+(?:\?md5=([0-9a-f]{32}))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wanted:
    """An article to look up or fetch; no `version` means the newest one.

    The others are what a listing knows already. With `source_ref` and `md5` fewer requests are needed; the licence
    stands in where the article itself states none.
    """

    pmcid: str
    version: int | None = None
    source_ref: str = ""
    md5: str = ""
    license: str = ""
    license_class: str = "unknown"

    @classmethod
    def parse(cls, text: str) -> Wanted | None:
        """From a PMCID in any spelling, with or without a version, or from a `source_ref`; None for anything else."""
        match = _S3_URL.fullmatch(text.strip())
        if match:
            return cls(
                match.group(1).upper(), int(match.group(2)), text.strip(), (match.group(3) or "").lower()
            )
        pmcid, version = parse_pmcid(text)
        return cls(pmcid, version) if pmcid else None

    @property
    def number(self) -> int:
        """The PMCID without its prefix."""
        return int(self.pmcid.removeprefix("PMC"))


@dataclass(frozen=True, slots=True)
class Listed:
    """What a service says about one article, before it is fetched.

    `version` is None where the service does not tell; `license` is as stated, empty if it is not; `md5` is that of
    the XML; `doi` and `pmid` are empty where the service does not tell. `status` is one of `schema.ARTICLE_STATUSES`.
    """

    pmcid: str
    version: int | None
    status: str
    reason: str = ""
    license: str = ""
    license_class: str = "unknown"
    is_retracted: bool = False
    md5: str = ""
    source_ref: str = ""
    title: str = ""
    doi: str = ""
    pmid: str = ""
    is_service_failure: bool = False

    def as_wanted(self) -> Wanted:
        """What to give to `RemoteSource.fetch` to get this article."""
        return Wanted(self.pmcid, self.version, self.source_ref, self.md5, self.license, self.license_class)


@dataclass(frozen=True, slots=True)
class Fetched:
    """One article as it came, or why it did not.

    `content` is there for `ok`, `no_body`, `notice`, `excluded` and `retracted` where the service gave it. `is_reused` tells that it was in the store already; `is_service_failure` that a request failed, which is
    not the article's fault.
    """

    pmcid: str
    version: int | None
    status: str
    reason: str = ""
    content: bytes | None = None
    content_sha256: str = ""
    md5: str = ""
    article_type: str = ""
    license: str = ""
    license_class: str = "unknown"
    source_ref: str = ""
    is_reused: bool = False
    is_service_failure: bool = False

    def with_license_of(self, listed: Listed | Wanted) -> Fetched:
        """The article under the licence of its listing, where it states none that can be read."""
        if self.license_class != "unknown" or listed.license_class == "unknown":
            return self
        return replace(self, license=listed.license, license_class=listed.license_class)
