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
from collections.abc import Iterator
from typing import cast

from lxml import etree

from kg_pipeline.errors import MalformedError, NotJatsError

#: Upper bound of one XML file, in bytes.
MAX_BYTES = 64 * 1024 * 1024
MATHML = "http://www.w3.org/1998/Math/MathML"

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
_OTHER_FORMATS = (
    (b"%PDF", "a PDF"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "a gzip file"),
    (b"{", "JSON"),
)


def parse_xml(data: bytes) -> etree._Element:
    """Root element of the document, without comments and processing instructions; names without namespaces.

    Inside a formula, `math`, the names of MathML keep theirs.

    Raises
    ------
    MalformedError
        If the bytes are empty, too large, too deep, not well-formed, or not in the encoding they declare.
    NotJatsError
        If the bytes are no XML at all, but something that is easily named (a PDF, JSON, an archive).

    """
    if len(data) > MAX_BYTES:
        raise MalformedError(f"the file has {len(data)} bytes; the bound is {MAX_BYTES}")
    data = _as_utf8(data)
    if not data:
        raise MalformedError("the file is empty")
    for magic, name in _OTHER_FORMATS:
        if data.startswith(magic):
            raise NotJatsError(f"the file is {name}, not XML")
    data, declared = _without_doctype(data)
    if _FOREIGN_ENTITY.search(data):
        data = _replace_entities(data, declared)
    parser = etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise MalformedError(f"not well-formed XML: {error.msg}") from None
    _strip_namespaces(root, _declared_namespaces(data))
    return root


def serialise(element: etree._Element) -> bytes:
    """UTF-8 bytes of one element with all it holds: an article cut out of a set."""
    return etree.tostring(element, encoding="utf-8", with_tail=False)


def local_name(element: etree._Element) -> str:
    """Name of an element without its namespace."""
    tag: str = element.tag
    return tag[tag.rfind("}") + 1 :]


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
                return data[len(mark) :].strip()
            return _recode(data, encoding)
    data = data.strip()
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


def _without_doctype(data: bytes) -> tuple[bytes, dict[str, str]]:
    """The document without its type declaration, and the plain character entities that one defined."""
    prolog = _PROLOG.match(data)
    start = prolog.end() if prolog else 0
    head = _DOCTYPE_HEAD.match(data, start)
    if head is None:
        return data, {}
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
    return data[:start] + data[end + 1 :], declared


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
    """Rename namespaced elements to their local name; JATS and OASIS names do not collide.

    Of MathML only the root of a formula is renamed: the formulas of an article hold most of its namespaced elements,
    and what reads them looks at local names.
    """
    addresses = sorted(html.unescape(address) for address in declared if address)
    names = [f"{{{address}}}{'math' if address == MATHML else '*'}" for address in addresses]
    for element in list(root.iter(*names)) if names else ():
        element.tag = local_name(element)
