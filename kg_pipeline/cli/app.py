"""The `kg` command's entry: commands, options, and errors as one sentence."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from kg_pipeline.cli.bench.commands import bench
from kg_pipeline.cli.deciding import decisions, merge, unmerge
from kg_pipeline.cli.merging import merges
from kg_pipeline.cli.questions import INTERRUPTED, CorpusName, ask, mcp
from kg_pipeline.cli.tables import table_console
from kg_pipeline.cli.versions import (
    diff,
    export_graph,
    gc,
    import_graph,
    pin,
    publish,
    unpin,
    verify,
    versions,
)
from kg_pipeline.cli.vocabulary import vocabulary
from kg_pipeline.errors import DiskFullError, KgError
from kg_pipeline.files import is_disk_full
from kg_pipeline.graph.exchange import formats
from kg_pipeline.settings import load_settings

app = typer.Typer(
    name="kg",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(bench)
app.add_typer(vocabulary)


def _print_version(wanted: bool) -> None:
    if wanted:
        Console(highlight=False).print(f"kg-pipeline {metadata.version('kg-pipeline')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_print_version, help="Show the version and exit."),
    ] = False,
) -> None:
    """From PubMed Central articles to a versioned knowledge graph, and cited answers from it."""


def main() -> None:
    """Run the command line; our errors become one sentence on standard error and exit status 1."""
    errors = Console(stderr=True, soft_wrap=True, highlight=False)
    try:
        app()
    except KgError as error:
        errors.print("[bold red]error:[/] ", end="")
        errors.print(str(error), markup=False)
        sys.exit(1)
    except BrokenPipeError:
        # The reader of our output went away (`kg … | head`); there is nobody left to tell.
        sys.stderr.close()
        sys.exit(0)
    except Exception as error:
        home = load_settings().home
        if is_disk_full(error, home):
            sentence = str(DiskFullError(home))
        elif isinstance(error, OSError) and error.filename:
            sentence = (
                f"{error.filename}: {error.strerror}. Check that you may write to {home}, "
                "or set KG_HOME to another folder."
            )
        else:
            raise
        errors.print("[bold red]error:[/] ", end="")
        errors.print(sentence, markup=False)
        sys.exit(1)


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C as a sentence that says how to go on, and the shell's status for it."""
    try:
        yield
    except KeyboardInterrupt:
        message = "Interrupted. What was finished is kept: run the same command again to go on."
        Console(stderr=True, soft_wrap=True).print(message)
        raise typer.Exit(INTERRUPTED) from None


@app.command()
def build(
    corpus: CorpusName,
    source: Annotated[
        Path | None, typer.Option(help="Folder or archive of JATS XML; adds the corpus to the corpora file.")
    ] = None,
) -> None:
    """Bring a corpus' graph up to date and make it the current version."""
    from kg_pipeline.cli import building, show

    with interruptible():
        result = building.build(corpus, source, Console())
    show.build_result(table_console(), result)


@app.command()
def refresh(
    corpus: CorpusName,
    preview: Annotated[
        bool, typer.Option("--preview", help="Show what it would find, fetch and cost, and change nothing.")
    ] = False,
) -> None:
    """Ask what a corpus holds now: what is added, updated, retracted, withdrawn. The next build does the rest."""
    from kg_pipeline.cli import refreshing

    console = Console()
    with interruptible():
        if preview:
            refreshing.preview(corpus, console)
        else:
            refreshing.show(console, refreshing.refresh(corpus, console))


app.command()(ask)
app.command()(mcp)
app.command()(merges)
app.command()(merge)
app.command()(unmerge)
app.command()(decisions)


@app.command()
def demo() -> None:
    """Build the sample corpus and ask it two questions."""
    from kg_pipeline.cli import demonstration

    with interruptible():
        demonstration.run(Console(highlight=False))


@app.command()
def ui(
    port: Annotated[int, typer.Option(help="Port.")] = 3000,
    host: Annotated[
        str, typer.Option(help="Address to listen on; the interface asks for no password.")
    ] = "127.0.0.1",
) -> None:
    """Start Dagster's web interface and daemon for this workspace."""
    from kg_pipeline.cli import interface

    interface.serve(host, port, Console())


@app.command()
def estimate(
    corpus: CorpusName,
    seconds_per_call: Annotated[
        float, typer.Option(min=0, help="How long the endpoint takes to answer one call.")
    ] = 5,
) -> None:
    """Say what reading a corpus with the language model would cost; sends nothing."""
    from kg_pipeline.cli import estimating

    with interruptible():
        estimating.run(Console(highlight=False, soft_wrap=True), corpus, seconds_per_call)


@app.command()
def corpora() -> None:
    """List the corpora, their sources and their current versions."""
    from kg_pipeline.cli import show

    show.corpora(table_console())


@app.command()
def articles(
    corpus: CorpusName,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print all articles as JSON, the ok ones too.")
    ] = False,
) -> None:
    """List the articles of a corpus that are not ok or were not read whole, with the reason."""
    from kg_pipeline.cli import show

    if as_json:
        show.articles_as_json(corpus)
    else:
        show.articles(table_console(), corpus)


app.command()(versions)
app.command()(verify)
app.command()(diff)
app.command("export", epilog=formats.describe())(export_graph)
app.command("import")(import_graph)
app.command()(gc)
app.command()(publish)
app.command()(pin)
app.command()(unpin)


@app.command()
def doctor() -> None:
    """Show what is installed, which models and endpoints are used, and how to get what is missing."""
    from kg_pipeline.cli import diagnosis

    if not diagnosis.run(table_console()):
        raise typer.Exit(1)


if __name__ == "__main__":
    main()
