"""CRAFT: how an annotation is found again in our text, and what of the real ones is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kg_pipeline.evaluation.craft import Annotation, CraftArticle, borders_found, read_craft, survival
from kg_pipeline.pmc.jats.parser import parse_article
from kg_pipeline.schema import UNREAD_SECTIONS
from kg_pipeline.text.sentences import load_splitter

XML = b"""<article><front/><body><p>Zinc lowers <italic>Il6</italic><sup>Cre</sup> in mice <xref ref-type="bibr" rid="b">1</xref>.</p>
<p>TNF rose in liver and kidney.</p></body><back><ack><p>We thank the mouse house.</p></ack></back></article>"""
TEXT = "TNF rose in liver and kidney.\n\nZinc lowers Il6Cre in mice [1].\n\nWe thank the mouse house.\n\nLost: a rat."


def gold(*spans: tuple[tuple[int, int], ...]) -> CraftArticle:
    return CraftArticle("1", "PMC1", XML, TEXT, tuple(Annotation("X", one, "X:1") for one in spans))


def span(word: str) -> tuple[int, int]:
    return TEXT.index(word), TEXT.index(word) + len(word)


def test_annotations_are_found_where_they_stand_whatever_the_order() -> None:
    result = survival(
        gold(
            (span("TNF"),), (span("Il6"),), (span("liver"), span("kidney")), (span("mouse"),), (span("rat"),)
        ),
        parse_article(XML),
        UNREAD_SECTIONS,
    )
    assert [one.spans for one in result.lost] == [(span("rat"),)]
    assert (result.annotations, result.not_read) == (5, 1)
    assert 0 < result.characters_kept < result.characters


def test_an_annotation_whose_characters_differ_is_lost() -> None:
    changed = XML.replace(b"Il6", b"Il-6")
    result = survival(gold((span("Il6"),), (span("mice"),)), parse_article(changed), UNREAD_SECTIONS)
    assert [one.spans for one in result.lost] == [(span("Il6"),)]


def test_borders_are_counted_inside_paragraphs() -> None:
    text = "It rose. See Fig. 2. It fell.\n\nThe end."
    found = borders_found(text, {0, 9, 18, text.index("It fell"), text.index("The end")}, {18})
    assert (found.right, found.wrong, found.missed) == (2, 1, 0)
    assert borders_found(text, {0}, {18}).missed == 2


@pytest.mark.shared
def test_the_annotations_of_craft_survive_with_their_offsets(shared: Path) -> None:
    folder = shared / "data" / "craft"
    lost = total = 0
    for article in read_craft(folder / "dev", folder / "index.tsv"):
        result = survival(article, parse_article(article.xml), UNREAD_SECTIONS)
        lost, total = lost + len(result.lost), total + result.annotations
    assert total > 5000
    assert lost / total <= 0.005


@pytest.mark.shared
def test_sentences_of_craft(shared: Path) -> None:
    stops = Path(__file__).parents[2] / "benchmarks" / "craft_full_stops.json"
    inside = json.loads(stops.read_text(encoding="utf-8"))["articles"]
    folder = shared / "data" / "craft"
    right = wrong = missed = 0
    for article in read_craft(folder / "dev", folder / "index.tsv"):
        starts = {start for start, _ in load_splitter().split(article.text)}
        found = borders_found(article.text, starts, frozenset(inside.get(article.pmid, ())))
        right, wrong, missed = right + found.right, wrong + found.wrong, missed + found.missed
    assert right / (right + wrong) >= 0.99
    assert right / (right + missed) >= 0.99
