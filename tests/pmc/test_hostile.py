"""Articles made to take time or memory: each is read within bounds, or refused with a reason."""

import gc
import time

import pytest

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.errors import MalformedError
from kg_pipeline.pmc.jats.parser import parse_article
from kg_pipeline.pmc.stage import list_articles
from kg_pipeline.settings import load_settings

CITATION = '<xref ref-type="bibr" rid="r1">1</xref>'


def body(content: str) -> bytes:
    return f"<article><front/><body>{content}</body></article>".encode()


def seconds(content: str) -> float:
    """Processor time of the fastest of three readings: what slows one down is not the text."""

    def once() -> float:
        started = time.process_time()
        parse_article(body(content))
        return time.process_time() - started

    gc.collect()
    gc.disable()
    try:
        return min(once() for _ in range(3))
    finally:
        gc.enable()


@pytest.mark.parametrize(
    "content",
    [
        f"a{CITATION},",
        f"(a {CITATION}",
        f"[{CITATION}]",
        "a<sup>1</sup>",
        "<fig><label>F</label><caption><p>x</p></caption></fig>",
        "&#8201; ",
    ],
)
def test_time_grows_with_the_length_of_a_paragraph(content):
    short, long = seconds(f"<p>{content * 1_000}</p>"), seconds(f"<p>{content * 10_000}</p>")
    assert long < 25 * short + 0.2


def test_brackets_in_brackets_need_no_stack():
    article = parse_article(body(f"<p>Zinc {'(' * 5_000}{CITATION}{')' * 5_000} rose.</p>"))
    assert article.text == "Zinc rose."


@pytest.mark.parametrize(
    "table",
    [
        "<tr>" + "<td>1</td>" * 512 + "</tr>" + "<tr/>" * 100_000,
        "<tr><td rowspan='99999999' colspan='512'>1</td></tr>" * 2_000,
        ("<tr>" + "<td>1</td>" * 100 + "</tr>") * 3_000,
    ],
)
def test_a_huge_table_is_cut(table):
    article = parse_article(body(f"<table-wrap><table>{table}</table></table-wrap><p>After.</p>"))
    (read,) = article.tables
    assert 0 < sum(map(len, read.cells)) <= 200_000
    assert article.text.startswith("After.")


@pytest.mark.parametrize("name", ["sec", "italic", "fig", "list"])
def test_what_is_nested_too_deep_is_malformed(name):
    with pytest.raises(MalformedError, match="depth"):
        parse_article(body(f"<p>{f'<{name}>' * 100_000}{f'</{name}>' * 100_000}</p>"))


def test_what_is_nested_just_deep_enough_is_read():
    names = ("sec", "list", "list-item", "disp-quote", "boxed-text", "fig", "table-wrap")
    for name in names:
        parse_article(body(f"{f'<{name}>' * 240}<p>x</p>{f'</{name}>' * 240}"))


def test_equal_ids_do_no_harm():
    article = parse_article(body("".join(f"<p id='a'>Paragraph {n}.</p>" for n in range(1000))))
    assert len(article.paragraphs) == 1000


def test_each_hostile_file_is_a_row_with_a_reason(tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "good.xml").write_bytes(body("<p>Zinc rose.</p>"))
    (folder / "deep.xml").write_bytes(body("<sec>" * 100_000 + "</sec>" * 100_000))
    (folder / "mixed.xml").write_bytes(body("<p>\u00e9</p>") + b"\xe9\xff\x00")
    (folder / "wrong.xml").write_bytes(b'<?xml version="1.0" encoding="utf-16"?><article/>')
    (folder / "bomb.xml").write_bytes(
        b'<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><article>&b;</article>'
    )
    (folder / "word.xml").write_bytes(body(f"<p>{'a' * 10_000_001}</p>"))
    listing = list_articles(
        Datasets(tmp_path), CorpusSpec(name="test", source=str(folder)), load_settings({})
    )
    rows = {row["source_ref"]: row for row in listing.rows}
    assert rows.pop("good.xml")["status"] == "ok"
    assert {row["status"] for row in rows.values()} == {"malformed"}
    assert all(len(row["reason"]) > 10 for row in rows.values())
