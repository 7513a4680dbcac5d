from __future__ import annotations

import pytest

from kg_pipeline.errors import MalformedError
from kg_pipeline.extraction.annotations.identifiers import article_of
from kg_pipeline.extraction.annotations.records import ArticleReference, BroughtRelation, Record, Unreadable
from kg_pipeline.extraction.annotations.table import looks_like_table, read_table

HEADER = "pmid\tHead\tpredicate\ttail\tquote\thead_id\thead_type\tnegated\tconfidence\tsource\tremark"


def read(*lines: str | None) -> list[Record]:
    return list(read_table((f"line {number}", line) for number, line in enumerate(lines, 1)))


def test_two_articles_in_one_row_are_none() -> None:
    assert article_of("PMC1", "PMID:7", "10.1234/x") == ArticleReference("PMC1", "7", "10.1234/x")
    assert article_of("10.1234/X", "10.1234/x") == ArticleReference(doi="10.1234/X")
    assert not article_of("PMC1", "PMC2")
    assert not article_of("PMC1", "PMID:7", "PMID:8")


def test_a_line_is_a_relation_with_what_its_columns_say() -> None:
    (found,) = read(HEADER, '9\tgold\ttreats\trheuma\tA "gold" salt.\tD006046\tChemical\tyes\t0.5\tus\tx')
    assert isinstance(found, BroughtRelation)
    assert (found.article.pmid, found.relation, found.source) == ("9", "treats", "us")
    assert (found.head.names, found.head.identifiers) == (("gold",), ("MESH:D006046",))
    assert (found.quotes, found.is_quoted) == (('A "gold" salt.',), True)
    assert (found.negated, found.speculative, found.score) == (True, False, 0.5)


@pytest.mark.parametrize(
    ("reference", "key"),
    [
        ("PMC0012.2", "PMC12"),
        ("12", "PMID:12"),
        ("PMID: 12", "PMID:12"),
        ("https://doi.org/10.5555/X.y", "DOI:10.5555/x.y"),
        ("FILE:a.xml", "FILE:a.xml"),
    ],
)
def test_articles_are_named_by_any_identifier(reference: str, key: str) -> None:
    (found,) = read("article\thead\tpredicate\ttail", f"{reference}\ta\ttreats\tb")
    assert isinstance(found, BroughtRelation)
    assert found.article.keys == (key,)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("\tgold\ttreats\trheuma", "no_article"),
        ("x\tgold\ttreats\trheuma", "no_article"),
        ("9\t\ttreats\trheuma", "malformed"),
        ("9\tgold\t\trheuma", "malformed"),
        ("9\tgold\ttreats", "malformed"),
        ("9\tgold\ttreats\trheuma\t\t\t\tperhaps", "malformed"),
        ("9\tgold\ttreats\trheuma\t\t\t\t\tnan", "malformed"),
        ("9\tgold\ttreats\trheuma\t\t\t\t\t7", "malformed"),
        ("9\tgold\ttreats\trheuma" + "\tx" * 20, "malformed"),
        (None, "not_text"),
    ],
    ids=[
        "no article", "no number", "no head", "no predicate", "cut off", "a flag that is none", "no number of a score",
        "a score beyond one", "more cells than columns", "not text",
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_read_is_told_and_the_next_one_is_read(line: str | None, reason: str) -> None:
    bad, good = read(HEADER, line, "9\tgold\ttreats\trheuma")
    assert bad == Unreadable(reason, "line 2")
    assert isinstance(good, BroughtRelation)


@pytest.mark.parametrize("header", ["head\ttail\tpmid", "head\tpredicate\ttail", "pmid\tpredicate\ttail"])
def test_a_header_that_lacks_a_column_says_which(header: str) -> None:
    assert looks_like_table(header)
    with pytest.raises(MalformedError, match=r"lacks the column (predicate|article|head)"):
        read(header, "1\t2\t3")
