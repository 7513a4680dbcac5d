"""On real articles of many publishers: nothing a reader reads is lost or doubled, and bad files have a status."""

import re
from collections import Counter
from itertools import pairwise

import pytest
from lxml import etree

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.errors import StageError
from kg_pipeline.pmc.jats.inline import inline_text
from kg_pipeline.pmc.jats.parser import Found, parse_article, read_articles
from kg_pipeline.pmc.jats.sections import is_administrative
from kg_pipeline.pmc.jats.xml import parse_xml
from kg_pipeline.pmc.stage import list_articles
from kg_pipeline.settings import load_settings

pytestmark = pytest.mark.shared

OUTSIDE = {
    "fig", "table-wrap", "table", "boxed-text", "fn", "ref-list", "supplementary-material", "media", "inline-formula",
    "disp-formula", "glossary", "sub-article", "response", "back", "object-id", "kwd-group", "treatment-meta", "alternatives",
    "list", "def-list", "disp-quote", "permissions", "alt-text", "long-desc", "graphic",
}  # fmt: skip
NOTES = {"fn", "table-fn", "aff", "corresp", "author-notes"}


def letters(text: str) -> str:
    return re.sub(r"[\W\d_]", "", text)


def own_text(element: etree._Element) -> str:
    """Text of a paragraph written down independently of the parser: no floats, no citations, no note marks."""
    parts = [element.text or ""]
    for child in element:
        is_reference = child.tag == "xref" and child.get("ref-type") in {"bibr", *NOTES}
        if child.tag not in OUTSIDE and not is_reference:
            parts.append(own_text(child))
        parts.append(child.tail or "")
    return "".join(parts)


def is_read(paragraph: etree._Element) -> bool:
    """Whether the paragraph stands for itself in the body of the article."""
    for ancestor in paragraph.iterancestors():
        if ancestor.tag in OUTSIDE - {"list", "disp-quote", "boxed-text"} | {"p"} or (
            ancestor.tag == "sec" and is_administrative(ancestor, inline_text(ancestor.find("title")))
        ):
            return False
        if ancestor.tag == "sec" and "abbreviations" in (ancestor.findtext("title") or "").lower():
            return False
        if ancestor.tag == "body":
            return ancestor.getparent().tag == "article"
    return False


def has_rewritten_parts(paragraph: etree._Element) -> bool:
    """Whether rules of their own decide what stays: author-year citations, formulas, blocks inside the paragraph."""
    rewritten = {"list", "disp-quote", "inline-formula", "disp-formula"}
    return any(
        element.tag in rewritten
        or (
            element.tag == "xref"
            and element.get("ref-type") == "bibr"
            and letters("".join(element.itertext()))
        )
        for element in paragraph.iter()
    )


def articles(shared):
    for path in sorted((shared / "data" / "pmc_jats" / "dev").iterdir()):
        for entry in read_articles(path.read_bytes()):
            assert isinstance(entry, Found)
            yield path.name, entry.data


def test_every_paragraph_of_every_body_is_kept_once(shared):
    compared = 0
    for name, data in articles(shared):
        parsed = parse_article(data)
        kept = Counter(
            letters(parsed.text[p.start : p.end]) for p in parsed.paragraphs if p.kind != "table_row"
        )
        for paragraph in parse_xml(data).iter("p"):
            text = letters(own_text(paragraph))
            if not text or not is_read(paragraph) or has_rewritten_parts(paragraph):
                continue
            compared += 1
            # Words that only introduce a citation ("see 12") leave with it, so a short loss is allowed there.
            alike = [
                other
                for other in kept
                if other == text or (paragraph.find(".//xref") is not None and is_nearly(other, text))
            ]
            assert alike, (name, own_text(paragraph)[:300])
            assert kept[alike[0]] >= 1
            kept[alike[0]] -= 1
            if not kept[alike[0]]:
                del kept[alike[0]]
    assert compared > 1000


def is_nearly(kept: str, written: str) -> bool:
    return len(written) - 24 <= len(kept) <= len(written) and kept[:20] == written[:20]


def test_spans_are_exact_and_text_is_tidy(shared):
    for name, data in articles(shared):
        parsed = parse_article(data)
        assert "\n\n".join(parsed.text[p.start : p.end] for p in parsed.paragraphs) == parsed.text, name
        assert not re.search(
            r"[^\S \n]| {2}|\n{3}|[\u00ad\u200b\x01-\x03]|\\(?:begin|usepackage)", parsed.text
        ), name
        assert all(a.end < b.start for a, b in pairwise(parsed.sections)), name


def test_every_table_cell_is_in_its_grid(shared):
    for name, data in articles(shared):
        parsed = parse_article(data)
        grids = Counter(letters(text) for table in parsed.tables for row in table.cells for text in row)
        for cell in parse_xml(data).iterfind("body//table-wrap/table//td"):
            if cell.find(".//xref") is None and cell.find(".//inline-formula") is None:
                assert grids[letters(own_text(cell))], (name, own_text(cell))


def test_malformed_files_have_a_status_and_a_reason(shared, tmp_path):
    folder = shared / "data" / "pmc_jats" / "malformed"
    with pytest.raises(StageError, match="4 malformed"):
        list_articles(Datasets(tmp_path), CorpusSpec(name="test", source=str(folder)), load_settings({}))
    index = Datasets(tmp_path).read("article_index", "test")
    assert dict(index.group_by("status").len().iter_rows()) == {"malformed": 4, "no_body": 1}
    assert all(index["reason"])


def test_real_set_has_one_row_an_article(shared, tmp_path):
    spec = CorpusSpec(name="test", source=str(shared / "data" / "pmc_jats" / "dev"))
    index = list_articles(Datasets(tmp_path), spec, load_settings({})).frame()
    assert index.height == index["article_id"].n_unique() == 61
    counts = dict(index.group_by("status").len().iter_rows())
    assert counts["retracted"] == 2
    assert set(counts) <= {"ok", "no_body", "notice", "retracted"}
