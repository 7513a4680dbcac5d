r"""Text in the cells of a KGX TSV file, which has neither quoting nor escapes of its own.

`|` separates the values of a list, a tab those of a row. Files that we write (they have columns that begin with `kg_`)
escape what would break them: `\\`, `\t`, `\n`, `\r`, and `\u007c` for the bar. A text that a spreadsheet would run as
a formula (it begins with `=`, `+`, `-` or `@`) gets an apostrophe in front. Both are undone when our files are read;
other tools see them as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

LIST_SEPARATOR = "|"
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "|": "\\u007c"}
_TO_ESCAPE = re.compile(r"[\\\t\n\r|]")
_ESCAPED = re.compile(r"\\(?:\\|t|n|r|u007c)")
_ORIGINALS = {escape: character for character, escape in _ESCAPES.items()}
_GUARD = "'"
_GUARDED = ("=", "+", "-", "@", _GUARD)


def encode(text: str) -> str:
    """A text as a cell, or as one value of a list."""
    escaped = _TO_ESCAPE.sub(lambda match: _ESCAPES[match[0]], text)
    return _GUARD + escaped if escaped.startswith(_GUARDED) else escaped


def decode(cell: str) -> str:
    """The inverse of `encode`."""
    if cell.startswith(_GUARD) and cell[1:].startswith(_GUARDED):
        cell = cell[1:]
    return _ESCAPED.sub(lambda match: _ORIGINALS[match[0]], cell)


def encode_list(values: Sequence[str]) -> str:
    """Texts as one cell."""
    return LIST_SEPARATOR.join(encode(value) for value in values)


def split_list(cell: str) -> list[str]:
    """Values of a list cell, as they stand."""
    return [value for value in cell.split(LIST_SEPARATOR) if value]
