"""Commands about graph versions: list, check, compare, keep, remove, export and import them."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from kg_pipeline.cli.questions import CorpusName
from kg_pipeline.cli.tables import table_console
from kg_pipeline.errors import SettingsError
from kg_pipeline.graph.exchange import formats

_WHICH = "Graph version; `kg versions` lists them."


def versions(corpus: CorpusName) -> None:
    """List the graph versions of a corpus."""
    from kg_pipeline.cli import show

    show.versions(table_console(), corpus)


def verify(
    corpus: CorpusName,
    version: Annotated[str | None, typer.Argument(help=f"{_WHICH} The current one if none is named.")] = None,
    named: Annotated[str | None, typer.Option("--version", help=_WHICH, show_default=False)] = None,
) -> None:
    """Check a graph version: checksums, foreign keys, quotes, premises, and whether it looks fit to be read."""
    from kg_pipeline.cli import show

    if version is not None and named is not None and version != named:
        raise SettingsError(f"Two versions are named, {version} and {named}. Name the one to check.")
    show.verify(table_console(), corpus, named or version or "latest")


def diff(
    corpus: CorpusName,
    before: Annotated[
        str | None, typer.Argument(help="Earlier version; by default the one that the later was made after.")
    ] = None,
    after: Annotated[str, typer.Argument(help="Later version.")] = "latest",
    since: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="Compare with the last version made before this day (UTC)."),
    ] = None,
    about: Annotated[
        str, typer.Option(help="Only what bears on entities with a name that contains these words.")
    ] = "",
    limit: Annotated[int, typer.Option(min=0, help="How many of each kind of change to list.")] = 10,
) -> None:
    """Show what changed between two graph versions, for example: kg diff lupus --since 2026-05-01 --about nephritis."""
    from kg_pipeline.cli import differences

    console = Console(highlight=False, soft_wrap=True)
    differences.show(console, corpus, before, after, since, about, limit)


def export_graph(
    corpus: CorpusName,
    output: Annotated[Path, typer.Option(help="Folder for the files.")],
    target: Annotated[
        str, typer.Option("--format", help=f"One of {', '.join(formats.LEFT_OUT)}.")
    ] = "kgx-tsv",
    version: Annotated[str, typer.Option(help=_WHICH)] = "latest",
    quotes: Annotated[
        str, typer.Option(help="Which sentences to write: licensed, all or none.")
    ] = "licensed",
) -> None:
    """Write a graph version in another tool's format."""
    from kg_pipeline.cli import exchange

    exchange.export_graph(Console(highlight=False, soft_wrap=True), corpus, version, target, output, quotes)


def import_graph(
    name: Annotated[str, typer.Argument(help="Corpus that the graph becomes; a new name.", metavar="NAME")],
    files: Annotated[list[Path], typer.Argument(help="KGX TSV or JSON lines, Hetionet TSV, or PrimeKG CSV.")],
    embed: Annotated[str, typer.Option(help="What gets a vector: all, entities or none.")] = "all",
) -> None:
    """Make another tool's graph the current version of a corpus."""
    from kg_pipeline.cli import exchange

    exchange.import_files(Console(highlight=False, soft_wrap=True), name, files, embed)


def gc(
    corpus: CorpusName,
    keep: Annotated[int, typer.Option(min=0, help="Newest versions to keep besides.")] = 2,
) -> None:
    """Remove old graph versions, here and in Neo4j where one is set; the current one and pinned ones stay."""
    from kg_pipeline.cli import exchange

    exchange.collect(Console(highlight=False, soft_wrap=True), corpus, keep)


def publish(
    corpus: CorpusName,
    version: Annotated[str, typer.Argument(help=_WHICH)],
) -> None:
    """Make an earlier graph version the one that is read again, here and in Neo4j where one is set, until the next build."""
    from kg_pipeline.cli import exchange

    exchange.publish(Console(highlight=False, soft_wrap=True), corpus, version)


def pin(
    corpus: CorpusName,
    version: Annotated[str, typer.Argument(help=_WHICH)] = "latest",
) -> None:
    """Keep a graph version whatever `kg gc` removes."""
    from kg_pipeline.cli import exchange

    exchange.pin(Console(highlight=False, soft_wrap=True), corpus, version)


def unpin(
    corpus: CorpusName,
    version: Annotated[str, typer.Argument(help=_WHICH)] = "latest",
) -> None:
    """Let `kg gc` remove a graph version again."""
    from kg_pipeline.cli import exchange

    exchange.unpin(Console(highlight=False, soft_wrap=True), corpus, version)
