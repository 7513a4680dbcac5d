"""Rows of a table as sentences that a reader would accept, as `Table 1, Cytokines, EGFR: fold change 2.5; P value 0.01`.

What a row is about stands in its first cell, in a row above it that is one text across the table (a subheading), or in
the first cell of a row above whose followers leave theirs blank, as one writes a table by hand. The last is told from
cells that are blank for other reasons (totals, second lines of a header, lists side by side) by `_stubs`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kg_pipeline.pmc.jats.tables import Grid

#: What stands where there is no value: nothing, or a run of one sign (a full stop is how SAS writes it).
_EMPTY = frozenset({"", "…"} | {sign * count for sign in "-–—−‐." for count in range(1, 9)})
#: One group of rows that leave their first cell blank may be a total or a note; two are the way the table is written.
_GROUPS = 2


def row_sentences(grid: Grid, label: str) -> Iterator[str]:
    """One sentence for each body row.

    A subheading is put before the rows that follow it, up to the next one; one whose rows leave the first cell blank,
    up to the next row that fills it. So is the first cell of a row that else repeats the header, in place of the header
    of the first column. Empty places and dashes say nothing and are left out; a merged cell is said once.
    """
    headers = [_header_path(grid, column) for column in range(len(grid.cells[0]))] if grid.cells else []
    group = subheading = ""
    unsaid: list[str] = []
    is_stub = False  # whether the subheading stands for the first cells of its rows
    rows = zip(
        grid.cells[grid.header_rows :], grid.owners[grid.header_rows :], _stubs(grid, headers), strict=True
    )
    for cells, owners, stub in rows:
        filled = [(column, text) for column, text in enumerate(cells) if text not in _EMPTY]
        if not filled:
            continue
        if _is_subheading(cells, owners, filled[-1][0]):
            if subheading in unsaid:
                unsaid.remove(subheading)
                yield _sentence((label,), [subheading])
            subheading = filled[0][1]
            is_stub = False
            unsaid.append(subheading)
            continue
        if _repeats_header(cells, owners, headers):
            if cells[0] in {"", headers[0], group}:
                continue
            if unsaid:
                yield _sentence((label,), unsaid)
            group, subheading, unsaid = cells[0], "", [cells[0]]
            headers = [
                "" if owner == owners[0] else header for owner, header in zip(owners, headers, strict=True)
            ]
            continue
        if is_stub and cells[0]:
            subheading, is_stub = "", False
        elif subheading in unsaid and not cells[0]:
            is_stub = True
        unsaid = []
        row_header = cells[0] if _reads_as_header(cells[0]) and len(filled) > 1 else ""
        said = {owners[0]} if row_header else set()
        if len(set(owners)) < len(owners):
            filled = [(column, text) for column, text in filled if _is_first(owners[column], said)]
        elif row_header:
            del filled[0]
        parts = [
            f"{header} {text}" if (header := headers[column]) and header != text else text
            for column, text in filled
        ]
        yield _sentence(dict.fromkeys((label, group, subheading, row_header or stub)), parts)
    if unsaid:
        yield _sentence((label,), unsaid)


def _stubs(grid: Grid, headers: Sequence[str]) -> list[str]:
    """For each body row that leaves its first cell blank, the one above that stands for it; "" where that is not certain.

    It is where that is a name, not merged with its neighbours; the rows that leave theirs blank merge no cells, and fill a
    column that the row of the name fills, if it fills any; and the table has several such groups. A row without any text
    ends a group. In a table that begins with a blank first cell, names stand in the middle of their groups.
    """
    body = grid.cells[grid.header_rows :]
    nothing = [""] * len(body)
    if all(cells[0] for cells in body):
        return nothing
    stubs = nothing.copy()
    lead: Sequence[str] = ()
    first, groups = -1, set()
    for number, (cells, owners) in enumerate(zip(body, grid.owners[grid.header_rows :], strict=True)):
        if cells[0]:
            is_name = _reads_as_header(cells[0]) and owners.count(owners[0]) == 1
            lead = cells if is_name and not _repeats_header(cells, owners, headers) else ()
            first = number
        elif not _is_plain(cells, owners):
            lead = ()
        elif first < 0:
            return nothing
        elif lead and _fills_one_of(cells, lead):
            stubs[number] = lead[0]
            groups.add(first)
        else:
            lead = ()
    return stubs if len(groups) >= _GROUPS else nothing


def _is_plain(cells: Sequence[str], owners: Sequence[int]) -> bool:
    """Whether a row has text, and no cell with text is merged with another."""
    filled = [owner for text, owner in zip(cells, owners, strict=True) if text not in _EMPTY]
    return bool(filled) and len(set(filled)) == len(filled)


def _fills_one_of(cells: Sequence[str], lead: Sequence[str]) -> bool:
    """Whether the row fills a column that the row `lead` fills beyond its first; any will do if that has nothing else."""
    columns = [column for column, text in enumerate(lead) if column and text not in _EMPTY]
    return not columns or any(cells[column] not in _EMPTY for column in columns)


def _is_subheading(cells: Sequence[str], owners: Sequence[int], last_filled: int) -> bool:
    """Whether the row is one text across the table."""
    return (
        len(cells) > 1
        and owners[last_filled] == owners[0]
        and all(not text or owner == owners[0] for text, owner in zip(cells, owners, strict=True))
    )


def _repeats_header(cells: Sequence[str], owners: Sequence[int], headers: Sequence[str]) -> bool:
    """Whether a row but for its first cell is the header again, as where a table goes on over pages or in parts."""
    if cells[-1] != headers[-1]:
        return False
    others = [column for column, owner in enumerate(owners) if owner != owners[0]]
    return any(len(headers[column]) > 1 for column in others) and all(
        cells[column] == headers[column] for column in others
    )


def _is_first(owner: int, said: set[int]) -> bool:
    """Whether a cell has not been said yet; it counts as said from then on."""
    is_first = owner not in said
    said.add(owner)
    return is_first


def _sentence(opening_parts: Iterable[str], parts: Iterable[str]) -> str:
    opening = ", ".join([text.rstrip(".:;, ") for text in opening_parts if text])
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
