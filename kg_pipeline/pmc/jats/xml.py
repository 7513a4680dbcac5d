"""Read article XML from anyone, safely: no DTD, no network, no entity expansion, bounded size and depth.

The document type declaration is cut out before libxml2 sees the bytes, so there is nothing to fetch and nothing
to expand. Named character entities that JATS documents use without declaring them in the file (`&ldquo;`) are
replaced from the HTML table of the standard library, and an internal subset may define plain character data.
Any other entity makes the document malformed. Depth and node sizes keep libxml2's own limits (256 levels,
10 million characters).
"""

from __future__ import annotations

import html.entities
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import cast

from lxml import etree

from kg_pipeline.errors import MalformedError, NotJatsError
from kg_pipeline.text.safe_xml import SAFE_OPTIONS

#: Upper bound of one XML file, in bytes.
MAX_BYTES = 64 * 1024 * 1024
Span = tuple[int, int]
MATHML = "http://www.w3.org/1998/Math/MathML"

#: Namespaces that are left as they are: those of attributes, and those whose few elements are read by their full names.
_KEPT = {
    "",
    "http://www.w3.org/1999/xlink",
    "http://www.w3.org/2001/XMLSchema-instance",
    "http://www.niso.org/schemas/ali/1.0",
    "http://www.niso.org/schemas/ali/1.0/",
    MATHML,
}

