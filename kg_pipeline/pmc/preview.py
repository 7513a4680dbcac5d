"""What a refresh would find and the build after it would fetch, and what that costs; nothing is changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.pmc.changes import Listing, Progress, unseen
from kg_pipeline.pmc.listing import READABLE
from kg_pipeline.pmc.query_articles import articles_to_fetch, rows_by_shard
from kg_pipeline.pmc.raw import ArticleStore
from kg_pipeline.pmc.stage import compare_listing
from kg_pipeline.settings import Settings

#: Articles whose size stands for that of the others.
_SAMPLE = 500


@dataclass(frozen=True, slots=True)
class Preview:
    """A refresh before it is done.

    `to_fetch` are articles whose text is not at hand, `requests` those that fetching them takes. `size`, in bytes of
    XML, is estimated from the articles that the corpus has, None where it has none; so is `chunks`, what a language
    model would read of the articles to fetch.
    """

    listing: Listing
    to_fetch: tuple[str, ...]
    requests: int
    size: int | None
    chunks: int | None


def preview_refresh(
    datasets: Datasets, store: ArticleStore, spec: CorpusSpec, settings: Settings, progress: Progress = unseen
) -> Preview:
    """Ask what the corpus holds now, as a refresh does, and write nothing.

    Raises
    ------
    CorpusError
        If the source of the corpus cannot be read.
    StageError
        If nothing is found or usable, or a service fails as a whole.

    """
    listing = compare_listing(datasets, spec, settings, progress, fetch_notices=False)
    if spec.query is None:
        to_fetch = tuple(
            str(row["article_id"])
            for row in listing.rows
            if row["status"] in READABLE and not store.has(row["content_sha256"])
        )
    else:
        index = rows_by_shard(listing.rows)
        to_fetch = tuple(sorted(articles_to_fetch(datasets, store, spec, index, sorted(index))))
    return Preview(
        listing,
        to_fetch,
        _requests(len(to_fetch), settings) if spec.query else 0,
        _size(datasets, store, spec.name, len(to_fetch)),
        _chunks(datasets, spec.name, len(to_fetch)),
    )


def _requests(articles: int, settings: Settings) -> int:
    """Requests without repetitions."""
    from kg_pipeline.pmc.remote.europepmc import IDS_PER_FETCH
    from kg_pipeline.pmc.remote.settings import BATCH

    match settings.pmc.articles:
        case "cloud":
            return articles
        case "entrez":
            return -(-articles // BATCH)
        case "europepmc":
            return articles + -(-articles // IDS_PER_FETCH)


def _size(datasets: Datasets, store: ArticleStore, corpus: str, articles: int) -> int | None:
    known = datasets.scan("articles", corpus).select("content_sha256").head(_SAMPLE).collect()
    sizes = [
        size for sha256 in known["content_sha256"] if sha256 and (size := store.size(sha256)) is not None
    ]
    return _times_mean(articles, sizes)


def _chunks(datasets: Datasets, corpus: str, articles: int) -> int | None:
    counts = datasets.scan("chunks", corpus).group_by("article_id").len().collect()
    return _times_mean(articles, counts["len"].to_list())


def _times_mean(articles: int, values: Sequence[int]) -> int | None:
    return round(articles * fmean(values)) if values else None
