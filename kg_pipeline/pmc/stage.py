"""Stages `article_index`, `articles` and `documents`: from a source to text, one status an article."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from kg_pipeline.corpora import CorpusSpec, shard_of
from kg_pipeline.datasets import Datasets
from kg_pipeline.errors import StageError
from kg_pipeline.fingerprint import code_digest, digest
from kg_pipeline.incremental import ArticleOutput, StageReport, input_digests, one_by_one, run_shard
from kg_pipeline.pmc.changes import WITHDRAWN, Listing, Progress, last_listing, unseen, with_change, withdrawn
from kg_pipeline.pmc.jats.article import Article
from kg_pipeline.pmc.jats.parser import Found, parse_article, read_articles
from kg_pipeline.pmc.jats.tables import MAX_COLUMNS, MAX_PLACES
from kg_pipeline.pmc.listing import READABLE, Listed, list_entries
from kg_pipeline.pmc.policy import under_rights
from kg_pipeline.pmc.query_index import list_query, record_listing
from kg_pipeline.pmc.raw import ArticleStore
from kg_pipeline.pmc.sources import ArticleSource, open_source, unread_notice
from kg_pipeline.settings import Settings

_PARSER_MODULES = (
    "kg_pipeline.pmc.identifiers",
    "kg_pipeline.pmc.jats",
    "kg_pipeline.pmc.policy",
    "kg_pipeline.pmc.stage",
)
_PARSER_PACKAGES = ("lxml",)
#: What tells an article of a file from the one of the last listing.
_COMPARED = ("content_sha256", "version", "status")
_CARRIED = ("article_id", "version", "source_ref", "content_sha256", "status", "reason", "article_type", "license", "license_class")  # fmt: skip


def list_articles(
    datasets: Datasets, spec: CorpusSpec, settings: Settings, progress: Progress = unseen
) -> Listing:
    """List the articles of the corpus and compare them with the last listing; writes `article_index`.

    As what begins a build, it also clears away what killed ones left. Every article gets exactly one row, whatever its status. One of the last listing that is gone stays for one
    listing, as `withdrawn`.

    Raises
    ------
    CorpusError
        If the source is not there, is empty, or cannot be read.
    StageError
        If no article can be used. The index of a folder or archive is written before, so that it tells why; a query
        and its services may be wrong for a day, and change nothing then.

    """
    datasets.sweep(spec.name)
    ArticleStore.of(settings).sweep()
    listing = compare_listing(datasets, spec, settings, progress)
    datasets.write("article_index", spec.name, listing.frame())
    record_listing(datasets, spec, settings, listing)
    if not listing.statuses["ok"]:
        raise StageError(_nothing_usable(spec, listing))
    return listing


def compare_listing(
    datasets: Datasets,
    spec: CorpusSpec,
    settings: Settings,
    progress: Progress = unseen,
    *,
    fetch_notices: bool = True,
) -> Listing:
    """What `list_articles` would write. See there; of a folder or archive, it tells every state."""
    previous = last_listing(datasets, spec.name)
    if spec.query is not None:
        return list_query(spec.query, spec, settings, previous, progress, fetch_notices=fetch_notices)
    unread: list[str] = []
    listed = list_entries(open_source(spec.source_path).entries(unread.append))
    rows = [
        with_change(_index_row(row, settings.shards), previous.get(row.article_id), _COMPARED)
        for row in listed
    ]
    present = {row["article_id"] for row in rows}
    rows.extend(
        withdrawn(row, "no longer in the source")
        for article_id, row in previous.items()
        if article_id not in present and row["change"] != WITHDRAWN
    )
    warnings = (unread_notice(unread),) if unread else ()
    return Listing(tuple(sorted(rows, key=lambda row: str(row["article_id"]))), warnings=warnings)


def fetch_articles(datasets: Datasets, store: ArticleStore, spec: CorpusSpec, shard: str) -> StageReport:
    """Put the raw XML of the shard's readable articles into the store; writes `articles`, one row an article.

    For corpora of a folder or archive; `query_articles.fetch_query` does it for those of a query.
    """
    index = datasets.read("article_index", spec.name)
    rows = {row["article_id"]: row for row in index.filter(pl.col("shard") == shard).iter_rows(named=True)}

    def process(article_ids: Sequence[str]) -> Iterable[ArticleOutput]:
        problems = _fetch(spec, store, index, {rows[article]["source_ref"] for article in article_ids})
        for article_id in article_ids:
            row = {name: rows[article_id][name] for name in _CARRIED}
            problem = problems.get(row["source_ref"])
            if problem:
                row |= {"status": "failed", "reason": problem}
            row = under_rights(row, spec.rights)
            yield ArticleOutput(article_id, {"articles": [row]}, "failed" if problem else "ok", problem or "")

    return run_shard(
        datasets,
        stage="articles",
        corpus=spec.name,
        shard=shard,
        inputs={article: digest([row[name] for name in _CARRIED]) for article, row in rows.items()},
        fingerprint=digest(
            code_digest(["kg_pipeline.pmc.stage", "kg_pipeline.pmc.raw", "kg_pipeline.pmc.sources"]),
            spec.rights.model_dump(),
        ),
        outputs=["articles"],
        process=process,
    )


def build_documents(datasets: Datasets, store: ArticleStore, spec: CorpusSpec, shard: str) -> StageReport:
    """Parse the shard's readable articles; writes `documents`. Notices and review texts make no document.

    An article of which a table is larger than what is read of one is `ok`, and its status row says so.
    """
    articles = datasets.read("articles", spec.name, shard)
    # A listing may know that there is nothing to read of an article before anything is fetched.
    usable = articles.filter(pl.col("status").is_in(READABLE) & (pl.col("content_sha256") != ""))
    rows = {row["article_id"]: row for row in usable.iter_rows(named=True)}
    upstream = input_digests(datasets, "articles", spec.name, shard)

    def process(article_id: str) -> ArticleOutput:
        row = rows[article_id]
        data = store.get(row["content_sha256"])
        article = parse_article(data, include_appendices=spec.include_appendices)
        rows_made = {"documents": [_document_row(article_id, row, article)]}
        return ArticleOutput(article_id, rows_made, reason=_what_is_cut(article))

    return run_shard(
        datasets,
        stage="documents",
        corpus=spec.name,
        shard=shard,
        inputs={article: upstream[article] for article in rows if article in upstream},
        fingerprint=digest(code_digest(_PARSER_MODULES, _PARSER_PACKAGES), spec.include_appendices),
        outputs=["documents"],
        process=one_by_one(process),
    )


def _index_row(listed: Listed, shards: int) -> dict[str, Any]:
    metadata = listed.metadata
    return {
        "article_id": listed.article_id,
        "version": metadata.version,
        "source_ref": listed.source_ref,
        "content_sha256": listed.content_sha256,
        "size": listed.size,
        "shard": shard_of(listed.article_id, shards),
        "status": listed.status,
        "reason": listed.reason,
        "article_type": metadata.article_type,
        "license": metadata.license,
        "license_class": metadata.license_class,
    }


def _nothing_usable(spec: CorpusSpec, listing: Listing) -> str:
    summary = ", ".join(f"{count} {status}" for status, count in sorted(listing.statuses.items()))
    example = next((row for row in listing.rows if row["status"] == "malformed"), listing.rows[0])
    return (
        f"No article of corpus {spec.name!r} has a body that can be read ({summary}; for example "
        f"{example['source_ref']}: {example['reason']}). Put full-text JATS articles into {spec.source} and build again."
    )


def _fetch(spec: CorpusSpec, store: ArticleStore, index: pl.DataFrame, refs: set[str]) -> dict[str, str]:
    """Make sure that the store has these articles; returns a reason for each that could not be got.

    An archive that can only be read from its start is read once, for all shards: what the others need is kept too.
    """
    readable = index.filter(pl.col("status").is_in(READABLE))
    wanted = {
        ref: sha256
        for ref, sha256 in readable.select("source_ref", "content_sha256").iter_rows()
        if not store.has(sha256)
    }
    needed = {ref: sha256 for ref, sha256 in wanted.items() if ref in refs}
    if not needed:
        return {}
    source = open_source(spec.source_path)
    got = _copy(source, store, needed if source.is_random_access else wanted)
    return {
        ref: "the file changed or vanished after it was listed; build the corpus again"
        for ref, sha256 in needed.items()
        if sha256 not in got
    }


def _copy(source: ArticleSource, store: ArticleStore, wanted: Mapping[str, str]) -> set[str]:
    got = set()
    digests = set(wanted.values())
    files = {ref.rpartition("#")[0] if _is_in_set(ref) else ref for ref in wanted}
    for ref, data in source.read(files):
        parts: Iterable[bytes] = (data,)
        if ref not in wanted:  # a set: the articles in it are wanted, not the file
            parts = (entry.data for entry in read_articles(data) if isinstance(entry, Found))
        for part in parts:
            if hashlib.sha256(part).hexdigest() in digests:
                got.add(store.put(part))
    return got


def _is_in_set(ref: str) -> bool:
    base, mark, number = ref.rpartition("#")
    return bool(base and mark and number.isdigit())


def _what_is_cut(article: Article) -> str:
    """Which tables were not read whole; empty for none."""
    names = [
        table.label or table.caption[:60] or "one without a name" for table in article.tables if table.is_cut
    ]
    if not names:
        return ""
    return (
        f"read in part: of {', '.join(names)} only what lies within {MAX_PLACES} cells and {MAX_COLUMNS} columns; "
        "split a table of that size before the build if its other rows matter"
    )


def _document_row(article_id: str, row: Mapping[str, Any], article: Article) -> dict[str, Any]:
    metadata = article.metadata
    return {
        "article_id": article_id,
        "version": row["version"],
        "pmcid": metadata.pmcid or None,
        "pmid": metadata.pmid or None,
        "doi": metadata.doi or None,
        "title": metadata.title,
        "journal": metadata.journal,
        "year": metadata.year,
        "article_type": metadata.article_type,
        "language": metadata.language,
        "license_class": row["license_class"],
        "text": article.text,
        "sections": [
            {"path": list(section.path), "kind": section.kind, "start": section.start, "end": section.end}
            for section in article.sections
        ],
        "paragraphs": [
            {
                "kind": paragraph.kind,
                "section": paragraph.section,
                "start": paragraph.start,
                "end": paragraph.end,
                "citations": list(paragraph.citations),
            }
            for paragraph in article.paragraphs
        ],
        "glossary": [{"short": short, "long": long} for short, long in article.glossary],
        "tables": [
            {
                "label": table.label,
                "caption": table.caption,
                "header_rows": table.header_rows,
                "cells": [list(cells) for cells in table.cells],
            }
            for table in article.tables
        ],
        "formulas": article.formulas,
    }
