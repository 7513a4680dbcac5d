"""Inline text of a JATS element: what a reader would read aloud, on one line.

Rules: exponents get a caret (`10^6`, `kg/m^2`); charges, isotopes and formulas of substances stay joined
(`Ca2+`, `32P`, `H2O2`, `CD8+`); a formula is rendered once; bibliographic citations leave the text and their ids
are kept; cross-references to figures and tables stay; floats and footnotes are lifted out for the block walker.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator

from lxml import etree

from kg_pipeline.pmc.jats.characters import collapse, tidy
from kg_pipeline.pmc.jats.citations import CLOSE, OPEN, drop_citations, only_separators
from kg_pipeline.pmc.jats.formulas import MATH, render_formula
from kg_pipeline.pmc.jats.scripts import is_exponent, script_text
from kg_pipeline.pmc.jats.xml import texts

#: Floats and notes that may stand inside a paragraph without being part of its text.
LIFTED = frozenset(
    {
        "fig", "fig-group", "table-wrap", "table-wrap-group", "table", "array", "boxed-text", "fn", "ref-list",
        "supplementary-material", "media",
    }
)  # fmt: skip
#: Blocks that interrupt a paragraph: text before, the block, text after.
FLOW = frozenset(
    {"list", "def-list", "disp-quote", "statement", "verse-group", "preformat", "code", "p", "sec", "speech"}
)
#: Content that is not text of the article.
SKIPPED = frozenset(
    {
        "graphic", "inline-graphic", "inline-media", "object-id", "alt-text", "long-desc", "permissions",
        "index-term", "private-char", "svg", "processing-meta", "sec-meta",
        "treatment-meta", "kwd-group", "related-article", "related-object", "glyph-data", "glyph-ref", "target",
    }
)  # fmt: skip

_FORMULAS = frozenset({"inline-formula", "disp-formula", "chem-struct", "tex-math", *MATH})
#: Types of reference that may be citations; the reference list tells.
_OPEN_REFERENCES = frozenset({None, "ref", "other"})
_NOTE_REFERENCES = frozenset({"fn", "table-fn", "aff", "corresp", "author-notes", "contrib"})
_SPACED = frozenset({"break", "hr", "p", "title", "list-item", "def-item", "def", "term", "sec"})
_MARK_BORDER = re.compile(r"[,\s]+")
_WORD_END = 8


class Inline:
    """Collects the text of one paragraph.

    Parameters
    ----------
    references
        Ids of the article's reference list, to know a citation whose type is not given.
    marks
        Raised marks of notes, `a` or `*`, which are no text.

    """

    __slots__ = ("_marks", "_out", "citations", "formulas", "lifted", "references")

    def __init__(self, references: Container[str] = frozenset(), marks: frozenset[str] = frozenset()) -> None:
        self.references = references
        self._marks = marks
        self.citations: list[str] = []
        self.lifted: list[etree._Element] = []
        self.formulas = 0
        self._out: list[str] = []

    def text(self) -> str:
        """What was collected so far, tidied and without citations."""
        text = tidy("".join(self._out))
        return collapse(drop_citations(text)) if OPEN in text else text

    def read_apart(self, element: etree._Element) -> str:
        """Text of a title or a cell by itself; what stands in it without being part of its text is kept here."""
        if len(element) == 0:
            return tidy(element.text or "")
        return self._apart(element).text()

    def read_cell(self, element: etree._Element) -> str:
        """As `read_apart`, its white space not tidied: that of a whole table is tidied at once."""
        inline = self._apart(element)
        text = "".join(inline._out)
        return inline.text() if OPEN in text else text

    def _apart(self, element: etree._Element) -> Inline:
        inline = Inline(self.references, self._marks)
        inline.add_content(element)
        self.lifted += inline.lifted
        self.formulas += inline.formulas
        return inline

    def add_text(self, text: str | None) -> None:
        """Append character data as it is."""
        if text:
            self._out.append(text)

    def add_content(self, element: etree._Element) -> None:
        """Append everything inside the element."""
        if text := element.text:
            self._out.append(text)
        if len(element):
            self._add_all(iter(element))

    def add_until_block(self, children: Iterator[etree._Element]) -> etree._Element | None:
        """Append children of a paragraph up to the first that is a block of its own, which is returned without its tail."""
        return self._add_all(children, FLOW)

    def _add_all(
        self, children: Iterator[etree._Element], blocks: Container[str] = frozenset()
    ) -> etree._Element | None:
        # Most time of reading an article is spent here: half of its elements are emphasis and citations.
        append = self._out.append
        action_of = _ACTIONS.get
        for child in children:
            tag = child.tag
            if tag in blocks:
                return child
            if (action := action_of(tag)) is not None:
                action(self, child)
            elif len(child):
                self.add_content(child)
            elif text := child.text:
                append(text)
            if text := child.tail:
                append(text)
        return None

    def add_element(self, element: etree._Element) -> None:
        """Append one element by the rule of its name, without its tail."""
        action = _ACTIONS.get(element.tag)
        if action is not None:
            action(self, element)
        elif len(element):
            self.add_content(element)
        elif text := element.text:
            self._out.append(text)

    def _skip(self, element: etree._Element) -> None:
        """Leave the element out."""

    def _lift(self, element: etree._Element) -> None:
        self.lifted.append(element)
        self._out.append(" ")

    def _add_spaced(self, element: etree._Element) -> None:
        self._out.append(" ")
        self.add_content(element)
        self._out.append(" ")

    def _add_formula(self, element: etree._Element) -> None:
        self.formulas += 1
        self._out.append(render_formula(element))

    def _add_display(self, element: etree._Element) -> None:
        self.formulas += 1
        self._out.append(f" {render_formula(element)} ")

    def _add_alternatives(self, element: etree._Element) -> None:
        if any(child.tag in {"tex-math", *MATH} for child in element):
            self._add_formula(element)
            return
        for child in element:  # the first one that reads as text or can be lifted
            if child.tag not in SKIPPED:
                self.add_element(child)
                return

    def _add_reference(self, element: etree._Element) -> None:
        kind = element.get("ref-type")
        if kind == "bibr" or kind in _OPEN_REFERENCES:
            targets = element.get("rid", "").split()
            if kind == "bibr" or (targets and all(target in self.references for target in targets)):
                self.citations += targets
                text = self._plain(element) if len(element) else element.text or ""
                self._out.append(f"{OPEN}{text}{CLOSE}")
                return
        elif kind in _NOTE_REFERENCES:
            text = self._plain(element)
            if len(text.strip()) > 3:  # a name of a note, not the mark that points to it
                self._out.append(text)
            return
        self.add_content(element)

    def _raise(self, element: etree._Element) -> None:
        self._add_script(element, raised=True)

    def _lower(self, element: etree._Element) -> None:
        self._add_script(element, raised=False)

    def _add_script(self, element: etree._Element, *, raised: bool) -> None:
        raw = self._inner(element) if len(element) else element.text or ""
        text = raw.strip()
        if not text:
            self.add_text(" " if raw else None)
            return
        if raised and self._marks and self._marks.issuperset(_MARK_BORDER.split(text)):
            return
        if OPEN in text and only_separators(text):
            self._out.append(text)
        elif raised and only_separators(text) and _is_beside_citation(element, self.references):
            self._out.append(f"{OPEN}{CLOSE}")
        else:
            following = _following(element)
            if not following[:1].isalnum() or (raised and is_exponent(text) and not following[:1].isupper()):
                self._close_gap()
            self._out.append(script_text(text, self._last_word(), following, raised=raised))
            if raw[-1].isspace():
                self._out.append(" ")

    def _plain(self, element: etree._Element) -> str:
        """Text inside the element, its scripts not marked."""
        return "".join(texts(element)) if len(element) else element.text or ""

    def _inner(self, element: etree._Element) -> str:
        """Text inside the element by the rules, collected apart."""
        outer, self._out = self._out, []
        self.add_content(element)
        inner, self._out = "".join(self._out), outer
        return inner

    def _close_gap(self) -> None:
        """Take off white space before a script that belongs to what precedes: `χ <sup>2</sup>` is one symbol.

        So is `<italic>R</italic> <sup>2</sup>`, where the white space is a piece by itself.
        """
        last = len(self._out)
        while last and not self._out[last - 1].strip():
            last -= 1
        if last and (symbol := self._out[last - 1].rstrip())[-1:].isalnum():
            self._out[last - 1 :] = [symbol]

    def _last_word(self) -> str:
        """End of what was collected, up to white space or the end of a piece that is no word."""
        word = ""
        for piece in reversed(self._out):
            if piece:
                word = piece[-_WORD_END:] + word
                if len(word) >= _WORD_END or not word.isalnum():
                    break
        return word[-_WORD_END:]


_ACTIONS: dict[str, Callable[[Inline, etree._Element], None]] = {
    **dict.fromkeys(SKIPPED, Inline._skip),
    **dict.fromkeys(LIFTED, Inline._lift),
    **dict.fromkeys(_SPACED, Inline._add_spaced),
    **dict.fromkeys(_FORMULAS, Inline._add_formula),
    "disp-formula": Inline._add_display,
    "alternatives": Inline._add_alternatives,
    "sup": Inline._raise,
    "sub": Inline._lower,
    "xref": Inline._add_reference,
}


def inline_text(element: etree._Element | None, references: Container[str] = frozenset()) -> str:
    """Text of an element by the rules above; empty for none."""
    if element is None:
        return ""
    if len(element) == 0:
        return tidy(element.text or "")
    inline = Inline(references)
    inline.add_content(element)
    return inline.text()


def _following(element: etree._Element) -> str:
    """First character after the element, looking into the next sibling where no text stands between."""
    if element.tail:
        return str(element.tail[0])
    sibling = element.getnext()
    return next((text[0] for text in texts(sibling) if text), "") if sibling is not None else ""


def _is_beside_citation(element: etree._Element, references: Container[str]) -> bool:
    def cites(neighbour: etree._Element | None) -> bool:
        return (
            neighbour is not None
            and neighbour.tag == "xref"
            and (neighbour.get("ref-type") == "bibr" or neighbour.get("rid") in references)
        )

    before = element.getprevious()
    return (not element.tail and cites(element.getnext())) or (
        before is not None and not before.tail and cites(before)
    )
