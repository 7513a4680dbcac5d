"""What an article's XML says about itself: whether it is whole, open, under embargo, retracted.

A status is decided by what is there (a body, flags in the article's own `custom-meta`), not by the wording of
comments: parsers drop those and services change them.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace

from lxml import etree

from kg_pipeline.errors import ArticleError, ServiceError, ServiceRefused, ServiceUnavailable
from kg_pipeline.pmc.identifiers import parse_pmcid
from kg_pipeline.pmc.jats.article import Metadata
from kg_pipeline.pmc.jats.metadata import read_metadata
from kg_pipeline.pmc.jats.xml import parse_xml, serialise
from kg_pipeline.pmc.policy import NOTICE_REASON
from kg_pipeline.pmc.remote.bodies import excerpt
from kg_pipeline.pmc.remote.outcomes import Fetched, Wanted
from kg_pipeline.pmc.remote.services import Keeper

#: Statuses whose XML is worth keeping.
KEPT = frozenset({"ok", "no_body", "notice", "retracted"})
_BAD_REQUEST, _TOO_LARGE = 400, 413
_DIGITS = re.compile(r"(?:PMC)?([1-9]\d*)", re.IGNORECASE)


def read_article(content: bytes, wanted: Wanted, *, open_access: bool = False) -> Fetched:
    """The outcome of the bytes of one article; with `open_access`, one outside of that subset is `not_open`."""
    try:
        root = parse_xml(content)
    except (ArticleError, RecursionError) as error:
        reason = str(error) if isinstance(error, ArticleError) else "elements are nested too deeply"
        return replace(_nothing(wanted), status="malformed", reason=reason)
    return _outcome(root, content, wanted, open_access=open_access)


def recall(keeper: Keeper, service: str, wanted: Wanted, *, open_access: bool = False) -> Fetched | None:
    """The article as it was fetched before, read by the rules of today; None if it has to be fetched."""
    known = keeper.known(service, wanted)
    if known is None or known.content is None:
        return None
    named = Wanted(known.pmcid, known.version, known.source_ref, known.md5)
    return replace(read_article(known.content, named, open_access=open_access), is_reused=True)


def failed_article(wanted: Wanted, error: ServiceError) -> Fetched:
    """The outcome of an article whose request failed: its own fault, or that of the service."""
    failed = replace(_nothing(wanted), status="failed", reason=str(error))
    if isinstance(error, ServiceUnavailable):
        return (
            replace(failed, status="malformed")
            if error.is_malformed
            else replace(failed, is_service_failure=True)
        )
    if isinstance(error, ServiceRefused):
        if error.status == _TOO_LARGE:
            return replace(failed, status="malformed")
        if error.status == _BAD_REQUEST:
            return replace(failed, reason=f"bad_request: {error}")
        return replace(failed, is_service_failure=True)
    return failed


def split_set(root: etree._Element, *, open_access: bool = False) -> dict[str, Fetched]:
    """Every article and every error of an answer of efetch, by PMCID.

    An article that names no PMCID and an error that names no id belong to nobody and are left out.
    """
    entries: dict[str, Fetched] = {}
    for element in [root] if root.tag == "article" else root.iterchildren("article", "error", "Reply"):
        if element.tag == "article":
            pmcid = _pmcid(element)
            if pmcid:
                content = serialise(element)
                entries[pmcid] = _outcome(element, content, Wanted(pmcid), open_access=open_access)
            continue
        text = "".join(map(str, element.itertext())) or element.get("error") or "not available"
        named = element.get("id") or element.get("Id")
        pmcid = parse_pmcid(named)[0] if named else _last_number(text)
        # The same answer may hold the article and, under another spelling of its id, an error.
        if pmcid and pmcid not in entries:
            entries[pmcid] = Fetched(pmcid, None, "not_found", excerpt(text))
    return entries


def _nothing(wanted: Wanted) -> Fetched:
    return Fetched(
        wanted.pmcid, wanted.version, "ok", md5=wanted.md5, source_ref=wanted.source_ref or wanted.pmcid
    )


def _outcome(root: etree._Element, content: bytes, wanted: Wanted, *, open_access: bool) -> Fetched:
    if root.tag != "article" or (root.find("front") is None and root.find("body") is None):
        return replace(_nothing(wanted), status="malformed", reason=f"not a JATS article: <{root.tag}>")
    metadata = read_metadata(root)
    if metadata.pmcid and metadata.pmcid != wanted.pmcid:
        return replace(_nothing(wanted), status="malformed", reason=f"the XML is that of {metadata.pmcid}")
    body = root.find("body")
    has_body = body is not None and any(str(text).strip() for text in body.itertext())
    status, reason = _status(_flags(root), has_body, metadata, open_access=open_access)
    is_kept = status in KEPT
    return replace(
        _nothing(wanted),
        version=wanted.version or metadata.version,
        status=status,
        reason=reason,
        content=content if is_kept else None,
        content_sha256=hashlib.sha256(content).hexdigest() if is_kept else "",
        article_type=metadata.article_type,
        license=metadata.license,
        license_class=metadata.license_class,
    )


def _status(
    flags: dict[str, str], has_body: bool, metadata: Metadata, *, open_access: bool
) -> tuple[str, str]:
    if flags.get("pmc-status-embargo") == "yes":
        return "embargoed", "under embargo"
    if flags.get("pmc-prop-legally-suppressed") == "yes" or flags.get("pmc-prop-suppress-copyright") == "yes":
        return "not_open", "PMC suppresses it for legal reasons"
    if flags.get("pmc-status-live") == "no":
        return "not_open", "PMC does not show it (any more)"
    if metadata.retraction:
        return "retracted", metadata.retraction
    if metadata.is_notice:
        return "notice", NOTICE_REASON
    is_closed = flags.get("pmc-prop-open-access") == "no"
    if not has_body:
        return (
            "no_body",
            "the publisher does not allow the full text" if is_closed else "the article has no body text",
        )
    if is_closed and open_access:
        return "not_open", "it is not in the open access subset"
    return "ok", ""


def _pmcid(article: etree._Element) -> str:
    """The article's own PMCID; never its PubMed id, nor an id of a sub-article."""
    for kind in ("pmcid", "pmc", "pmc-id", "pmcid-ver"):
        for element in article.iterfind("front/article-meta/article-id"):
            if (element.get("pub-id-type") or "").lower() == kind:
                pmcid, _ = parse_pmcid(element.text)
                if pmcid:
                    return pmcid
    return ""


def _flags(article: etree._Element) -> dict[str, str]:
    return {
        (element.findtext("meta-name") or "").strip().lower(): (element.findtext("meta-value") or "")
        .strip()
        .lower()
        for element in article.iterfind("front/article-meta/custom-meta-group/custom-meta")
    }


def _last_number(text: str) -> str:
    numbers = _DIGITS.findall(text)
    return f"PMC{numbers[-1]}" if numbers else ""
