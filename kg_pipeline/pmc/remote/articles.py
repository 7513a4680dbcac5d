"""What an article's XML says about itself: whether it is whole, open, under embargo, retracted.

A status is decided by what is there (a body, flags in the article's own `custom-meta`), not by the wording of
comments: parsers drop those and services change them.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace

from lxml import etree

from kg_pipeline.errors import ArticleError
from kg_pipeline.pmc.identifiers import parse_pmcid
from kg_pipeline.pmc.jats import parse_front
from kg_pipeline.pmc.remote.bodies import excerpt
from kg_pipeline.pmc.remote.outcomes import Fetched, Wanted
from kg_pipeline.pmc.xml import serialise

#: Statuses whose XML is worth keeping.
KEPT = frozenset({"ok", "no_body", "retracted"})
_DIGITS = re.compile(r"(?:PMC)?([1-9]\d*)", re.IGNORECASE)


def read_article(content: bytes, wanted: Wanted, flags: dict[str, str] | None = None) -> Fetched:
    """The outcome of an article's own bytes; `flags` are the properties that PMC gives it."""
    flags = flags or {}
    base = Fetched(
        wanted.pmcid, wanted.version, "ok", source_ref=wanted.source_ref or wanted.pmcid, md5=wanted.md5
    )
    try:
        front = parse_front(content)
    except (ArticleError, RecursionError) as error:
        reason = str(error) if isinstance(error, ArticleError) else "elements are nested too deeply"
        return replace(base, status="malformed", reason=reason)
    metadata = front.metadata
    if metadata.pmcid and metadata.pmcid != wanted.pmcid:
        return replace(base, status="malformed", reason=f"the XML is that of {metadata.pmcid}")
    article = replace(
        base,
        version=wanted.version or metadata.version,
        content=content,
        content_sha256=hashlib.sha256(content).hexdigest(),
        article_type=metadata.article_type,
        license=metadata.license,
        license_class=metadata.license_class,
    )
    status, reason = _status(flags, front.has_body, metadata.is_embargoed, metadata.retraction)
    if status in KEPT:
        return replace(article, status=status, reason=reason)
    return replace(article, status=status, reason=reason, content=None, content_sha256="")


def split_set(root: etree._Element) -> dict[str, Fetched]:
    """Every article and every error of an answer of efetch, by PMCID.

    An article that names no PMCID and an error that names no id belong to nobody and are left out.
    """
    entries: dict[str, Fetched] = {}
    for element in [root] if root.tag == "article" else root.iterchildren("article", "error", "Reply"):
        if element.tag == "article":
            pmcid = _pmcid(element)
            if pmcid:
                entries[pmcid] = read_article(serialise(element), Wanted(pmcid), _flags(element))
            continue
        text = "".join(map(str, element.itertext())) or element.get("error") or "not available"
        named = element.get("id") or element.get("Id")
        pmcid = parse_pmcid(named)[0] if named else _last_number(text)
        # The same answer may hold the article and, under another spelling of its id, an error.
        if pmcid and pmcid not in entries:
            entries[pmcid] = Fetched(pmcid, None, "not_found", excerpt(text))
    return entries


def _status(flags: dict[str, str], has_body: bool, is_embargoed: bool, retraction: str) -> tuple[str, str]:
    if is_embargoed:
        return "embargoed", "under embargo"
    if flags.get("pmc-prop-legally-suppressed") == "yes" or flags.get("pmc-prop-suppress-copyright") == "yes":
        return "not_open", "PMC suppresses it for legal reasons"
    if flags.get("pmc-status-live") == "no":
        return "not_open", "PMC does not show it (any more)"
    if retraction:
        return "retracted", retraction
    is_closed = flags.get("pmc-prop-open-access") == "no" and flags.get("pmc-prop-manuscript") != "yes"
    if not has_body:
        return (
            "no_body",
            "the publisher does not allow the full text" if is_closed else "the article has no body text",
        )
    if is_closed:
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
