from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kg_pipeline.corpora import CorpusSpec, load_corpora
from kg_pipeline.datasets import Datasets, empty_frame
from kg_pipeline.errors import CorpusError
from kg_pipeline.extraction.annotations.stage import annotations_digest, bring_annotations, last_report
from kg_pipeline.extraction.triples.stage import build_triples
from kg_pipeline.incremental import StageReport
from kg_pipeline.object_store import open_store
from kg_pipeline.settings import Settings, load_settings
from tests.extraction.stage_inputs import SHARD, write_inputs

NAMES = {"Colchicine": "biolink:ChemicalEntity", "gout": "biolink:Disease", "CD": "biolink:Disease"}
TEXTS = {
    "PMC1": "Colchicine and gout were studied. Colchicine was given for CD.",
    "PMC2": "Colchicine and gout were seen. Nothing more was noted.",
}
HEADER = "article\thead\tpredicate\ttail\tquote\ttail_id\n"
OF_FIRST = "PMC1\tcolchicine\ttreats\tgout\tColchicine and gout were studied.\t\n"
OF_SECOND = "PMC2\tcolchicine\ttreats\tgout\tColchicine and gout were seen.\t\n"


@pytest.fixture
def datasets(tmp_path: Path) -> Datasets:
    """Two articles of two sentences; `CD` may be one of two concepts."""
    made = Datasets(tmp_path / "datasets")
    documents, chunks, mentions = [], [], []
    for article, text in TEXTS.items():
        middle = text.index(". ") + 1
        documents.append(
            {
                "article_id": article, "version": 1, "pmcid": article, "pmid": article[3:], "doi": f"10.5555/{article}",
                "title": "", "journal": "", "year": 2020, "article_type": "", "language": "en",
                "license_class": "unknown", "text": text, "sections": [], "paragraphs": [], "glossary": [],
                "tables": [], "formulas": 0,
            }
        )  # fmt: skip
        chunks.append(
            {
                "article_id": article, "chunk_id": f"{article}:c0", "ordinal": 0, "section_path": "Abstract",
                "section_kind": "abstract", "start": 0, "end": len(text), "text": text, "n_tokens": 20,
                "sentences": [{"start": 0, "end": middle}, {"start": middle + 1, "end": len(text)}],
            }
        )  # fmt: skip
        mentions += [mention(article, text, name) for name in NAMES if name in text]
    tables = {"documents": documents, "chunks": chunks, "mentions": mentions}
    write_inputs(made, TEXTS, tables)
    return made


