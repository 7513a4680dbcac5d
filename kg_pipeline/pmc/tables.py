"""Tables: a grid with row and column spans expanded, and one sentence a row.

XHTML tables (`table/thead/tbody/tr/th/td`) and OASIS ones (`tgroup/thead/tbody/row/entry`) give the same grid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lxml import etree

#: Bounds against hostile spans; real tables stay far below.
MAX_COLUMNS = 512
MAX_CELLS = 200_000
#: Rows of `th` at the top of a body that can be a header.
_MAX_TH_ROWS = 3

_EMPTY = frozenset({"", "-", "–", "—", "−", "‐", "…", "..."})
_ROWS = frozenset({"tr", "row"})
_SINGLE = (None, "1")
_NOTHING = ("", 0)
_CELLS = frozenset({"td", "th", "entry"})


@dataclass(frozen=True, slots=True)
class Grid:
    """Cell texts by row; `owners` tells which written cell a place belongs to, so that spans can be recognised."""

    header_rows: int
    cells: tuple[tuple[str, ...], ...]
    owners: tuple[tuple[int, ...], ...]


def read_grid(table: etree._Element, cell_text: Callable[[etree._Element], str]) -> Grid:
    """The table as a rectangle of texts, spans repeated in every place they cover; short rows padded with ''."""
    lines: list[dict[int, tuple[str, int]]] = []
    # What spans of rows put into lines that are still to come.
    below: dict[int, dict[int, tuple[str, int]]] = {}
    header_rows = width = owner = n_places = 0
    for group, is_header in _row_groups(table):
        rows = [row for row in group if row.tag in _ROWS]
        columns = _column_names(group)
        last = len(lines) + len(rows)
        for row in rows:
            number = len(lines)
            cells = [cell for cell in row if cell.tag in _CELLS]
            if is_header or (number == header_rows and number < _MAX_TH_ROWS and _is_header_row(cells)):
                header_rows = number + 1
            line = below.pop(number, {})
            lines.append(line)
            column = 0
            for cell in cells:
                column = _start_column(cell, columns, column) if columns else column
                while column in line:
                    column += 1
                if column >= MAX_COLUMNS or n_places >= MAX_CELLS:
                    break
                owner += 1
                place = (cell_text(cell), owner)
                wide, high = _spans(cell, columns)
                wide = min(wide, MAX_COLUMNS - column)
                for right in range(column, column + wide):
                    line.setdefault(right, place)
                for down in range(number + 1, min(number + high, last)):
                    covered = below.setdefault(down, {})
                    for right in range(column, column + wide):
                        covered.setdefault(right, place)
                n_places += wide * min(high, last - number)
                column += wide
            width = max(width, column)
    width = max([width, *(1 + max(line) for line in lines if line)])
    full = [[line.get(column, _NOTHING) for column in range(width)] for line in lines]
    return Grid(
        header_rows=header_rows if header_rows < len(lines) else 0,
        cells=tuple(tuple([text for text, _ in line]) for line in full),
        owners=tuple(tuple([owner for _, owner in line]) for line in full),
    )


def row_sentences(grid: Grid, label: str) -> Iterator[str]:
    """One sentence for each body row: `Table 1, EGFR: fold change 2.5; P value 0.01`.

    A row that is one text across the table is a subheading; it is put before the rows that follow it. Empty places
    and dashes say nothing and are left out; a merged cell is said once.
    """
    headers = [_header_path(grid, column) for column in range(len(grid.cells[0]))] if grid.cells else []
    subheading = ""
    used = True
    for cells, owners in zip(grid.cells[grid.header_rows :], grid.owners[grid.header_rows :], strict=True):
        filled = [(column, text) for column, text in enumerate(cells) if text not in _EMPTY]
        if not filled:
            continue
        is_subheading = len(cells) > 1 and all(
            not text or owner == owners[0] for text, owner in zip(cells, owners, strict=True)
        )
        if is_subheading:
            if not used:
                yield _sentence(label, "", "", [subheading])
            subheading, used = filled[0][1], False
            continue
        used = True
        row_header = cells[0] if _reads_as_header(cells[0]) and len(filled) > 1 else ""
        parts: list[str] = []
        said: set[int] = set()
        for column, text in filled:
            if (
                (column == 0 and row_header)
                or owners[column] in said
                or owners[column] == (owners[0] if row_header else -1)
            ):
                continue
            said.add(owners[column])
            header = headers[column]
            parts.append(f"{header} {text}" if header and header != text else text)
        yield _sentence(label, subheading, row_header, parts)
    if not used:
        yield _sentence(label, "", "", [subheading])


def _sentence(label: str, subheading: str, row_header: str, parts: list[str]) -> str:
    opening = ", ".join(text.rstrip(".:;, ") for text in (label, subheading, row_header) if text)
    body = "; ".join(parts)
    text = f"{opening}: {body}" if opening and body else opening or body
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _header_path(grid: Grid, column: int) -> str:
    names: list[str] = []
    for row in range(grid.header_rows):
        text = grid.cells[row][column]
        spans_all = len(set(grid.owners[row])) == 1 and len(grid.owners[row]) > 1
        if text not in _EMPTY and text not in names and not spans_all:
            names.append(text)
    return " ".join(names)


def _reads_as_header(text: str) -> bool:
    return text not in _EMPTY and any(character.isalpha() for character in text)


def _row_groups(table: etree._Element) -> Iterator[tuple[etree._Element, bool]]:
    """Elements that hold rows directly, in reading order (head, body, foot), and whether they are headers."""
    holders = [table] if any(child.tag in _ROWS for child in table) else []
    for child in table:
        if child.tag in {"thead", "tbody", "tfoot"}:
            holders.append(child)
        elif child.tag == "tgroup":
            holders.extend(part for part in child if part.tag in {"thead", "tbody", "tfoot"})
    order = {"thead": 0, "tfoot": 2}
    for holder in sorted(holders, key=lambda element: order.get(element.tag, 1)):
        yield holder, holder.tag == "thead"


def _is_header_row(cells: list[etree._Element]) -> bool:
    return len(cells) > 1 and all(cell.tag == "th" for cell in cells)


def _column_names(group: etree._Element) -> dict[str, int]:
    """OASIS column names and their positions."""
    holder = group if group.tag == "tgroup" else group.getparent()
    if holder is None or holder.tag != "tgroup":
        return {}
    names = [spec.get("colname") or "" for spec in holder if spec.tag == "colspec"]
    return {name: position for position, name in enumerate(names) if name}


def _start_column(cell: etree._Element, columns: dict[str, int], following: int) -> int:
    name = cell.get("namest") or cell.get("colname")
    return max(columns.get(name, following), following) if name else following


def _spans(cell: etree._Element, columns: dict[str, int]) -> tuple[int, int]:
    """Columns and rows that a cell covers; a large number of rows if they go to the end of the group."""
    colspan, rowspan = cell.get("colspan"), cell.get("rowspan")
    is_entry = cell.tag == "entry"
    if not is_entry and colspan in _SINGLE and rowspan in _SINGLE:
        return 1, 1
    if is_entry:
        first, last = columns.get(cell.get("namest") or ""), columns.get(cell.get("nameend") or "")
        wide = last - first + 1 if first is not None and last is not None else 1
        return max(wide, 1), _number(cell.get("morerows"), 0) + 1
    wide, high = _number(colspan, 1), _number(rowspan, 1)
    return max(wide, 1), high if high > 0 else MAX_CELLS


def _number(text: str | None, default: int) -> int:
    if text is None:
        return default
    value = text.strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) < 9 else default
