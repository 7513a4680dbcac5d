"""Tables as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; bars and line breaks in cells are made harmless."""
    lines = [_row(header), _row(["---"] * len(header))]
    return "\n".join([*lines, *(_row([str(cell) for cell in row]) for row in rows)])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"
