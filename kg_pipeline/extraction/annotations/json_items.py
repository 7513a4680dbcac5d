"""The items of a JSON file, one at a time, so that a file of any size takes the memory of one item.

Understood are an array; an object one of whose values is the array that is meant; and objects one after the other, a line
each or not.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import IO, Any

from kg_pipeline.errors import MalformedError

#: Upper bound of one item, in characters.
MAX_ITEM = 64 * 1024 * 1024
_READ = 1024 * 1024
#: How far from the beginning of a file the array may begin.
_HEAD = 64 * 1024
_SPACE = re.compile(r"[\s,\x1e]*")
_DECODER = json.JSONDecoder()


class _Text:
    """A file as text, of which a window is held; what is before `place` was read."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self.window = ""
        self.place = 0
        self.is_whole = False

    def grow(self, by: int) -> None:
        """Read on, and let go of what was read: once for many small items, since it copies the rest."""
        data = self._stream.read(by)
        self.is_whole = not data
        try:
            self.window = self.window[self.place :] + self._decoder.decode(data, final=self.is_whole)
        except UnicodeDecodeError:
            raise MalformedError("it is not in UTF-8") from None
        self.place = 0


def json_items(stream: IO[bytes], arrays: tuple[str, ...]) -> Iterator[Any]:
    """Items of a file in their order; `arrays` names the values of an outermost object that may be the array.

    Raises
    ------
    MalformedError
        If the file is not UTF-8, not JSON from some place on, or has an item that is too large or nested too deeply.

    """
    text = _Text(stream)
    text.grow(_HEAD)
    text.place, closing = _beginning(text.window, arrays)
    number = 0
    while True:
        is_more = _skip_space(text)
        if not is_more and closing:
            raise MalformedError(f"it ends after item {number}, within an array")
        if not is_more or (closing and text.window[text.place] == closing):
            return
        item = _item(text, number)
        number += 1
        yield item


def _beginning(head: str, arrays: tuple[str, ...]) -> tuple[int, str]:
    """Where the items begin, and what ends them."""
    if head.lstrip().startswith("["):
        return head.index("[") + 1, "]"
    names = "|".join(re.escape(name) for name in arrays)
    found = re.search(rf'"(?:{names})"\s*:\s*\[', head)
    before = head[: found.start()] if found else ""
    if found is None or before.count("{") - before.count("}") != 1:
        return 0, ""
    return found.end(), "]"


def _skip_space(text: _Text) -> bool:
    """Go to where the next item begins; false at the end of the file."""
    while True:
        found = _SPACE.match(text.window, text.place)
        text.place = found.end() if found else text.place
        if text.place < len(text.window):
            return True
        if text.is_whole:
            return False
        text.grow(_READ)


def _item(text: _Text, number: int) -> Any:
    wanted = _READ
    while True:
        try:
            item, end = _DECODER.raw_decode(text.window, text.place)
        except RecursionError:
            raise MalformedError(f"item {number + 1} is nested too deeply") from None
        except ValueError as error:
            if text.is_whole:
                reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
                raise MalformedError(f"item {number + 1} is not JSON ({reason})") from None
        else:
            # White space ends a number; and without a look beyond, half of one would be taken for a whole one.
            if end < len(text.window) or text.is_whole:
                text.place = end
                return item
        if len(text.window) - text.place > MAX_ITEM:
            raise MalformedError(f"item {number + 1} is no JSON, or has more than {MAX_ITEM} characters")
        text.grow(wanted)
        wanted *= 2
