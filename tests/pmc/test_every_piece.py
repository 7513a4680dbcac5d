"""On real articles, piece by piece: every text node becomes a word of its own, and each word comes out exactly once.

What is left out, or said again, is what the rules below name; the parser documents the same ones.
"""

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from lxml import etree

from kg_pipeline.pmc.jats.article import Article
from kg_pipeline.pmc.jats.parser import Found, parse_article, read_articles
from kg_pipeline.pmc.jats.xml import local_name, parse_xml

pytestmark = pytest.mark.shared

#: Texts of other kinds than the article's own: other articles, references, ids, rights, descriptions of files and people.
OTHER_TEXTS = {
    "ref-list", "sub-article", "response", "object-id", "alt-text", "long-desc", "permissions", "graphic", "bio",
    "related-object", "related-article", "treatment-meta", "processing-meta", "tex-math", "inline-media",
}  # fmt: skip
#: Marks of notes, and what a float is called; the latter is the title of its section.
MARKED = {"disp-formula", "fn", "fig", "table-wrap", "media", "supplementary-material", "sec", "app"}
NOTES = {"fn", "table-fn", "aff", "corresp", "author-notes", "contrib"}
READ = {"body", "back", "floats-group", "abstract"}


def word(number: int) -> str:
    """A word that no rule takes for a number, a mark or the name of an author list."""
    digits = []
    while number or len(digits) < 4:
        number, digit = divmod(number, 7)
        digits.append("bcdfghj"[digit])
    return f"q{''.join(digits)}q"


def number_pieces(root: etree._Element) -> Iterator[tuple[str, list[etree._Element], str]]:
    """Replace each text node by a word; gives the word, the elements around it from the inside, and what it was."""
    number = 0
    for element in root.iter():
        around = [element, *element.iterancestors()]
        for name, holders in (("text", around), ("tail", around[1:])):
            text = getattr(element, name)
            if text and re.search(r"[^\W_]", text):
                head, tail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
                setattr(element, name, f"{head}{word(number)}{tail}")
                yield word(number), holders, text
                number += 1


def is_left_out(holders: list[etree._Element]) -> bool:
    names = [local_name(element) for element in holders]
    if not READ.intersection(names) or OTHER_TEXTS.intersection(names):
        return True
    for element, name in zip(holders, names, strict=True):
        kind = element.get("ref-type") or ""
        if name == "xref" and (kind in NOTES or kind == "bibr" or not kind):
            return True  # a mark, or a citation: inside brackets those leave the text
        if name == "label" and (
            local_name(element.getparent()) in MARKED | {"abstract"}
            or element.getparent().find("title") is not None
        ):
            return True
        if name == "ext-link" and "supplementary-material" in names:
            return True
        if name == "title" and (
            local_name(element.getparent()) == "abstract"  # is the title of its section
            or (element.getparent().find(".//fig") is not None and "back" in names)  # of figures kept apart
        ):
            return True
    return False


def words_of(parsed: Article) -> tuple[Counter[str], set[str]]:
    """How often each word is in the running text, and those in tables."""
    kinds = ("table_row", "caption", "table_note")
    running = " ".join(parsed.text[p.start : p.end] for p in parsed.paragraphs if p.kind != kinds[0])
    cells = " ".join(text for table in parsed.tables for row in table.cells for text in row)
    expression = re.compile(r"q[b-j]{4,}q")
    return Counter(expression.findall(running)), set(expression.findall(cells))


def test_every_piece_of_text_comes_out_exactly_once(shared):
    compared = 0
    for path in sorted((shared / "data" / "pmc_jats" / "dev").iterdir()):
        for entry in read_articles(path.read_bytes()):
            assert isinstance(entry, Found)
            root = parse_xml(entry.data)
            pieces = list(number_pieces(root))
            running, in_tables = words_of(parse_article(etree.tostring(root)))
            for piece, holders, text in pieces:
                where = (path.name, "/".join(local_name(element) for element in reversed(holders)), text[:80])
                assert running[piece] <= 1, where
                if not is_left_out(holders):
                    compared += 1
                    assert running[piece] == 1 or piece in in_tables, where
    assert compared > 15_000
