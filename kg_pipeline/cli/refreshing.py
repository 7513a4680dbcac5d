"""`kg refresh`: ask what a corpus holds now and record what changed, or only show what that would cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich import filesize
from rich.console import Console

from kg_pipeline.cli import building, progress
from kg_pipeline.cli.readable import corpus_of_articles
from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.pmc.changes import CHANGES
from kg_pipeline.pmc.query_index import listing_record
from kg_pipeline.pmc.raw import ArticleStore
from kg_pipeline.settings import Settings, load_settings

_SHOWN = 10
#: Changes that take edges out of the graph; the articles are named, with the reason.
_LOSSES = ("retracted", "withdrawn")


@dataclass(frozen=True, slots=True)
class RefreshResult:
    """What a refresh found: articles by change and by status, those that are lost, and what it could not tell."""

    corpus: str
    changes: dict[str, int]
    statuses: dict[str, int]
    lost: tuple[str, ...]
    unchecked: int
    warnings: tuple[str, ...]


def refresh(corpus: str, console: Console) -> RefreshResult:
    """Materialise the corpus' `article_index` and tell what changed since the last listing.

    Raises
    ------
    CorpusError
        If the corpus or its source cannot be used.
    StageError
        If a service fails or nothing can be used; the last listing stays.

    """
    settings = load_settings()
    spec = corpus_of_articles(settings, corpus)
    with building.exclusive(settings, corpus):
        building.materialise_listing(spec, settings, console)
    datasets = Datasets.of(settings)
    index = datasets.read("article_index", corpus)
    counted = dict(index.group_by("change").len().iter_rows())
    statuses = dict(
        index.group_by("status").len().sort("len", "status", descending=[True, False]).iter_rows()
    )
    unchecked, warnings = listing_record(datasets, corpus)
    return RefreshResult(
        corpus,
        {change: counted.get(change, 0) for change in CHANGES},
        statuses,
        tuple(losses(index.sort("article_id").iter_rows(named=True))),
        unchecked,
        warnings,
    )


def show(console: Console, result: RefreshResult) -> None:
    """One line of changes, one of statuses, one for each article that is lost, and what to do next."""
    listing = ", ".join(f"{count} {status}" for status, count in result.statuses.items())
    lines = [f"Corpus {result.corpus}: {_told(result.changes)}.", f"Articles by status: {listing}."]
    lines.extend(result.lost)
    if result.unchecked:
        unchecked = _counted(result.unchecked, "article")
        lines.append(f"Could not be checked: {unchecked}, kept as before. Refresh again later.")
    lines.extend(f"Note: {warning}." for warning in result.warnings)
    is_changed = any(count for change, count in result.changes.items() if change != "unchanged")
    lines.append(f"Next: kg build {result.corpus}" if is_changed else "Nothing changed.")
    _print(console, lines)


def preview(corpus: str, console: Console) -> None:
    """Show what a refresh would find, what the build after it would fetch, and what that costs.

    Raises
    ------
    CorpusError
        If the corpus or its source cannot be used.
    StageError
        If a service fails or nothing can be used.

    """
    from kg_pipeline.pmc.preview import preview_refresh

    settings = load_settings()
    spec = corpus_of_articles(settings, corpus)
    with progress.shown(console):
        found = preview_refresh(
            Datasets.of(settings),
            ArticleStore.of(settings),
            spec,
            settings,
            progress.reporter("listing"),
        )
    lines = [
        f"A refresh of corpus {corpus} would tell: {_told(found.listing.changes)}.",
        *losses(found.listing.rows),
        f"The next build would fetch {_counted(len(found.to_fetch), 'article')}{_named(found.to_fetch)}.",
    ]
    if found.to_fetch:
        size = "of unknown size" if found.size is None else f"about {filesize.decimal(found.size)}"
        if spec.query is not None:
            lines.append(f"That takes {_counted(found.requests, 'request')}, {size}.")
        lines.append(_llm_calls(spec, settings, found.chunks))
    if found.listing.unchecked:
        lines.append(f"Could not be checked: {_counted(found.listing.unchecked, 'article')}.")
    lines.extend(f"Note: {warning}." for warning in found.listing.warnings)
    lines.append("Nothing was changed.")
    _print(console, lines)


def _llm_calls(spec: CorpusSpec, settings: Settings, chunks: int | None) -> str:
    from kg_pipeline.extraction.triples.stage import language_model

    model = language_model(spec, settings)
    if model is None:
        return "Reading is done offline, without a language model."
    if chunks is None:
        return f"How often {model.model} would be asked is known after the first build."
    return f"Reading them takes about {chunks} calls of {model.model}."


def losses(rows: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """A line for each of the first articles that lose their edges, with the reason, and one for the rest."""
    lost = [row for row in rows if row["change"] in _LOSSES]
    for row in lost[:_SHOWN]:
        yield f"{row['article_id']} is {row['change']}: {row['reason']}."
    if len(lost) > _SHOWN:
        verb = "is" if len(lost) == _SHOWN + 1 else "are"
        yield f"So {verb} {_counted(len(lost) - _SHOWN, 'other')}; the table article_index names all."


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _told(changes: dict[str, int]) -> str:
    return ", ".join(f"{count} {change}" for change, count in changes.items())


def _named(articles: Sequence[str]) -> str:
    if not articles:
        return ""
    more = f" and {len(articles) - _SHOWN} more" if len(articles) > _SHOWN else ""
    return f" ({', '.join(articles[:_SHOWN])}{more})"


def _print(console: Console, lines: Sequence[str]) -> None:
    for line in lines:
        console.print(line, highlight=False, markup=False, soft_wrap=True)
