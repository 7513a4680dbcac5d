"""`kg ask` and `kg mcp`: the options of asking a corpus; what they start is loaded only when it is used."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from kg_pipeline.errors import ModelError

CorpusName = Annotated[
    str, typer.Argument(help="Name of a corpus; `kg corpora` lists them.", metavar="CORPUS")
]

INTERRUPTED = 130


def ask(
    corpus: CorpusName,
    question: Annotated[
        str | None, typer.Argument(help="A question in plain words.", metavar="QUESTION")
    ] = None,
    version: Annotated[str, typer.Option(help="Graph version; `kg versions` lists them.")] = "latest",
    method: Annotated[
        str, typer.Option(help="Retrieval method: auto, egot, inses, bioweave, ppr or naive.")
    ] = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole answer as JSON.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how the answer came about, and what was dropped and why.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option(help="Write the answer, its sources and its graph as one page.")
    ] = None,
    interactive: Annotated[
        bool, typer.Option("--interactive", "-i", help="Keep asking, with follow-up questions.")
    ] = False,
) -> None:
    """Answer a question from the current graph, with numbered citations."""
    from kg_pipeline.cli import asking, session

    form = asking.Form(as_json=as_json, explain=explain, html=html)
    console = Console(highlight=False, soft_wrap=True)
    if not interactive:
        asking.ask(corpus, question, version, method, form, console)
        return
    try:
        all_well = session.converse(corpus, question, version, method, form, console)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    if not all_well:
        raise typer.Exit(1)


def mcp(
    corpus: CorpusName,
    version: Annotated[str, typer.Option(help="Graph version; `kg versions` lists them.")] = "latest",
) -> None:
    """Serve a corpus to a language model's client: search, neighbourhood, path and ask, read only (MCP over stdio)."""
    try:
        from kg_pipeline.cli import mcp_server
    except ImportError as error:
        if not (error.name or "").startswith("mcp"):
            raise
        raise ModelError(
            "kg mcp needs the Model Context Protocol SDK, version 2. Install it: pip install 'kg-pipeline[mcp]'"
        ) from None
    mcp_server.serve(corpus, version)
