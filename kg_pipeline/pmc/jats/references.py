"""Ids of an article's reference list, to know a citation whose type is not given."""

from __future__ import annotations

import re

from lxml import etree

_REFERENCE = re.compile(rb"""<(?:[\w.-]+:)?ref(?:\s[^<>]*?)?\sid\s*=\s*(?:"([^"<]*)"|'([^'<]*)')""")


class ReferenceIds:
    """A container of ids, read when first asked: most articles say of every citation that it is one.

    Parameters
    ----------
    root
        The article.
    cut
        Content of a reference list that is not in the tree any more, in UTF-8.

    """

    def __init__(self, root: etree._Element, cut: bytes | memoryview = b"") -> None:
        self._root = root
        self._cut = cut
        self._ids: frozenset[str] | None = None

    def __contains__(self, name: object) -> bool:
        """Whether a reference has this id."""
        if self._ids is None:
            self._ids = frozenset(self._read())
        return name in self._ids

    def _read(self) -> set[str]:
        ids = {element.get("id", "") for element in self._root.iter("ref")}
        ids.update((double or single).decode() for double, single in _REFERENCE.findall(self._cut))
        return ids - {""}
