"""The articles of a corpus that is a query: fetched once, one status each.

All articles that are missing are fetched in one stream, whatever their shards, so that requests overlap and a
service that is down is noticed after a few of them. What was fetched is in the store before anything is decided; a
run that was killed finds it there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.fingerprint import code_digest, digest
from kg_pipeline.incremental import ArticleOutput, StageReport, run_shard
from kg_pipeline.pmc.changes import Progress
from kg_pipeline.pmc.listing import READABLE
from kg_pipeline.pmc.policy import under_rights
from kg_pipeline.pmc.raw import ArticleStore
from kg_pipeline.pmc.remote.corpus import open_corpus
from kg_pipeline.pmc.remote.outcomes import Fetched, Wanted
from kg_pipeline.queries import PmcQuery
from kg_pipeline.schema import ARTICLES
from kg_pipeline.settings import Settings

if TYPE_CHECKING:
    from kg_pipeline.pmc.remote.source import RemoteSource

Rows = Mapping[str, Mapping[str, Any]]

#: Statuses that a later build asks for again; the others stand until the listing changes.
_PASSING = frozenset({"failed", "not_found"})
_CARRIED = tuple(ARTICLES.names)
_CODE = tuple(
    f"kg_pipeline.pmc.{name}"
    for name in ("identifiers", "jats", "policy", "query_articles", "remote.articles")
)


def fetch_query(
    datasets: Datasets,
    store: ArticleStore,
    query: PmcQuery,
    spec: CorpusSpec,
    settings: Settings,
    shards: Sequence[str],
    progress: Progress,
) -> list[StageReport]:
    """Put the articles of these shards into the store; writes `articles`, one row an article.

    An article that cannot be fetched now keeps its earlier version until it can, and is asked for again by the next
    build.

    Raises
    ------
    ServiceError
        If a service fails as a whole; what was fetched is kept.

    """
    index = rows_by_shard(datasets.read("article_index", spec.name).iter_rows(named=True))
    missing = articles_to_fetch(datasets, store, spec, index, shards)
    fetched: dict[str, Fetched] = {}
    with ExitStack() as stack:

        @cache
        def source() -> RemoteSource:
            return stack.enter_context(open_corpus(query, settings))

        def fetch(rows: Iterable[Mapping[str, Any]]) -> Iterable[Fetched]:
            # The content is in the store; holding it here would take the memory of the whole corpus.
            return (replace(article, content=None) for article in source().fetch(map(_wanted, rows)))

        if missing:
            for done, article in enumerate(fetch(missing.values()), start=1):
                fetched[article.pmcid] = article
                progress(done, len(missing))

        def run(shard: str) -> StageReport:
            rows = index.get(shard, {})
            before = _rows_of(datasets, spec.name, shard)

            def process(articles: Sequence[str]) -> Iterable[ArticleOutput]:
                # Those at hand are done again because rules changed; they come from the store.
                others = [rows[one] for one in articles if one not in fetched and rows[one]["status"] == "ok"]
                again = {article.pmcid: article for article in fetch(others)} if others else {}
                for one in articles:
                    article = fetched.get(one) or again.get(one)
                    output = _output(rows[one], article, before.get(one), store)
                    made = [under_rights(row, spec.rights) for row in output.rows["articles"]]
                    yield replace(output, rows={"articles": made})

            return run_shard(
                datasets,
                stage="articles",
                corpus=spec.name,
                shard=shard,
                inputs={article: digest([row[name] for name in _CARRIED]) for article, row in rows.items()},
                fingerprint=digest(code_digest(_CODE), _filters(query), spec.rights.model_dump()),
                outputs=["articles"],
                process=process,
            )

        return [run(shard) for shard in shards]


def articles_to_fetch(
    datasets: Datasets,
    store: ArticleStore,
    spec: CorpusSpec,
    index: Mapping[str, Rows],
    shards: Iterable[str],
) -> dict[str, Mapping[str, Any]]:
    """Rows of the index (by shard, by article) whose articles are not at hand as the listing describes them."""
    missing: dict[str, Mapping[str, Any]] = {}
    for shard in shards:
        before = _rows_of(datasets, spec.name, shard)
        missing |= {
            article: row
            for article, row in index.get(shard, {}).items()
            if row["status"] == "ok" and not _is_at_hand(row, before.get(article), store)
        }
    return missing


def rows_by_shard(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Mapping[str, Any]]]:
    """Rows of an index by shard, by article."""
    grouped: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in rows:
        grouped.setdefault(row["shard"], {})[row["article_id"]] = row
    return grouped


def _rows_of(datasets: Datasets, corpus: str, shard: str) -> Rows:
    if not datasets.is_usable("articles", corpus, shard):
        return {}
    frame = datasets.read("articles", corpus, shard)
    return {row["article_id"]: row for row in frame.iter_rows(named=True)}


def _is_at_hand(row: Mapping[str, Any], before: Mapping[str, Any] | None, store: ArticleStore) -> bool:
    if before is None or before["source_ref"] != row["source_ref"] or before["status"] in _PASSING:
        return False
    return not before["content_sha256"] or store.has(before["content_sha256"])


def _wanted(row: Mapping[str, Any]) -> Wanted:
    named = Wanted.parse(row["source_ref"]) or Wanted(row["article_id"])
    return replace(named, license=row["license"], license_class=row["license_class"])


def _output(
    row: Mapping[str, Any],
    article: Fetched | None,
    before: Mapping[str, Any] | None,
    store: ArticleStore,
) -> ArticleOutput:
    article_id = row["article_id"]
    if article is None:  # the listing says already that there is nothing to read
        return ArticleOutput(article_id, {"articles": [{name: row[name] for name in _CARRIED}]})
    if article.status in _PASSING and before is not None and _can_stay(before, store):
        reason = f"{article.reason.rstrip('.')}. Version {before['version']} stays until it can be fetched."
        return ArticleOutput(article_id, {"articles": [dict(before)]}, "partial", reason)
    made = {
        "article_id": article_id,
        "version": article.version or row["version"],
        "source_ref": article.source_ref or row["source_ref"],
        "content_sha256": article.content_sha256,
        "status": article.status,
        "reason": article.reason,
        "article_type": article.article_type,
        "license": article.license or row["license"],
        "license_class": article.license_class,
    }
    is_passing = article.status in _PASSING
    return ArticleOutput(
        article_id,
        {"articles": [made]},
        "failed" if is_passing else "ok",
        article.reason if is_passing else "",
    )


def _can_stay(before: Mapping[str, Any], store: ArticleStore) -> bool:
    sha256 = before["content_sha256"]
    return before["status"] in READABLE and sha256 != "" and store.has(sha256)


def _filters(query: PmcQuery) -> list[Any]:
    """What of the query decides about an article that is there; which articles it finds is in the index."""
    return [query.open_access, sorted(query.license), sorted(query.article_types)]
