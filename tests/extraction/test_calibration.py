"""Confidences of offline triples, from what a reader promises to what the table of triples says."""

from __future__ import annotations

import pytest

from kg_pipeline.extraction.relation_model.calibration import calibrated, load_scales
from kg_pipeline.extraction.rules.table_patterns import CONFIDENCE as CELL_CONFIDENCE
from kg_pipeline.extraction.rules.triples import extract
from kg_pipeline.extraction.syntax.sentence_parser import load_parser
from kg_pipeline.extraction.triples.inputs import ArticleInput
from kg_pipeline.extraction.triples.offline_reading import read_article
from kg_pipeline.extraction.triples.rows import ChunkSpan
from tests.extraction.marked import MODEL, sentence_of


def article(marked: str, section_kind: str) -> ArticleInput:
    sentence = sentence_of(marked)
    span = (0, len(sentence.text))
    chunk = ChunkSpan("A:c0", *span, section_kind)
    return ArticleInput("A", "", sentence.text, (chunk,), ((span,),), sentence.mentions)


def test_a_triple_has_the_confidence_that_holds_and_not_what_its_pattern_promises() -> None:
    marked = "[Aspirin|c] inhibits [COX-1|g]."
    (promised,) = extract(load_parser(MODEL), [sentence_of(marked)])
    (told,) = read_article(load_parser(MODEL), article(marked, "body")).rules
    assert told.confidence == load_scales()["rules"].of(promised.confidence) != promised.confidence
    assert calibrated("rules", [promised]) == [told]


def test_rows_of_tables_have_no_scale() -> None:
    marked = "Table 2, [Rituximab|c]: Target [CD20|g]."
    (told,) = read_article(load_parser(MODEL), article(marked, "table")).rules
    assert told.confidence == pytest.approx(CELL_CONFIDENCE)
