"""Walk the blocks of a JATS article once, in document order, into an `Assembly`.

Paragraphs directly in the body, in lists, boxes, quotations and statements are all met; figures and tables are
put after the paragraphs of the section that holds them, so that they do not cut its text in two. Sections about the
paper rather than its subject (funding, interests, thanks) and lists of abbreviations are kept as `back`, which is text of
the article but no evidence; captions of supplementary files and films are captions like others.

Left out are reference lists, biographies, rights, ids, descriptions of images for machines, numbers of sections, items
and equations, marks of notes, and the label of a figure without a caption. A title is also the path of its section; the
header of a table is said with each of its rows. All else comes out once, and a test on real articles holds it to that.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, field

from lxml import etree

from kg_pipeline.pmc.jats.article import Table
from kg_pipeline.pmc.jats.assembly import Assembly, Place
from kg_pipeline.pmc.jats.characters import tidy
from kg_pipeline.pmc.jats.glossary import read_glossary
from kg_pipeline.pmc.jats.inline import FLOW, LIFTED, SKIPPED, Inline, inline_text
from kg_pipeline.pmc.jats.row_sentences import row_sentences
from kg_pipeline.pmc.jats.sections import BACK_SECTIONS, is_administrative
from kg_pipeline.pmc.jats.tables import note_marks, read_grid
from kg_pipeline.pmc.jats.xml import all_text, first_child

#: Kind of sections that are text of the article, but about the paper rather than its subject.
BACK = "back"

_OMITTED = SKIPPED | {
    "title", "subtitle", "label", "caption", "ref-list", "bio", "sub-article", "response", "front-stub", "back",
    "table-wrap-foot", "speaker",
}  # fmt: skip
_SECTIONS = frozenset({"sec", "treatment-sec", "app", "boxed-text"}) | BACK_SECTIONS
_FILES = frozenset({"supplementary-material", "media"})
#: What the archive writes beside a file: its size, its format, and how to get it.
_FILE_NOTE = re.compile(
    r"\(?[\d.,]+ ?[kKMG]B\b[^()]*\)?\.?|Click here for (?:additional data |supplemental )?file\.?|PDF\.?"
    r"|\((?:PDF|DOCX?|RTF|TXT|ODT|XLSX?|CSV|TSV|ODS|PPTX?|TIFF?|EPS|PNG|JPE?G|GIF|SVG|MOV|MP[34G]|MPEG|M4V|AVI|WMV|WAV|ZIP|GZ)\)\.?",
    re.IGNORECASE,
)
_TRANSPARENT = frozenset(
    {"disp-quote", "statement", "verse-group", "speech", "taxon-treatment", "question", "answer", "question-wrap",
     "disp-formula-group", "floats-group", "floats-wrap", "app-group", "fig-group", "table-wrap-group", "named-content",
     "chem-struct-wrap", "answer-set", "explanation", "sec-group"}
)  # fmt: skip
_GLOSSARY_TITLE = re.compile(
    r"[\d.\s]*(?:list of )?abbreviations?(?: (?:used|list|and acronyms))?[.:\s]*", re.IGNORECASE
)
_HYPHENATED = re.compile(r"(?<=\w)[-\u00ad]\s*\n\s*(?=[a-z])")
_BLANK_LINE = re.compile(r"\n\s*\n")
_BLOCKS = FLOW | LIFTED | _SECTIONS | _TRANSPARENT | {"disp-formula"}
#: Blocks whose label is kept if it says more than a number or a mark.
_LABELLED = frozenset({"fn", "statement", "list-item"})
_NAME = re.compile(r"[^\W\d_]{4,}")
_PATH_TITLE_CHARACTERS = 160


@dataclass(slots=True)
class BlockWalker:
    """Fills an assembly, and keeps what is not running text: tables, glossary, number of formulas."""

    references: Container[str]
    assembly: Assembly = field(default_factory=Assembly)
    tables: list[Table] = field(default_factory=list)
    glossary: list[tuple[str, str]] = field(default_factory=list)
    formulas: int = 0

    def walk(self, container: etree._Element, place: Place, kind: str = "paragraph") -> None:
        """All blocks inside `container`; its own floats come after its paragraphs, before its subsections."""
        floats: list[etree._Element] = []
        if container.tag in _LABELLED:
            self.assembly.add(place, kind, self._name(container))
        if (text := container.text) and not text.isspace():
            self.assembly.add(place, kind, tidy(text))
        for child in container:
            if floats and child.tag in _SECTIONS:
                self._flush(floats, place)
            self._block(child, place, kind, floats)
            if (text := child.tail) and not text.isspace():
                self.assembly.add(place, kind, tidy(text))
        self._flush(floats, place)

    def section(self, element: etree._Element, place: Place) -> None:
        """A titled block below `place`; entries of a list of abbreviations also go to the glossary."""
        title = first_child(element, "title")
        is_titled = title is not None
        if title is None and (caption := first_child(element, "caption")) is not None:
            title = first_child(caption, "title")
        inline = Inline(self.references)
        text = (inline.read_apart(title) if title is not None else "") or self._name(element)
        is_glossary = element.tag == "glossary" or _GLOSSARY_TITLE.fullmatch(text) is not None
        entries = read_glossary(element) if is_glossary else []
        self.glossary.extend(entries)
        kind = BACK if entries or is_administrative(element, text if is_titled else "") else place.kind
        inner = Place((*place.path, text) if text else place.path, kind)
        self.assembly.add(inner, "heading", text)
        self._lifted(inline, inner)
        if element.tag == "boxed-text" and (caption := first_child(element, "caption")) is not None:
            self.walk(caption, inner)
        self.walk(element, inner)

    def block(self, element: etree._Element, place: Place) -> None:
        """One block by itself."""
        floats: list[etree._Element] = []
        self._block(element, place, "paragraph", floats)
        self._flush(floats, place)

    def _block(self, element: etree._Element, place: Place, kind: str, floats: list[etree._Element]) -> None:
        tag = element.tag
        if tag == "p":
            self._paragraph(element, place, kind, floats)
        elif tag in _SECTIONS:
            self.section(element, place)
        elif tag in _FILES:
            self._file(element, place)
        elif tag in _OMITTED:
            return
        elif tag == "list":
            self._titled_list(element, place)
        elif tag == "def-list":
            self._definitions(element, place)
        elif tag in {"fig", "table-wrap", "table", "array"}:
            floats.append(element)
        elif tag == "fn":
            self.walk(element, place, "footnote")
        elif tag in {"preformat", "code"}:
            self._preformatted(element, place)
        elif tag in _TRANSPARENT or any(child.tag in _BLOCKS for child in element):
            self.walk(element, place, kind)
        else:
            # A block that holds only inline text: a verse line, a displayed formula, a name of a taxon.
            inline = Inline(self.references)
            inline.add_element(element)
            self._add(inline, place, kind, floats)

    def _paragraph(
        self, element: etree._Element, place: Place, kind: str, floats: list[etree._Element]
    ) -> None:
        inline = Inline(self.references)
        inline.add_text(element.text)
        children = iter(element)
        while (block := inline.add_until_block(children)) is not None:
            self._add(inline, place, kind, floats)
            self._block(block, place, kind, floats)
            inline = Inline(self.references)
            inline.add_text(block.tail)
        self._add(inline, place, kind, floats)

    def _add(self, inline: Inline, place: Place, kind: str, floats: list[etree._Element]) -> None:
        citations = tuple(dict.fromkeys(inline.citations)) if inline.citations else ()
        self.assembly.add(place, kind, inline.text(), citations)
        self.formulas += inline.formulas
        for element in inline.lifted:
            self._block(element, place, kind, floats)

    def _lifted(self, inline: Inline, place: Place, kind: str = "paragraph") -> None:
        """Notes and floats that stood inside a title, a caption or a cell, after it."""
        floats: list[etree._Element] = []
        for element in inline.lifted:
            self._block(element, place, kind, floats)
        self._flush(floats, place)

    def _name(self, element: etree._Element) -> str:
        """The label of a block that has no title, if it is a name; numbers and marks (`2.1`, `*`) are none."""
        return label if _NAME.search(label := self._title(first_child(element, "label"))) else ""

    def _title(self, element: etree._Element | None) -> str:
        return inline_text(element, self.references)

    def _titled_list(self, element: etree._Element, place: Place) -> None:
        self.assembly.add(place, "list_item", self._title(first_child(element, "title")))
        for item in element.iterchildren("list-item"):
            self.walk(item, place, "list_item")

    def _definitions(self, element: etree._Element, place: Place) -> None:
        self.assembly.add(place, "list_item", self._title(first_child(element, "title")))
        floats: list[etree._Element] = []
        for item in element.iterchildren("def-item"):
            inline = Inline(self.references)
            term, meaning = first_child(item, "term"), first_child(item, "def")
            if term is not None:
                inline.add_content(term)
            if meaning is not None:
                inline.add_text(": " if term is not None else "")
                inline.add_content(meaning)
            self._add(inline, place, "list_item", floats)
        self._flush(floats, place)

    def _preformatted(self, element: etree._Element, place: Place) -> None:
        """Lines as they are; scanned pages are one such block, with words broken at line ends."""
        text = _HYPHENATED.sub("", all_text(element))
        for part in _BLANK_LINE.split(text):
            self.assembly.add(place, "preformat", tidy(part))

    def _flush(self, floats: list[etree._Element], place: Place) -> None:
        while floats:
            waiting = floats.copy()
            floats.clear()
            for element in waiting:
                if element.tag == "fig":
                    self._figure(element, place)
                else:
                    self._table(element, place)

    def _caption(self, element: etree._Element) -> tuple[str, str, Inline]:
        """Title, whole caption on one line, and what was met in it."""
        caption = first_child(element, "caption")
        inline = Inline(self.references)
        if caption is None:
            return "", "", inline
        title = "".join(map(inline.read_apart, caption.iterchildren("title")))
        for child in caption:
            if child.tag not in {"title", "label"}:
                inline.add_text(" ")
                inline.add_element(child)
        rest = inline.text() if len(caption) else tidy(caption.text or "")
        separator = " " if not title or title[-1] in ".?!:;" or not rest else ". "
        return title, f"{title}{separator}{rest}".strip(), inline

    def _figure(self, element: etree._Element, place: Place) -> None:
        label = self._title(first_child(element, "label"))
        _, caption, inline = self._caption(element)
        inner = Place((*place.path, label) if label else place.path, "caption")
        self.assembly.add(inner, "caption", caption, tuple(dict.fromkeys(inline.citations)))
        self.formulas += inline.formulas
        self._lifted(inline, inner, "caption")
        for child in element:  # panels inside a figure, legends beside its caption
            if child.tag in {"fig", "fig-group", "p", "attrib"}:
                nested: list[etree._Element] = []
                self._block(child, inner, "caption", nested)
                self._flush(nested, inner)

    def _file(self, element: etree._Element, place: Place) -> None:
        """What is said about a supplementary file or a film, without the archive's notes on how to get it."""
        label = self._title(first_child(element, "label"))
        inner = Place((*place.path, label) if label else place.path, "caption")
        floats: list[etree._Element] = []
        captions = [*element.iterchildren("caption"), *element.iterfind("media/caption")]
        if (text := element.text) and not text.isspace():
            self.assembly.add(inner, "caption", tidy(text))
        for part in (part for caption in captions for part in caption):
            inline = Inline(self.references)
            inline.add_content(part)
            if not _FILE_NOTE.fullmatch(inline.text()):
                self._add(inline, inner, "caption", floats)
        for part in element.iterchildren("p"):
            self._paragraph(part, inner, "caption", floats)
        self._flush(floats, inner)

    def _table(self, element: etree._Element, place: Place) -> None:
        label = self._title(first_child(element, "label"))
        title, caption, inline = self._caption(element)
        name = _shorten(": ".join(part.rstrip(" .:") for part in (label, title or caption) if part))
        inner = Place((*place.path, name) if name else place.path, "table")
        self.assembly.add(inner, "caption", caption, tuple(dict.fromkeys(inline.citations)))
        self.formulas += inline.formulas
        self._lifted(inline, inner, "caption")
        cells = Inline(self.references, marks := note_marks(element))
        for table in (grids := [element] if element.tag in {"table", "array"} else _outer_tables(element)):
            grid = read_grid(table, cells.read_cell)
            self.tables.append(Table(label, caption, grid.header_rows, grid.cells, grid.is_cut))
            for sentence in row_sentences(grid, label.rstrip(" .:–—-")):
                self.assembly.add(inner, "table_row", sentence)
        if not grids:
            self.tables.append(Table(label, caption, 0, ()))
        self._lifted(cells, inner)
        for foot in element.iterchildren("table-wrap-foot", "attrib"):
            for note in foot if foot.tag == "table-wrap-foot" else (foot,):
                self._table_note(note, inner, marks)

    def _table_note(self, note: etree._Element, place: Place, marks: frozenset[str]) -> None:
        inline = Inline(self.references, marks)
        for child in note if note.tag in {"fn", "fn-group"} else (note,):
            if child.tag != "label":
                inline.add_element(child)
        self.assembly.add(place, "table_note", inline.text(), tuple(dict.fromkeys(inline.citations)))
        self._lifted(inline, place, "table_note")


def _outer_tables(element: etree._Element) -> list[etree._Element]:
    """Tables of a wrapper, not those nested in their cells."""
    found: list[etree._Element] = []
    for child in element:
        if child.tag in {"table", "tgroup", "array"}:
            found.append(child)
        elif child.tag == "alternatives":
            found.extend(_outer_tables(child)[:1])
    return found


def _shorten(text: str) -> str:
    if len(text) <= _PATH_TITLE_CHARACTERS:
        return text
    return text[:_PATH_TITLE_CHARACTERS].rsplit(" ", 1)[0] + " …"