_BUILT_IN = frozenset({"lt", "gt", "amp", "quot", "apos"})
_FOREIGN_ENTITY = re.compile(rb"&(?!(?:lt|gt|amp|quot|apos);)[A-Za-z]")
_ENTITY = re.compile(rb"<!\[CDATA\[.*?\]\]>|<!--.*?-->|&([A-Za-z][A-Za-z0-9._-]*);", re.DOTALL)
_DECLARED = re.compile(rb"""<!ENTITY\s+([A-Za-z][\w.-]*)\s+(?:"([^"&%<]{0,64})"|'([^'&%<]{0,64})')\s*>""")
_XML_DECLARATION = re.compile(rb"<\?xml\s[^>]*?\?>")
_ENCODING = re.compile(rb"""encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
# Prolog up to the document type: declaration, comments, processing instructions, white space.
_PROLOG = re.compile(rb"(?:\s+|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
# Quoted strings and comments of an internal subset may hold brackets; they are skipped whole.
_SUBSET_PART = re.compile(rb"""[^\]"'<]+|"[^"]*"|'[^']*'|<!--.*?-->|<""", re.DOTALL)
_DOCTYPE_HEAD = re.compile(rb"""<!DOCTYPE(?:[^>\["']|"[^"]*"|'[^']*')*""")
_NAMESPACE = re.compile(rb"""xmlns(?::[\w.-]+)?\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_NO_MARKUP = ((b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>"))
_RARE = 256
_ATTRIBUTES = rb"""(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*"""
#: A page as a browser shows it, which is what many servers answer where there is no article.
HTML_PAGE = re.compile(rb"\s*(?:<!doctype html|<html)", re.IGNORECASE)
_OTHER_FORMATS = (
    (b"%PDF", "a PDF"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "a gzip file"),
    (b"{", "JSON"),
)


def parse_xml(data: bytes) -> etree._Element:
    """Root element of the document, without comments and processing instructions; names without namespaces.

    Only MathML and the elements of NISO's access and licence indicators (`ali`) keep theirs.

    Raises
    ------
    MalformedError
        If the bytes are empty, too large, too deep, not well-formed, or not in the encoding they declare.
    NotJatsError
        If the bytes are no XML at all, but something that is easily named (a PDF, JSON, a page in HTML, an archive).

    """
    document, doctype, declared = _prepare(data)
    return _tree(_leave_out(document, [doctype]), declared)


def parse_xml_without(data: bytes, name: str) -> tuple[etree._Element, memoryview]:
    """`parse_xml` of a document in which the last element of that name is empty, and the content it had.

    For what is much markup and not needed: the reference list is more than half of the elements of most articles.
    Content that is cut is not checked.
    """
    document, doctype, declared = _prepare(data)
    start, end = _content_of_last(document, doctype[1], name.encode())
    root = _tree(_leave_out(document, [doctype, (start, end)]), declared)
    return root, memoryview(document)[start:end]


def _prepare(data: bytes) -> tuple[bytes, Span, dict[str, str]]:
    """The document in UTF-8, where its type declaration is, and the plain character entities that one defines."""
    if len(data) > MAX_BYTES:
        raise MalformedError(f"the file has {len(data)} bytes; the bound is {MAX_BYTES}")
    data = _as_utf8(data)
    if not data:
        raise MalformedError("the file is empty")
    for magic, name in _OTHER_FORMATS:
        if data.startswith(magic):
            raise NotJatsError(f"the file is {name}, not XML")
    if HTML_PAGE.match(data):
        raise NotJatsError("the file is an HTML page, not an article in XML")
    return data, *_read_doctype(data)


def _tree(data: bytes, declared: dict[str, str]) -> etree._Element:
    try:
        root = _read(data)
    except etree.XMLSyntaxError as error:
        if not _FOREIGN_ENTITY.search(data):
            raise _malformed(error) from None
        data = _replace_entities(data, declared)
        try:
            root = _read(data)
        except etree.XMLSyntaxError as other:
            raise _malformed(other) from None
    _strip_namespaces(root, _declared_namespaces(data))
    return root


def _read(data: bytes) -> etree._Element:
    return etree.fromstring(data, etree.XMLParser(collect_ids=False, **SAFE_OPTIONS))


def _malformed(error: etree.XMLSyntaxError) -> MalformedError:
    return MalformedError(f"not well-formed XML: {error.msg}")


def _leave_out(data: bytes, spans: Iterable[Span]) -> bytes:
    """The document without these parts of it, copied no more than once."""
    whole = memoryview(data)
    kept = []
    position = 0
    for start, end in spans:
        kept.append(whole[position:start])
        position = end
    return b"".join([*kept, whole[position:]]) if position else data


def _content_of_last(data: bytes, position: int, name: bytes) -> Span:
    """Where the content of the last element of that name is, after `position`; empty if that is not certain.

    In well-formed XML the opening of a tag stands for nothing else outside of comments, instructions and character
    data.
    """
    tag = re.compile(rb"<%b%b\s*>" % (re.escape(name), _ATTRIBUTES))
    match = tag.match(data, max(data.rfind(b"<" + name, position), position))
    if match is None:
        return position, position
    start, end = match.end(), data.find(b"</" + name, match.end())
    is_certain = end > 0 and not _is_no_markup(data, position, start) and not _is_no_markup(data, start, end)
    return (start, end) if is_certain else (position, position)


def _is_no_markup(data: bytes, start: int, end: int) -> bool:
    """Whether a comment, an instruction or character data that opens after `start` is still open at `end`."""
    for opening, closing in _NO_MARKUP:
        found = _last(data, opening, start, end)
        if found >= 0 and data.find(closing, found + len(opening), end) < 0:
            return True
    return False


def _last(data: bytes, opening: bytes, start: int, end: int) -> int:
    """Where the sign is last, -1 for nowhere. Looks for its second character, which is rare and so found much faster."""
    for _ in range(_RARE):
        found = data.rfind(opening[1:2], start + 1, end)
        if found < 0 or data.startswith(opening, found - 1):
            return max(found - 1, -1)
        end = found
    return data.rfind(opening, start, end)


def serialise(element: etree._Element) -> bytes:
    """UTF-8 bytes of one element with all it holds: an article cut out of a set."""
    return etree.tostring(element, encoding="utf-8", with_tail=False)


def local_name(element: etree._Element) -> str:
    """Name of an element without its namespace."""
    return _without_namespace(element.tag)


@lru_cache(maxsize=256)
def _without_namespace(tag: str) -> str:
    return tag[tag.rfind("}") + 1 :]


def first_child(element: etree._Element, name: str) -> etree._Element | None:
    """First child of that name. A loop, because what is looked for is mostly the first of few; `find` takes four times as long."""
    for child in element:
        if child.tag == name:
            return child
    return None


def select(element: etree._Element, path: str) -> list[etree._Element]:
    """Elements that an XPath expression finds, in document order."""
    return cast("list[etree._Element]", element.xpath(path))


def texts(element: etree._Element) -> Iterator[str]:
    """Character data inside an element, piece by piece."""
    return cast("Iterator[str]", element.itertext())


def all_text(element: etree._Element) -> str:
    """All character data inside an element, as it is."""
    if len(element) == 0:
        return element.text or ""
    return "".join(texts(element))


def _as_utf8(data: bytes) -> bytes:
    """The document in UTF-8 without a byte order mark; other declared encodings are decoded here."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            if encoding == "utf-8":
                return data[len(mark) :].lstrip()
            return _recode(data, encoding)
    data = data.lstrip()
    declaration = _XML_DECLARATION.match(data)
    encoding_match = _ENCODING.search(declaration.group()) if declaration else None
    if encoding_match is None:
        return data
    encoding = encoding_match.group(1).decode().lower()
    return data if encoding in {"utf-8", "utf8", "us-ascii", "ascii"} else _recode(data, encoding)


def _recode(data: bytes, encoding: str) -> bytes:
    try:
        text = data.decode(encoding)
    except (LookupError, UnicodeError):
        raise MalformedError(f"the bytes are not in the encoding they declare ({encoding})") from None
    encoded = text.encode("utf-8", errors="surrogatepass").strip()
    return _XML_DECLARATION.sub(b"", encoded, count=1).strip()


def _read_doctype(data: bytes) -> tuple[Span, dict[str, str]]:
    """Where the type declaration is, empty for none, and the plain character entities that it defines."""
    prolog = _PROLOG.match(data)
    start = prolog.end() if prolog else 0
    head = _DOCTYPE_HEAD.match(data, start)
    if head is None:
        return (0, 0), {}
    end = head.end()
    declared: dict[str, str] = {}
    if data[end : end + 1] == b"[":
        position = end + 1
        while part := _SUBSET_PART.match(data, position):
            position = part.end()
        for name, double, single in _DECLARED.findall(data[end:position]):
            declared[name.decode()] = (double or single).decode("utf-8", errors="replace")
        end = data.find(b">", position)
    if end < 0 or data[end : end + 1] != b">":
        raise MalformedError("not well-formed XML: the document type declaration does not end")
    return (start, end + 1), declared


def _replace_entities(data: bytes, declared: dict[str, str]) -> bytes:
    def replacement(match: re.Match[bytes]) -> bytes:
        name_bytes = match.group(1)
        if name_bytes is None:  # character data and comments are not markup
            return match.group()
        name = name_bytes.decode()
        if name in _BUILT_IN:
            return match.group()
        value = declared.get(name) or html.entities.html5.get(f"{name};")
        if value is None:
            raise MalformedError(f"not well-formed XML: the entity &{name[:40]}; is not defined")
        return "".join(f"&#{ord(character)};" for character in value).encode()

    return _ENTITY.sub(replacement, data)


def _declared_namespaces(data: bytes) -> set[str]:
    return {
        (double or single).decode("utf-8", errors="replace")
        for double, single in set(_NAMESPACE.findall(data))
    }


def _strip_namespaces(root: etree._Element, declared: set[str]) -> None:
    """Rename namespaced elements to their local name; JATS and OASIS names do not collide."""
    addresses = sorted({html.unescape(address) for address in declared} - _KEPT)
    names = [f"{{{address}}}*" for address in addresses]
    for element in list(root.iter(*names)) if names else ():
        element.tag = local_name(element)
