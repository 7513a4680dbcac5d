"""Documents of a BioC XML file, one at a time, in the shape that BioC JSON has.

The type declaration is not loaded, no entity is expanded, and a document is held only while it is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from lxml import etree

from kg_pipeline.errors import MalformedError
from kg_pipeline.text.safe_xml import SAFE_OPTIONS

#: Upper bound of one document, in bytes of XML.
MAX_DOCUMENT = 64 * 1024 * 1024


class _Bounded:
    """A stream that refuses to be read too far from where it was last marked."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._left = MAX_DOCUMENT

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise MalformedError(f"a document has more than {MAX_DOCUMENT} bytes")
        return data

    def mark(self) -> None:
        """Begin to count anew."""
        self._left = MAX_DOCUMENT


def xml_documents(stream: IO[bytes]) -> Iterator[dict[str, Any]]:
    """Documents of a file in their order.

    Raises
    ------
    MalformedError
        If the file is not well-formed from some place on, or has a document that is too large.

    """
    bounded = _Bounded(stream)
    events = etree.iterparse(bounded, events=("end",), tag="document", **SAFE_OPTIONS)
    try:
        for _, element in events:
            yield _part(element)
            bounded.mark()
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
    except etree.XMLSyntaxError as error:
        raise MalformedError(f"not well-formed XML: {error.msg}") from None


def _part(element: etree._Element) -> dict[str, Any]:
    """A document, passage, sentence, annotation or relation with what it holds."""
    part: dict[str, Any] = {"infons": {}}
    if "id" in element.attrib:
        part["id"] = element.get("id")
    for child in element:
        tag = child.tag
        if tag == "infon":
            part["infons"][child.get("key", "")] = child.text or ""
        elif tag in {"id", "text"}:
            part[tag] = child.text or ""
        elif tag == "offset":
            part[tag] = _number(child.text)
        elif tag == "location":
            place = {"offset": _number(child.get("offset")), "length": _number(child.get("length"))}
            part.setdefault("locations", []).append(place)
        elif tag == "node":
            part.setdefault("nodes", []).append({"refid": child.get("refid"), "role": child.get("role")})
        elif tag in {"passage", "sentence", "annotation", "relation"}:
            part.setdefault(f"{tag}s", []).append(_part(child))
    return part


def _number(text: str | None) -> int | None:
    value = (text or "").strip()
    return int(value) if value.isdecimal() and len(value) < 12 else None
