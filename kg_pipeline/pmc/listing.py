"""What a source holds now: one row an article, whatever became of it.

Rules over the whole corpus are applied here: of several files of one article the newest version counts, of equal ones
the first by name, and the others are superseded; a retraction notice withdraws the article it names; an article that a
set reports as missing is missing only if no file has it.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from kg_pipeline.errors import ArticleError
from kg_pipeline.pmc.identifiers import parse_pmcid
from kg_pipeline.pmc.jats.article import Metadata
from kg_pipeline.pmc.jats.parser import Found, read_articles
from kg_pipeline.pmc.policy import NOTICE_REASON

#: Statuses whose articles have text to read.
READABLE = ("ok", "no_body")


@dataclass(frozen=True, slots=True)
class Listed:
    """One article of a listing, before it is compared with the last one."""

    article_id: str
    source_ref: str
    status: str
    reason: str = ""
    content_sha256: str = ""
    size: int = 0
    metadata: Metadata = field(default_factory=Metadata)


def list_entries(entries: Iterable[tuple[str, bytes]]) -> list[Listed]:
    """Rows of every article of these files, each id once, sorted by id."""
    rows = [row for ref, data in entries for row in _of_file(ref, data)]
    return sorted(_retract(_deduplicate(_join_by_doi(rows))), key=lambda row: row.article_id)


def _of_file(ref: str, data: bytes) -> Iterator[Listed]:
    try:
        articles = read_articles(data)
    except (ArticleError, RecursionError) as error:
        yield Listed(
            f"FILE:{ref}", ref, "malformed", _reason(error), hashlib.sha256(data).hexdigest(), len(data)
        )
        return
    for article in articles:
        article_ref = f"{ref}#{article.number}" if article.number else ref
        if isinstance(article, Found):
            yield _of_article(article_ref, article)
        else:
            pmcid, _ = parse_pmcid(article.pmcid)
            yield Listed(pmcid or f"FILE:{article_ref}", article_ref, "not_found", article.reason)


def _of_article(ref: str, article: Found) -> Listed:
    metadata = article.front.metadata
    status, reason = "ok", ""
    if metadata.retraction:
        status, reason = "retracted", metadata.retraction
    elif metadata.is_notice:
        status, reason = "notice", NOTICE_REASON
    elif not article.front.has_body:
        embargoed = metadata.is_embargoed
        status = "embargoed" if embargoed else "no_body"
        reason = "under embargo" if embargoed else "the file has no body text"
    sha256 = hashlib.sha256(article.data).hexdigest()
    return Listed(metadata.article_id(ref), ref, status, reason, sha256, len(article.data), metadata)


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, ArticleError) else "elements are nested too deeply"


def _join_by_doi(rows: list[Listed]) -> list[Listed]:
    """A file known by its DOI only takes the PMCID that another file of the corpus gives for that DOI."""
    pmcids: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row.metadata.pmcid and row.metadata.doi:
            pmcids[row.metadata.doi.lower()].add(row.metadata.pmcid)
    joined = []
    for row in rows:
        known = pmcids.get(row.metadata.doi.lower(), set()) if not row.metadata.pmcid else set()
        joined.append(replace(row, article_id=next(iter(known))) if len(known) == 1 else row)
    return joined


def _deduplicate(rows: list[Listed]) -> list[Listed]:
    groups: dict[str, list[Listed]] = defaultdict(list)
    for row in rows:
        groups[row.article_id].append(row)
    result = []
    for article_id, group in groups.items():
        present = [row for row in group if row.status != "not_found"]
        if not present:
            result.append(min(group, key=lambda row: row.source_ref))
            continue
        # A file that names its PMCID beats one that was only joined to it; then the newest version.
        best, *others = sorted(
            present,
            key=lambda row: (
                row.metadata.pmcid != article_id and article_id.startswith("PMC"),
                -row.metadata.version,
                row.source_ref,
            ),
        )
        result.append(best)
        for row in others:
            reason = f"{best.source_ref} holds version {best.metadata.version} of {article_id}"
            if row.metadata.version == best.metadata.version and row.metadata.pmcid == best.metadata.pmcid:
                reason += " too; of equal versions the first by name counts"
            result.append(
                replace(row, article_id=f"FILE:{row.source_ref}", status="superseded", reason=reason)
            )
    return result


def _retract(rows: list[Listed]) -> list[Listed]:
    """Apply the notices of the corpus to the articles they name."""
    by_id: dict[str, str] = {}
    for row in rows:
        if row.status == "retracted":
            for notice in row.metadata.notices:
                for key in notice_keys(doi=notice.doi, pmcid=notice.pmcid, pmid=notice.pmid):
                    by_id.setdefault(key, row.article_id)
    if not by_id:
        return rows
    result = []
    for row in rows:
        metadata = row.metadata
        keys = notice_keys(doi=metadata.doi, pmcid=metadata.pmcid, pmid=metadata.pmid)
        notice_id = next((by_id[key] for key in keys if key in by_id), None)
        if row.status in {"ok", "no_body", "embargoed"} and notice_id is not None:
            row = replace(row, status="retracted", reason=f"retracted by {notice_id}")
        result.append(row)
    return result


def notice_keys(*, doi: str, pmcid: str, pmid: str) -> list[str]:
    """Keys under which a notice and the article it names meet; empty ids give none."""
    named = (("doi", doi.lower()), ("pmcid", pmcid), ("pmid", pmid))
    return [f"{kind}:{value}" for kind, value in named if value]
