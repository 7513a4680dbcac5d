"""The listing of a corpus that is a query: what PubMed Central holds of it now.

The search finds the articles and the listing service tells version, licence and retraction of each, so that what
changed is known before anything is fetched. An article that a retraction notice of the corpus names is retracted,
whatever its own record says.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kg_pipeline.corpora import CorpusSpec, shard_of
from kg_pipeline.datasets import Datasets
from kg_pipeline.errors import StageError
from kg_pipeline.fingerprint import digest
from kg_pipeline.pmc.changes import WITHDRAWN, Listing, Progress, with_change, withdrawn
from kg_pipeline.pmc.jats.metadata import read_metadata
from kg_pipeline.pmc.jats.xml import parse_xml
from kg_pipeline.pmc.listing import notice_keys
from kg_pipeline.pmc.policy import names_retraction, retraction_reason
from kg_pipeline.pmc.remote.corpus import open_corpus
from kg_pipeline.pmc.remote.outcomes import Listed
from kg_pipeline.settings import Settings

if TYPE_CHECKING:
    from kg_pipeline.pmc.remote.source import RemoteSource
    from kg_pipeline.queries import PmcQuery

#: What tells an article from the one of the last listing; `source_ref` holds version and MD5 where there are any.
_COMPARED = ("source_ref", "version", "status", "license_class")
_RECORD = "listing.json"


def list_query(
    query: PmcQuery,
    spec: CorpusSpec,
    settings: Settings,
    previous: Mapping[str, Mapping[str, Any]],
    progress: Progress,
    *,
    fetch_notices: bool = True,
) -> Listing:
    """What the query finds now, and what became of what it found before.

    An article that the service fails on keeps its row. Retraction notices are applied to the articles they name;
    without `fetch_notices` only those that were fetched before.

    Raises
    ------
    StageError
        If nothing is found, nothing of it can be used, or a service fails as a whole. Nothing is written then.

    """
    known = {article: row for article, row in previous.items() if row["change"] != WITHDRAWN}
    with open_corpus(query, settings) as source:
        found = source.find()
        total = len(set(found.pmcids) | set(known))
        listed: list[Listed] = []
        for one in source.look_up(found.pmcids, known):
            listed.append(_by_title(one))
            progress(len(listed), total)
        warnings = list(found.warnings)
        listed = _retract(source, listed, warnings, fetch=fetch_notices)
    rows: list[dict[str, Any]] = []
    unchecked = 0
    for one in listed:
        before = previous.get(one.pmcid)
        if one.status == "failed" and one.pmcid in known:
            unchecked += 1
            rows.append({**known[one.pmcid], "change": "unchanged"})
        elif one.status == "not_found" and one.pmcid in known:
            rows.append(withdrawn(known[one.pmcid], one.reason))
        else:
            rows.append(with_change(_row(one, settings.shards), before, _COMPARED))
    present = {row["article_id"] for row in rows}
    rows.extend(
        withdrawn(row, "the corpus is a query now")
        for article, row in known.items()
        if article not in present
    )
    listing = Listing(tuple(sorted(rows, key=lambda row: str(row["article_id"]))), unchecked, tuple(warnings))
    if not listing.statuses["ok"]:
        raise StageError(_nothing_usable(spec, listing))
    return listing


def record_listing(datasets: Datasets, spec: CorpusSpec, settings: Settings, listing: Listing) -> None:
    """Remember what was listed, and what the listing could not tell."""
    record = {
        "asked": _asked(spec, settings),
        "unchecked": listing.unchecked,
        "warnings": list(listing.warnings),
    }
    datasets.write_note(_RECORD, spec.name, json.dumps(record, ensure_ascii=False, indent=1) + "\n")


def listing_record(datasets: Datasets, corpus: str) -> tuple[int, tuple[str, ...]]:
    """Unchecked articles and warnings of the last listing; none where there is no record of them."""
    record = _read_record(datasets, corpus)
    return int(record.get("unchecked", 0)), tuple(map(str, record.get("warnings", ())))


def is_listed(datasets: Datasets, spec: CorpusSpec, settings: Settings) -> bool:
    """Whether the index is that of today's query, so that only a refresh has to ask for it again."""
    if spec.query is None or not datasets.is_usable("article_index", spec.name):
        return False
    return _read_record(datasets, spec.name).get("asked") == _asked(spec, settings)


def _asked(spec: CorpusSpec, settings: Settings) -> str:
    query = spec.query.model_dump(mode="json") if spec.query else None
    return digest(query, settings.pmc.search, settings.pmc.articles, settings.shards)


def _read_record(datasets: Datasets, corpus: str) -> dict[str, Any]:
    try:
        record = json.loads(datasets.note(_RECORD, corpus) or "{}")
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}


def _row(one: Listed, shards: int) -> dict[str, Any]:
    return {
        "article_id": one.pmcid,
        "version": one.version or 1,
        "source_ref": one.source_ref or one.pmcid,
        "content_sha256": "",
        "size": 0,
        "shard": shard_of(one.pmcid, shards),
        "status": one.status,
        "reason": one.reason,
        "article_type": "",
        "license": one.license,
        "license_class": one.license_class,
    }


def _by_title(one: Listed) -> Listed:
    """Publishers mark retracted articles in the title, often before the record says so."""
    if one.status != "ok" or names_retraction(one.title):
        return one
    reason = retraction_reason(article_type="", subjects=(), title=one.title, relations=())
    return replace(one, status="retracted", reason=reason) if reason else one


def _retract(
    source: RemoteSource, listed: Sequence[Listed], warnings: list[str], *, fetch: bool
) -> list[Listed]:
    """Read the retraction notices among the articles, and retract what they name."""
    notices = [one for one in listed if one.status == "ok" and names_retraction(one.title)]
    wanted = [one.as_wanted() for one in notices]
    articles = source.fetch(wanted) if fetch else map(source.recall, wanted)
    by_key: dict[str, str] = {}
    decided: dict[str, Listed] = {}
    for one, article in zip(notices, articles, strict=True):
        if article is None:
            continue
        if article.content is None:
            warnings.append(f"the retraction notice {one.pmcid} cannot be read: {article.reason}")
            continue
        decided[one.pmcid] = replace(one, status=article.status, reason=article.reason)
        for notice in read_metadata(parse_xml(article.content)).notices:
            for key in notice_keys(doi=notice.doi, pmcid=notice.pmcid, pmid=notice.pmid):
                by_key.setdefault(key, one.pmcid)
    result = []
    for one in listed:
        named = notice_keys(doi=one.doi, pmcid=one.pmcid, pmid=one.pmid)
        notice_id = next((by_key[key] for key in named if key in by_key), None)
        if one.status in {"ok", "no_body"} and notice_id not in {None, one.pmcid}:
            result.append(replace(one, status="retracted", reason=f"retracted by {notice_id}"))
        else:
            result.append(decided.get(one.pmcid, one))
    return result


def _nothing_usable(spec: CorpusSpec, listing: Listing) -> str:
    summary = ", ".join(f"{count} {status}" for status, count in sorted(listing.statuses.items()))
    example = next(row for row in listing.rows if row["status"] != "ok")
    return (
        f"No article that the query of corpus {spec.name!r} finds can be used ({summary}; for example "
        f"{example['article_id']}: {example['reason']}). Nothing was changed. "
        "Mend the query, or loosen its filters open_access and license."
    )
