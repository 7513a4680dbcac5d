"""The `kg` command's entry: commands, options, and errors as one sentence."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from kg_pipeline.cli.benching import bench
from kg_pipeline.errors import DiskFullError, KgError
from kg_pipeline.files import is_disk_full
from kg_pipeline.settings import load_settings

app = typer.Typer(
    name="kg",
    help="From PubMed Central articles to a versioned knowledge graph, and cited answers from it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(bench)
CorpusName = Annotated[
    str, typer.Argument(help="Name of a corpus; `kg corpora` lists them.", metavar="CORPUS")
]

INTERRUPTED = 130


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

    console = Console()
    with interruptible():
        result = building.build(corpus, source, console)
    show.build_result(console, result)


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


@app.command()
def ask(
    corpus: CorpusName,
    question: Annotated[str, typer.Argument(help="A question in plain words.")],
    version: Annotated[str, typer.Option(help="Graph version; `kg versions` lists them.")] = "latest",
    method: Annotated[str, typer.Option(help="Retrieval method.")] = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole answer as JSON.")] = False,
) -> None:
    """Answer a question from the current graph, with numbered citations."""
    import retrieval
    from kg_pipeline.corpora import find_corpus

    settings = load_settings()
    find_corpus(settings.corpora_file, corpus)
    with retrieval.open(corpus, version=version, settings=settings) as graph:
        answer = graph.ask(question, method=method)
    if as_json:
        typer.echo(answer.to_json())
    else:
        Console(highlight=False, soft_wrap=True).print(answer.render(), markup=False)


@app.command()
def demo() -> None:
    """Build the sample corpus and ask it two questions."""
    from kg_pipeline.cli import demonstration

    with interruptible():
        demonstration.run(Console(highlight=False))


@app.command()
def ui(
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1.")] = 3000,
) -> None:
    """Start Dagster's web interface and daemon for this workspace."""
    from kg_pipeline.cli import interface

    interface.serve(port, Console())


@app.command()
def corpora() -> None:
    """List the corpora, their sources and their current versions."""
    from kg_pipeline.cli import show

    show.corpora(Console())


@app.command()
def articles(corpus: CorpusName) -> None:
    """List the articles of a corpus that are not in its graph, with the reason."""
    from kg_pipeline.cli import show

    show.articles(Console(), corpus)


@app.command()
def versions(corpus: CorpusName) -> None:
    """List the graph versions of a corpus."""
    from kg_pipeline.cli import show

    show.versions(Console(), corpus)


@app.command()
def verify(
    corpus: CorpusName,
    version: Annotated[str, typer.Option(help="Graph version; `kg versions` lists them.")] = "latest",
) -> None:
    """Check a graph version: checksums, foreign keys, quotes and premises."""
    from kg_pipeline.cli import show

    show.verify(Console(), corpus, version)


@app.command()
def diff(
    corpus: CorpusName,
    before: Annotated[str, typer.Argument(help="Earlier version.")],
    after: Annotated[str, typer.Argument(help="Later version.")] = "latest",
) -> None:
    """Show what changed between two graph versions."""
    from kg_pipeline.cli import show

    show.diff(Console(), corpus, before, after)


@app.command("export")
def export_(
    corpus: CorpusName,
    output: Annotated[Path, typer.Option(help="Folder for the files.")],
    target: Annotated[
        str, typer.Option("--format", help="kgx-tsv, kgx-jsonl, graphml, jsonld, neo4j-csv or sif.")
    ] = "kgx-tsv",
    version: Annotated[str, typer.Option(help="Graph version; `kg versions` lists them.")] = "latest",
    quotes: Annotated[
        str, typer.Option(help="Which sentences to write: licensed, all or none.")
    ] = "licensed",
) -> None:
    """Write a graph version in another tool's format."""
    from kg_pipeline.cli import exchange

    exchange.export_graph(Console(highlight=False, soft_wrap=True), corpus, version, target, output, quotes)


@app.command("import")
def import_(
    name: Annotated[str, typer.Argument(help="Corpus that the graph becomes; a new name.", metavar="NAME")],
    files: Annotated[list[Path], typer.Argument(help="KGX TSV or JSON lines, or Hetionet TSV.")],
    embed: Annotated[str, typer.Option(help="What gets a vector: all, entities or none.")] = "all",
) -> None:
    """Make another tool's graph the current version of a corpus."""
    from kg_pipeline.cli import exchange

    exchange.import_files(Console(highlight=False, soft_wrap=True), name, files, embed)


@app.command()
def gc(
    corpus: CorpusName,
    keep: Annotated[int, typer.Option(min=0, help="Newest versions to keep besides.")] = 2,
) -> None:
    """Remove old graph versions; the current one and pinned ones stay."""
    from kg_pipeline.cli import exchange

    exchange.collect(Console(highlight=False, soft_wrap=True), corpus, keep)


@app.command()
def pin(
    corpus: CorpusName,
    version: Annotated[str, typer.Argument(help="Graph version; `kg versions` lists them.")] = "latest",
) -> None:
    """Keep a graph version whatever `kg gc` removes."""
    from kg_pipeline.cli import exchange

    exchange.pin(Console(highlight=False, soft_wrap=True), corpus, version)


@app.command()
def unpin(
    corpus: CorpusName,
    version: Annotated[str, typer.Argument(help="Graph version; `kg versions` lists them.")] = "latest",
) -> None:
    """Let `kg gc` remove a graph version again."""
    from kg_pipeline.cli import exchange

    exchange.unpin(Console(highlight=False, soft_wrap=True), corpus, version)


@app.command()
def doctor() -> None:
    """Show what is installed, which models and endpoints are used, and how to get what is missing."""
    from kg_pipeline.cli import diagnosis

    if not diagnosis.run(Console(soft_wrap=True)):
        raise typer.Exit(1)


if __name__ == "__main__":
    main()