def mention(article: str, text: str, name: str) -> dict[str, Any]:
    at = text.index(name)
    may_be = [
        {"concept_id": c, "name": name, "category": NAMES[name], "score": 0.9}
        for c in ("C0000001", "C0000002")
    ]
    return {
        "article_id": article, "mention_id": f"{article}:{at}-{at + len(name)}", "start": at, "end": at + len(name),
        "text": name, "normal_form": name, "category": NAMES[name], "concept_id": None,
        "candidates": may_be if name == "CD" else [], "source": "vocabulary",
    }  # fmt: skip


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings({"KG_HOME": str(tmp_path), "KG_SHARDS": "1"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "annotations"
    made.mkdir()
    return made


def spec(*annotations: Path) -> CorpusSpec:
    return CorpusSpec(name="c", source=".", annotations=tuple(map(str, annotations)))


def build(datasets: Datasets, settings: Settings, *annotations: Path) -> StageReport:
    bring_annotations(datasets, spec(*annotations), settings)
    return build_triples(datasets, spec(*annotations), SHARD, settings)


def tables(datasets: Datasets) -> Mapping[str, bytes]:
    names = ("triples", "triple_mentions", "rejects", "triples.status")
    return {name: datasets.path(name, "c", SHARD).read_bytes() for name in names}


def brought(datasets: Datasets, name: str = "triples") -> list[dict[str, Any]]:
    rows = datasets.read(name, "c", SHARD).to_dicts()
    return [row for row in rows if row["extractor"].startswith("annotation:")]


def test_only_the_articles_that_annotations_speak_of_are_read_again(
    datasets: Datasets, settings: Settings, folder: Path
) -> None:
    assert build(datasets, settings).computed == 2
    without = tables(datasets)
    (folder / "a.tsv").write_text(HEADER + OF_FIRST)
    assert (build(datasets, settings, folder).computed, build(datasets, settings, folder).computed) == (1, 0)
    (row,) = brought(datasets)
    assert (row["article_id"], row["predicate"], row["extractor"]) == (
        "PMC1",
        "associated_with",
        "annotation:table",
    )  # the sentence has no word for what the table says
    assert TEXTS["PMC1"][row["start"] : row["end"]] == row["quote"]
    first = tables(datasets)

    (folder / "b.tsv").write_text(HEADER + OF_SECOND)
    report = build(datasets, settings, folder)
    assert (report.computed, len(brought(datasets))) == (1, 2)
    (folder / "b.tsv").unlink()
    assert build(datasets, settings, folder).computed == 1
    assert tables(datasets) == first
    assert build(datasets, settings).computed == 1, "the option is gone"
    assert tables(datasets) == without


def test_names_and_order_of_files_do_not_matter(datasets: Datasets, settings: Settings, folder: Path) -> None:
    (folder / "a.tsv").write_text(HEADER + OF_FIRST + OF_SECOND)
    build(datasets, settings, folder)
    before, digest = tables(datasets), annotations_digest(spec(folder))
    (folder / "a.tsv").rename(folder / "z.tsv")
    assert annotations_digest(spec(folder)) == digest
    (folder / "b.tsv").write_text(HEADER + OF_SECOND)
    (folder / "z.tsv").write_text(HEADER + OF_FIRST)
    assert build(datasets, settings, folder).computed == 0
    assert tables(datasets) == before


def test_what_is_said_twice_counts_once_and_two_sources_count_twice(
    datasets: Datasets, settings: Settings, folder: Path
) -> None:
    statement = {
        "type": "Inhibition",
        "subj": {"name": "colchicine"},
        "obj": {"name": "gout"},
        "evidence": [{"source_api": "reach", "pmid": "1", "text": "Colchicine and gout were studied."}],
    }
    (folder / "a.tsv").write_text(HEADER + OF_FIRST + OF_FIRST)
    (folder / "b.json").write_text(json.dumps([statement, statement]))
    build(datasets, settings, folder)
    assert {row["extractor"] for row in brought(datasets)} == {"annotation:table", "annotation:INDRA/reach"}
    report = last_report(datasets, spec(folder))
    assert report is not None
    assert (report.records, report.distinct, report.repeated) == (4, 2, 2)


def test_every_record_is_accounted_for(datasets: Datasets, settings: Settings, folder: Path) -> None:
    (folder / "a.tsv").write_text(
        HEADER
        + OF_FIRST
        + "PMC77\tcolchicine\ttreats\tgout\t\t\n"
        + "\tcolchicine\ttreats\tgout\t\t\n"
        + "PMC2\tcolchicine\ttreats\tgout\tNobody wrote this.\t\n"
    )
    (folder / "b.tsv").write_text("article\tpmid\thead\tpredicate\ttail\nPMC1\t2\tcolchicine\ttreats\tgout\n")
    (folder / "note.txt").write_text("What these files are.")
    build(datasets, settings, folder)
    report = last_report(datasets, spec(folder))
    assert report is not None
    assert report.left_out == {"contradictory_article": 1, "no_article": 1, "not_in_corpus": 1}
    assert report.files[0].examples == {"no_article": "line 4"}
    assert report.problems == [
        "note.txt: it is of no format that is known: PubTator, BioC (JSON or XML), INDRA JSON, or a tab-separated table "
        "with a header."
    ]
    (rejected,) = brought(datasets, "rejects")
    assert (rejected["reason"], rejected["article_id"]) == ("quote_not_found", "PMC2")
    assert rejected["detail"].endswith("Nobody wrote this. (a.tsv, line 5)")


def test_an_identifier_settles_an_open_mention_unless_two_records_disagree(
    datasets: Datasets, settings: Settings, folder: Path
) -> None:
    row = "PMC1\tcolchicine\ttreats\tCD\tColchicine was given for CD.\t{}\n"
    (folder / "a.tsv").write_text(HEADER + row.format("C0000001"))
    build(datasets, settings, folder)
    settled = datasets.read("triple_mentions", "c", SHARD).filter(text="CD")
    assert settled["concept_id"].to_list() == ["C0000001"]
    assert settled["mention_id"].to_list() == [mention("PMC1", TEXTS["PMC1"], "CD")["mention_id"]]
    (folder / "a.tsv").write_text(HEADER + row.format("C0000001") + row.format("C0000002"))
    build(datasets, settings, folder)
    assert datasets.read("triple_mentions", "c", SHARD).filter(text="CD").is_empty()


def test_annotations_lie_beside_the_corpora_file_and_change_no_version_by_where(tmp_path: Path) -> None:
    path = tmp_path / "corpora.toml"
    path.write_text('[a]\nsource = "x"\nannotations = ["y", "/z"]\n[b]\nquery = "q"\nannotations = ["y"]\n')
    found = load_corpora(path)
    assert found["a"].annotations == (str(tmp_path / "y"), "/z")
    assert found["b"].annotations == (str(tmp_path / "y"),)
    assert "annotations" not in found["a"].model_dump()
    with pytest.raises(CorpusError, match="do not exist"):
        annotations_digest(found["a"])


def test_a_run_that_is_killed_while_it_writes_leaves_nothing_that_passes_for_whole(
    datasets: Datasets, settings: Settings, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.tsv").write_text(HEADER + OF_FIRST)
    build(datasets, settings, folder)
    before = tables(datasets)
    (folder / "a.tsv").write_text(HEADER)

    def killed(*_: object, **__: object) -> int:
        datasets.write("annotations", "c", empty_frame("annotations"), SHARD)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("kg_pipeline.extraction.annotations.stage._write", killed)
        with pytest.raises(KeyboardInterrupt):
            bring_annotations(datasets, spec(folder), settings)
    (folder / "a.tsv").write_text(HEADER + OF_FIRST)
    build(datasets, settings, folder)
    assert tables(datasets) == before
    assert brought(datasets)


def test_a_source_that_is_next_to_sure_to_be_wrong_still_gives_a_confidence(
    datasets: Datasets, settings: Settings, folder: Path
) -> None:
    header, row = HEADER.rstrip("\n") + "\tconfidence\n", OF_FIRST.rstrip("\n") + "\t0.0000001\n"
    (folder / "a.tsv").write_text(header + row)
    build(datasets, settings, folder)
    (found,) = brought(datasets)
    assert found["confidence"] == pytest.approx(0.01)


def test_what_files_gave_is_kept_where_the_tables_are(
    datasets: Datasets, settings: Settings, folder: Path, tmp_path: Path
) -> None:
    store = open_store((tmp_path / "store").as_uri())
    shared = Datasets(tmp_path / "one", store)
    for name in ("documents", "chunks", "mentions"):
        shared.write(name, "c", datasets.read(name, "c", SHARD), SHARD)
    (folder / "a.tsv").write_text(HEADER + OF_FIRST)
    made = bring_annotations(shared, spec(folder), settings)
    assert made is not None
    assert last_report(Datasets(tmp_path / "other", store), spec(folder)) == made
