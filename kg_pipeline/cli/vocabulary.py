"""`kg vocabulary …`: make a vocabulary of one's own, and list those there are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from kg_pipeline.cli.tables import folded_table, table_console

vocabulary = typer.Typer(name="vocabulary", help="Make and list vocabularies.", no_args_is_help=True)


@vocabulary.command()
def build(
    umls: Annotated[
        Path | None, typer.Option(help="META folder of a UMLS release, with its RRF files.")
    ] = None,
    tsv: Annotated[
        Path | None, typer.Option(help="Tab-separated table: id, name, synonyms (|), category, parents (|).")
    ] = None,
    scispacy: Annotated[
        Path | None,
        typer.Option(
            help="Knowledge base of scispaCy: a file, or umls, mesh, rxnorm, go, hpo as it keeps them."
        ),
    ] = None,
    name: Annotated[str, typer.Option(help="Name to choose it by in KG_VOCABULARY.")] = "",
    sources: Annotated[
        str, typer.Option(help="UMLS sources to keep, such as MSH,HGNC,GO; all where empty.")
    ] = "",
    levels: Annotated[
        str, typer.Option(help="UMLS source restriction levels to keep; 0 is free of further terms.")
    ] = "0",
) -> None:
    """Make a concept table from the user's own UMLS, a table, or a knowledge base of scispaCy, and index it."""
    from kg_pipeline.errors import SettingsError
    from kg_pipeline.settings import load_settings
    from kg_pipeline.vocabulary.index.build import build_vocabulary
    from kg_pipeline.vocabulary.index.stack import OPEN, table_path
    from kg_pipeline.vocabulary.sources.tables import build_from_scispacy, build_from_table
    from kg_pipeline.vocabulary.sources.umls import build_umls

    given = [option for option in (umls, tsv, scispacy) if option is not None]
    if len(given) != 1:
        raise SettingsError("Give exactly one of --umls FOLDER, --tsv FILE and --scispacy FILE.")
    chosen = name or ("umls" if umls else "scispacy" if scispacy else "own")
    if chosen == OPEN:
        raise SettingsError("The name 'open' belongs to the packaged vocabulary; give another --name.")
    settings = load_settings()
    path = table_path(settings.home, chosen)
    console = Console(highlight=False, soft_wrap=True)
    with console.status("Reading and indexing …"):
        if umls is not None:
            count = build_umls(umls, path, sources=_listed(sources), levels=_listed(levels))
        elif tsv is not None:
            count = build_from_table(tsv, path)
        else:
            count = build_from_scispacy(given[0], path)
        build_vocabulary(settings, path)
    console.print(f"{count} concepts in {path}.", markup=False)
    console.print(
        f"Set KG_VOCABULARY={chosen} to use it alone, or KG_VOCABULARY=open+{chosen} to add it to the open one.",
        markup=False,
    )


@vocabulary.command(name="list")
def list_() -> None:
    """List the vocabularies of this workspace, and those that KG_VOCABULARY chooses."""
    import pyarrow.parquet as pq

    from kg_pipeline.settings import load_settings
    from kg_pipeline.vocabulary.index.stack import OPEN, table_path

    settings = load_settings()
    made = sorted(path.stem for path in (settings.home / "vocabularies").glob("*.parquet"))
    title = f"Vocabularies; KG_VOCABULARY={settings.vocabulary}"
    table = folded_table("name", "concepts", "file", whole=("concepts",), title=title)
    for name in (OPEN, *made):
        path = table_path(settings.home, name)
        table.add_row(name, str(pq.read_metadata(path).num_rows), str(path))
    table_console().print(table)


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
