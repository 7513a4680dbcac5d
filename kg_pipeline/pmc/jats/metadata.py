"""Front matter of a JATS article: ids, titles, dates, licence, retraction.

Every path is anchored at the article's own `front`, so that ids and titles of sub-articles, reviews and
references never stand in for those of the article.
"""

from __future__ import annotations

from lxml import etree

from kg_pipeline.pmc.identifiers import parse_doi, parse_pmcid, parse_pmid
from kg_pipeline.pmc.jats.article import Metadata, Notice
from kg_pipeline.pmc.jats.inline import inline_text
from kg_pipeline.pmc.jats.licenses import read_license
from kg_pipeline.pmc.jats.xml import all_text, first_child
from kg_pipeline.pmc.policy import NAMES_RETRACTED, RETRACTION_TYPES, is_notice, retraction_reason

_HREF = "{http://www.w3.org/1999/xlink}href"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_PMC_TYPES = ("pmcid", "pmc", "pmc-id", "pmcid-ver")  # never pmcaid or pmcaiid: those are other numbers
_DATE_PRIORITY = ("epub", "pub", "ppub", "epub-ppub", "collection", "epreprint", "preprint")
_PLAUSIBLE_YEARS = range(1600, 2200)


def read_metadata(article: etree._Element) -> Metadata:
    """Metadata of an `article` element; what the front matter lacks stays empty."""
    front = first_child(article, "front")
    meta = first_child(front, "article-meta") if front is not None else None
    article_type = (article.get("article-type") or "").strip()
    language = (article.get(_LANGUAGE) or "en").strip().lower() or "en"
    if front is None or meta is None:
        return Metadata(article_type=article_type, language=language, is_notice=is_notice(article_type))
    pmcid, version, pmid, doi = _identifiers(meta)
    title = _title(meta)
    flags = _flags(meta)
    license_text, license_class = read_license(
        meta.findall("permissions") or [meta_license_holder(meta)], flags
    )
    subjects = tuple(
        inline_text(subject) for subject in meta.iterfind("article-categories/subj-group/subject")
    )
    related = _related(meta)
    return Metadata(
        pmcid=pmcid,
        version=version,
        pmid=pmid,
        doi=doi,
        title=title,
        journal=_journal(front),
        year=_year(meta),
        article_type=article_type,
        language=language,
        license=license_text,
        license_class=license_class,
        retraction=retraction_reason(
            article_type=article_type,
            subjects=subjects,
            title=title,
            relations=tuple((notice.kind, notice.pmcid or notice.doi or notice.pmid) for notice in related),
        ),
        is_notice=is_notice(article_type) or any(subject.lower() in RETRACTION_TYPES for subject in subjects),
        is_embargoed=flags.get("pmc-status-embargo", "").lower() == "yes",
        notices=tuple(notice for notice in related if notice.kind in NAMES_RETRACTED),
    )


def meta_license_holder(meta: etree._Element) -> etree._Element:
    """Stand-in for `permissions` in the oldest documents, which put copyright statements straight into the front."""
    holder = etree.Element("permissions")
    for name in ("copyright-statement", "license"):
        for element in meta.iterfind(name):
            copy = etree.SubElement(
                holder, name, {str(key): str(value) for key, value in element.attrib.items()}
            )
            copy.text = all_text(element)
    return holder


def _identifiers(meta: etree._Element) -> tuple[str, int, str, str]:
    found: dict[str, str] = {}
    for element in meta.iterfind("article-id"):
        found.setdefault((element.get("pub-id-type") or "").lower(), (element.text or "").strip())
    pmcid, version = "", None
    for kind in _PMC_TYPES:
        candidate, named_version = parse_pmcid(found.get(kind))
        pmcid = pmcid or candidate
        version = version or named_version
    return pmcid, version or 1, parse_pmid(found.get("pmid")), parse_doi(found.get("doi"))


def _title(meta: etree._Element) -> str:
    group = first_child(meta, "title-group")
    if group is None:
        return inline_text(first_child(meta, "article-title"))
    title = inline_text(first_child(group, "article-title"))
    subtitle = inline_text(first_child(group, "subtitle"))
    separator = " " if title.endswith((":", "?", "!", ".")) else ": "
    return f"{title}{separator}{subtitle}" if title and subtitle else title or subtitle


def _journal(front: etree._Element) -> str:
    for path in ("journal-title-group/journal-title", "journal-title", "journal-id"):
        if text := inline_text(front.find(f"journal-meta/{path}")):
            return text
    return ""


def _year(meta: etree._Element) -> int | None:
    """Year of the first date by priority; formats of dates changed over the versions of JATS."""
    years: dict[str, int] = {}
    for date in meta.iterfind("pub-date"):
        kind = date.get("pub-type") or date.get("date-type") or date.get("publication-format") or ""
        text = (date.findtext("year") or date.findtext("string-date") or "").strip()[:4]
        if text.isascii() and text.isdigit() and int(text) in _PLAUSIBLE_YEARS:
            years.setdefault(kind, int(text))
    for kind in _DATE_PRIORITY:
        if kind in years:
            return years[kind]
    return next(iter(years.values()), None)


def _flags(meta: etree._Element) -> dict[str, str]:
    """PMC's properties in `custom-meta`, by name."""
    flags: dict[str, str] = {}
    for path in ("custom-meta-group/custom-meta", "custom-meta-wrap/custom-meta"):
        for element in meta.iterfind(path):
            name = (element.findtext("meta-name") or "").strip().lower()
            flags.setdefault(name, (element.findtext("meta-value") or "").strip())
    return flags


def _related(meta: etree._Element) -> list[Notice]:
    related = []
    for element in meta.iterfind("related-article"):
        target = element.get(_HREF) or all_text(element)
        kind = (element.get("ext-link-type") or "").lower()
        doi = parse_doi(target)
        pmcid = (
            parse_pmcid(target)[0]
            if not doi and (kind.startswith("pmc") or "pmc" in target[:4].lower())
            else ""
        )
        pmid = parse_pmid(target) if not doi and not pmcid and kind in {"pubmed", "pmid"} else ""
        related.append(Notice((element.get("related-article-type") or "").lower(), doi, pmcid, pmid))
    return related
