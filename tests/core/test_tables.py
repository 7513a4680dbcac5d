"""Cells of the tables that commands print."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from kg_pipeline.cli.tables import add_plain_row, folded_table


@pytest.mark.parametrize("cell", ["[bold]IL-6[/bold]", ":dna:", "GO:mouse:1", "a\\", "\\[x]"])
def test_a_cell_stands_as_it_is(cell: str) -> None:
    table = folded_table("name")
    add_plain_row(table, cell)
    console = Console(width=60, record=True, file=StringIO())
    console.print(table)
    assert cell in console.export_text()
