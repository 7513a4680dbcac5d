"""Tables: a grid with row and column spans expanded.

XHTML tables (`table/thead/tbody/tr/th/td`) and OASIS ones (`tgroup/thead/tbody/row/entry`) give the same grid.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from lxml import etree

from kg_pipeline.pmc.jats.characters import tidy_all
from kg_pipeline.pmc.jats.xml import all_text

#: Bounds against hostile spans; real tables stay far below.
MAX_COLUMNS = 512
MAX_PLACES = 200_000
#: Rows of `th` at the top of a body that can be a header.
_MAX_TH_ROWS = 3

_ROWS = frozenset({"tr", "row"})
_MARK = re.compile(r"[A-Za-z]|[*†‡§¶#]{1,3}")
_SINGLE = (None, "1")
_CELLS = frozenset({"td", "th", "entry"})


@dataclass(frozen=True, slots=True)
class Grid:
    """Cell texts by row; `owners` tells which written cell a place belongs to, so that spans can be recognised."""

    header_rows: int
    cells: tuple[tuple[str, ...], ...]
    owners: tuple[tuple[int, ...], ...]
    is_cut: bool = False  # the table has more rows or columns than the bounds allow


def read_grid(table: etree._Element, cell_text: Callable[[etree._Element], str]) -> Grid:
    """The table as a rectangle of texts, spans repeated in every place they cover; short rows padded with ''.

    `cell_text` is asked about cells with markup only; what it gives and the text of all others is tidied at once. A
    table that is larger than the bounds is cut there, and says so.
    """
    builder = _GridBuilder(cell_text)
    header_rows = 0
    for group, is_header in _row_groups(table):
        # One row more than fits, so that the builder sees that there are more.
        rows = list(islice(group.iterchildren(*_ROWS), MAX_PLACES + 1))
        columns = _column_names(group)
        last = len(builder.lines) + len(rows)
        for row in rows:
            number = len(builder.lines)
            cells = [cell for cell in row if cell.tag in _CELLS]
            if is_header or (number == header_rows and number < _MAX_TH_ROWS and _is_header_row(cells)):
                header_rows = number + 1
            if not builder.add_row(cells, columns, last):
                return builder.finish(header_rows)
    return builder.finish(header_rows)


@dataclass(slots=True)
class _GridBuilder:
    cell_text: Callable[[etree._Element], str]
    #: By owner; 0 owns what no cell covers.
    texts: list[str] = field(default_factory=lambda: [""])
    lines: list[list[int]] = field(default_factory=list)
    width: int = 0
    #: What spans of rows put into lines that are still to come.
    below: dict[int, dict[int, int]] = field(default_factory=dict)
    is_cut: bool = False

    def add_row(self, cells: list[etree._Element], columns: dict[str, int], last: int) -> bool:
        """Append one row; spans reach no further than the row `last`. Whether there was room for it."""
        line = self._plain_line(cells)
        if line is None or columns or len(self.lines) in self.below:
            line = self._line_with_spans(cells, columns, last)
        else:
            self.texts.extend([self.cell_text(cell) if len(cell) else cell.text or "" for cell in cells])
        width = max(self.width, len(line))
        if max(width, 1) * (len(self.lines) + 1) > MAX_PLACES:
            self.is_cut = True
            return False
        self.width = width
        self.lines.append(line)
        return True

    def _plain_line(self, cells: list[etree._Element]) -> list[int] | None:
        """Owners of a row in which each cell has one place, as in most; `None` for another."""
        for cell in cells:
            if (
                cell.get("colspan") not in _SINGLE
                or cell.get("rowspan") not in _SINGLE
                or cell.tag == "entry"
            ):
                return None
        if len(cells) > MAX_COLUMNS:
            return None
        return list(range(len(self.texts), len(self.texts) + len(cells)))

    def _line_with_spans(self, cells: list[etree._Element], columns: dict[str, int], last: int) -> list[int]:
        number = len(self.lines)
        line = self.below.pop(number, {})
        column = 0
        for cell in cells:
            if columns:
                column = _start_column(cell, columns, column)
            while column in line:
                column += 1
            if column >= MAX_COLUMNS:
                self.is_cut = True
                break
            owner = len(self.texts)
            self.texts.append(self.cell_text(cell) if len(cell) else cell.text or "")
            wide, high = _spans(cell, columns)
            covered = range(column, min(column + wide, MAX_COLUMNS))
            # Spans that go beyond the bound of the table need not be kept.
            for down in range(number, min(number + high, last, number + MAX_PLACES // len(covered))):
                under = line if down == number else self.below.setdefault(down, {})
                for right in covered:
                    under.setdefault(right, owner)
            column = covered.stop
        return [line.get(place, 0) for place in range(1 + max(line, default=-1))]

    def finish(self, header_rows: int) -> Grid:
        texts = tidy_all(self.texts)
        owners = tuple([tuple(line + [0] * (self.width - len(line))) for line in self.lines])
        return Grid(
            header_rows=header_rows if header_rows < len(owners) else 0,
            cells=tuple([tuple(map(texts.__getitem__, line)) for line in owners]),
            owners=owners,
            is_cut=self.is_cut,
        )


def note_marks(wrapper: etree._Element) -> frozenset[str]:
    """Marks of the notes under a table, which its cells repeat: the labels of notes, or what is raised at their start.

    Numbers are left out: raised, they may as well be exponents.
    """
    marks = {all_text(label).strip() for label in wrapper.iterfind("table-wrap-foot//label")}
    for paragraph in wrapper.iterfind("table-wrap-foot//p"):
        if len(paragraph) and paragraph[0].tag == "sup" and not (paragraph.text or "").strip():
            marks.add(all_text(paragraph[0]).strip())
    return frozenset(mark for mark in marks if _MARK.fullmatch(mark))


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
    if cell.tag == "entry":
        first, last = columns.get(cell.get("namest") or ""), columns.get(cell.get("nameend") or "")
        wide = last - first + 1 if first is not None and last is not None else 1
        return max(wide, 1), _number(cell.get("morerows"), 0) + 1
    wide, high = _number(cell.get("colspan"), 1), _number(cell.get("rowspan"), 1)
    return max(wide, 1), high if high > 0 else MAX_PLACES


def _number(text: str | None, default: int) -> int:
    if text is None:
        return default
    value = text.strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) < 9 else default
