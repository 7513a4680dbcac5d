"""Where commands print their tables: folded to a terminal's width, and whole where the output goes elsewhere."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

#: Columns of a pipe or a file, which have no edge: a row is a line, so that it can be searched.
_NO_EDGE = 10_000


def table_console() -> Console:
    """A console for tables; `COLUMNS` says how wide it is where there is no terminal."""
    is_edgeless = not sys.stdout.isatty() and not os.environ.get("COLUMNS")
    return Console(highlight=False, width=_NO_EDGE if is_edgeless else None)


def folded_table(*columns: str, whole: tuple[str, ...] = (), title: str | None = None) -> Table:
    """A table that cuts no cell: what does not fit goes on below, but for the `whole` columns, which keep their width."""
    table = Table(title=title, title_justify="left")
    for column in columns:
        table.add_column(column, no_wrap=column in whole, overflow="fold")
    return table


def add_plain_row(table: Table, *cells: str) -> None:
    """Add cells that stand as they are: a bracket is a bracket, and `:dna:` no picture."""
    table.add_row(*(Text(cell) for cell in cells))


def print_json(rows: Sequence[Mapping[str, object]]) -> None:
    """Rows for another program."""
    typer.echo(json.dumps(rows, ensure_ascii=False, indent=2))
