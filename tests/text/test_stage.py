import polars as pl
import pytest

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.settings import load_settings
from kg_pipeline.text.stage import build_chunks

DOCUMENT = {
    "article_id": "PMC1", "version": 1, "title": "Zinc", "journal": "", "article_type": "research-article", "language": "en",
    "license_class": "redistributable", "text": "Zinc\n\nResults\n\nZinc lowers IL-6 (Fig. 1). It rose in mice.",
    "sections": [
        {"path": ["Title"], "kind": "title", "start": 0, "end": 4},
        {"path": ["Results", "Mice"], "kind": "body", "start": 6, "end": 58},
    ],
    "paragraphs": [
        {"kind": "title", "section": 0, "start": 0, "end": 4, "citations": []},
        {"kind": "heading", "section": 1, "start": 6, "end": 13, "citations": []},
        {"kind": "paragraph", "section": 1, "start": 15, "end": 58, "citations": []},
    ],
    "glossary": [], "tables": [], "formulas": 0, "pmcid": "PMC1", "pmid": None, "doi": None, "year": None,
}  # fmt: skip


@pytest.fixture
def datasets(tmp_path):
    datasets = Datasets(tmp_path)
    status = {
        "article_id": "PMC1",
        "input_digest": "x",
        "status": "ok",
        "reason": "",
        "rows": 1,
        "rejected": 0,
    }
    datasets.write("documents", "test", pl.DataFrame([DOCUMENT], infer_schema_length=None), "00")
    datasets.write("documents.status", "test", pl.DataFrame([status]), "00")
    return datasets


def test_chunks_hold_sentences_and_their_section(datasets, tmp_path):
    spec = CorpusSpec(name="test", source="unused")
    settings = load_settings({"KG_HOME": str(tmp_path)})
    report = build_chunks(datasets, spec, "00", settings)
    assert (report.computed, report.failed, report.rows) == (1, 0, 2)
    title, results = datasets.read("chunks", "test", "00").iter_rows(named=True)
    assert (title["chunk_id"], title["section_kind"], title["text"]) == ("PMC1:c0", "title", "Zinc")
    assert results["section_path"] == "Results > Mice"
    assert results["text"] == DOCUMENT["text"][6:58]
    texts = [DOCUMENT["text"][span["start"] : span["end"]] for span in results["sentences"]]
    assert texts == ["Results", "Zinc lowers IL-6 (Fig. 1).", "It rose in mice."]


def test_settings_of_the_corpus_recompute_chunks(datasets, tmp_path):
    settings = load_settings({"KG_HOME": str(tmp_path)})
    spec = CorpusSpec(name="test", source="unused")
    build_chunks(datasets, spec, "00", settings)
    assert build_chunks(datasets, spec, "00", settings).computed == 0
    assert build_chunks(datasets, spec.model_copy(update={"chunk_tokens": 100}), "00", settings).computed == 1
