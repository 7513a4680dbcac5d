"""Names that the vocabulary has for what a corpus speaks of, on small tables of mentions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets, table_from_rows
from kg_pipeline.normalization.remembered import Remembered
from kg_pipeline.normalization.stage import build_entities
from kg_pipeline.normalization.synonyms import build_synonyms
from kg_pipeline.settings import load_settings
from kg_pipeline.vocabulary.index.lookup import Vocabulary


def mention(vocabulary: Vocabulary, start: int, text: str) -> dict[str, Any]:
    best = vocabulary.lookup(text)[0]
    return {
        "article_id": "PMC1", "mention_id": f"PMC1:{start}-{start + len(text)}", "start": start, "end": start + len(text),
        "text": text, "normal_form": text, "category": best.category, "concept_id": best.concept_id, "source": "vocabulary",
        "candidates": [{"concept_id": best.concept_id, "name": text, "category": best.category, "score": best.score}],
    }  # fmt: skip


def chunk_of(text: str) -> dict[str, Any]:
    return {
        "article_id": "PMC1", "chunk_id": "PMC1:c0", "ordinal": 0, "section_path": "Results", "section_kind": "body",
        "start": 0, "end": len(text), "text": text, "n_tokens": 5, "sentences": [{"start": 0, "end": len(text)}],
    }  # fmt: skip


@pytest.fixture
def synonyms(tmp_path: Path, vocabulary: Vocabulary):
    def made(*texts: str, called: str = "", chunk: str = "") -> dict[str, str]:
        datasets = Datasets(tmp_path / "datasets")
        rows = [mention(vocabulary, 100 * number, text) for number, text in enumerate(texts)]
        if called:
            rows = [{**row, "text": called, "normal_form": called} for row in rows]
        datasets.write("mentions", "c", table_from_rows("mentions", rows), "00")
        datasets.write("chunks", "c", table_from_rows("chunks", [chunk_of(chunk)] if chunk else []), "00")
        build_entities(datasets, CorpusSpec(name="c", source="x"), load_settings({"KG_HOME": str(tmp_path)}))
        count = build_synonyms(datasets, "c", vocabulary, Remembered(tmp_path / "remembered"))
        found = datasets.read("synonyms", "c")
        assert found.height == count
        names = dict(datasets.read("entities", "c").select("entity_id", "name").iter_rows())
        return {name: names[entity_id] for entity_id, name in found.iter_rows()}

    return made


def test_a_name_that_no_article_uses_leads_to_the_entity_of_its_concept(synonyms) -> None:
    found = synonyms("small cell lung carcinoma", "acetaminophen")
    assert found["oat cell lung cancer"] == "small cell lung carcinoma"
    assert found["paracetamol"] == "acetaminophen"


def test_what_an_article_calls_an_entity_is_no_synonym_of_it_or_another(synonyms) -> None:
    found = synonyms("small cell lung carcinoma", "SCLC", "acetaminophen", "paracetamol")
    assert not {"SCLC", "small cell lung carcinoma", "paracetamol", "Paracetamol"} & set(found)


def test_a_word_that_articles_use_without_meaning_the_entity_is_none(synonyms) -> None:
    free = synonyms("small cell lung carcinoma", "acetaminophen")
    assert "paracetamol" in free
    said = synonyms("small cell lung carcinoma", "acetaminophen", chunk="No paracetamol was given.")
    assert "paracetamol" not in said
    assert "oat cell lung cancer" in said


def test_an_entity_that_none_of_its_concepts_names_names_has_no_synonyms(synonyms) -> None:
    assert synonyms("acetaminophen", called="the drug") == {}


def test_short_words_are_left_out_because_they_are_too_often_others(synonyms) -> None:
    found = synonyms("leukemia", "calcium", "interleukin-6", "small cell lung carcinoma")
    assert found
    assert not [name for name in found if name.isalpha() and len(name) < 6]


def test_each_synonym_reads_as_its_concept_alone(synonyms, vocabulary: Vocabulary) -> None:
    found = synonyms("lupus nephritis", "systemic lupus erythematosus", "hydroxychloroquine", "B cell")
    for name in found:
        best, *others = vocabulary.lookup(name)
        assert all(other.score < best.score for other in others)


def test_a_corpus_without_linked_mentions_has_none(synonyms) -> None:
    assert synonyms() == {}
