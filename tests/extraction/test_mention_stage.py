from __future__ import annotations

from pathlib import Path

import pytest

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets, table_from_rows
from kg_pipeline.extraction.mentions.stage import build_mentions
from kg_pipeline.settings import Settings, load_settings

TEXT = "UVB harms skin. Lupus nephritis (LN) is severe. LN needs belimumab."
SPANS = [(0, 15), (16, 47), (48, 67)]


@pytest.fixture
def machine(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return load_settings({"KG_HOME": str(tmp_path_factory.getbasetemp() / "shared-vocabulary")})


def write_inputs(datasets: Datasets, texts: dict[str, str]) -> None:
    documents, chunks, statuses = [], [], []
    for article_id, text in texts.items():
        documents.append(
            {
                "article_id": article_id, "version": 1, "title": "t", "journal": "j", "article_type": "research-article",
                "language": "en", "license_class": "redistributable", "text": text, "sections": [], "paragraphs": [],
                "glossary": [], "tables": [], "formulas": 0,
            }
        )  # fmt: skip
        for ordinal, spans in enumerate((SPANS[:2], SPANS[1:])):
            start, end = spans[0][0], spans[-1][1]
            chunks.append(
                {
                    "article_id": article_id, "chunk_id": f"{article_id}:c{ordinal}", "ordinal": ordinal, "section_path": "",
                    "section_kind": "body", "start": start, "end": end, "text": text[start:end], "n_tokens": 9,
                    "sentences": [{"start": a, "end": b} for a, b in spans],
                }
            )  # fmt: skip
        statuses.append(
            {
                "article_id": article_id,
                "input_digest": text,
                "status": "ok",
                "reason": "",
                "rows": 2,
                "rejected": 0,
            }
        )
    datasets.write("documents", "c", table_from_rows("documents", documents), "00")
    datasets.write("chunks", "c", table_from_rows("chunks", chunks), "00")
    datasets.write("chunks.status", "c", table_from_rows("chunks.status", statuses), "00")


def test_build_mentions_reads_each_sentence_once_and_reuses_its_work(
    tmp_path: Path, machine: Settings
) -> None:
    datasets, spec = Datasets(tmp_path), CorpusSpec(name="c", source="x")
    write_inputs(datasets, {"PMC1": TEXT, "PMC2": TEXT})
    report = build_mentions(datasets, spec, "00", machine)
    assert (report.articles, report.computed, report.failed) == (2, 2, 0)
    mentions = datasets.read("mentions", "c", "00")
    rows = mentions.filter(article_id="PMC1").select("mention_id", "text", "normal_form", "concept_id").rows()
    assert ("PMC1:48-50", "LN", "Lupus nephritis", "C0024143") in rows
    assert [row[1] for row in rows] == ["UVB", "skin", "Lupus nephritis", "LN", "LN", "belimumab"]
    again = build_mentions(datasets, spec, "00", machine)
    assert (again.computed, again.reused, again.rows) == (0, 2, report.rows)


def test_an_article_that_leaves_takes_its_mentions_along(tmp_path: Path, machine: Settings) -> None:
    datasets, spec = Datasets(tmp_path), CorpusSpec(name="c", source="x")
    write_inputs(datasets, {"PMC1": TEXT})
    build_mentions(datasets, spec, "00", machine)
    alone = datasets.path("mentions", "c", "00").read_bytes()
    write_inputs(datasets, {"PMC1": TEXT, "PMC2": TEXT})
    build_mentions(datasets, spec, "00", machine)
    write_inputs(datasets, {"PMC1": TEXT})
    build_mentions(datasets, spec, "00", machine)
    assert datasets.path("mentions", "c", "00").read_bytes() == alone


def test_people_are_no_entities_of_a_graph(tmp_path: Path, machine: Settings) -> None:
    datasets, spec = Datasets(tmp_path), CorpusSpec(name="c", source="x")
    text = "Women got UVB. Lupus nephritis (LN) is severe. LN hurts patients"
    write_inputs(datasets, {"PMC1": text.ljust(len(TEXT), ".")})
    build_mentions(datasets, spec, "00", machine)
    found = set(datasets.read("mentions", "c", "00")["text"])
    assert "UVB" in found
    assert found.isdisjoint({"patients", "Women"})


def test_another_recogniser_makes_all_mentions_again(tmp_path: Path, machine: Settings) -> None:
    datasets, spec = Datasets(tmp_path), CorpusSpec(name="c", source="x")
    write_inputs(datasets, {"PMC1": TEXT})
    build_mentions(datasets, spec, "00", machine)
    report = build_mentions(datasets, spec, "00", machine.model_copy(update={"entity_model": "none"}))
    assert report.computed == 1
