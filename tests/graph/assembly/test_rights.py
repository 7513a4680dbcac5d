"""What a version holds of articles whose licence does not let it hold all, and that it says so."""

from __future__ import annotations

import polars as pl
import pytest

from kg_pipeline.errors import CorpusError
from kg_pipeline.graph import layout
from kg_pipeline.graph.snapshot.reader import SnapshotReader
from kg_pipeline.graph.versions.verify import verify_version
from kg_pipeline.rights import RightsPolicy

OPEN, CLOSED = "PMC1", "PMC2"
STATEMENTS = {
    OPEN: [("TNF", "increases", "IL6")],
    CLOSED: [("CRP", "increases", "JAK2"), ("IL6", "binds", "CRP")],
}


@pytest.fixture
def assembled(workplace):
    """Assemble the version of two articles, the second of this licence class, under this policy."""
    workplace.write(STATEMENTS)

    def assemble(license_class="unknown", **rights):
        documents = workplace.datasets.scan("documents", "tiny").collect()
        for shard in workplace.datasets.shards("documents", "tiny"):
            workplace.datasets.path("documents", "tiny", shard).unlink()
        classes = pl.when(article_id=CLOSED).then(pl.lit(license_class)).otherwise("license_class")
        workplace.datasets.write("documents", "tiny", documents.with_columns(license_class=classes), "00")
        return workplace.folder(workplace.assemble(rights=rights))

    return assemble


def column(folder, table, name, article):
    frame = layout.open_frame(folder, table)
    return frame.filter(article_id=article)[name].to_list()


@pytest.mark.parametrize("license_class", ["unknown", "mining_only", "non_commercial", "never heard of"])
def test_by_default_only_open_licences_keep_their_text(assembled, license_class):
    folder = assembled(license_class)
    assert verify_version(folder) == []
    assert all(column(folder, "documents", "text", OPEN) + column(folder, "chunks", "text", OPEN))
    assert not any(column(folder, "documents", "text", CLOSED) + column(folder, "chunks", "text", CLOSED))
    assert all(column(folder, "evidence", "quote", CLOSED))
    assert b"CRP increases" not in (layout.table_path(folder, "chunks")).read_bytes()


def test_edges_keep_places_and_no_sentence(assembled):
    folder = assembled(unknown="edges")
    assert verify_version(folder) == []
    assert column(folder, "evidence", "quote", CLOSED) == ["", ""]
    assert all(
        end > start
        for start, end in zip(
            column(folder, "evidence", "start", CLOSED),
            column(folder, "evidence", "end", CLOSED),
            strict=True,
        )
    )
    assert all(column(folder, "evidence", "quote", OPEN))
    relations = layout.open_frame(folder, "relations")
    assert relations["n_evidence"].to_list() == [1, 1, 1]


def test_a_withheld_text_is_found_neither_by_words_nor_by_vectors(assembled, workplace):
    reader = SnapshotReader(assembled(unknown="edges"))
    vector = workplace.embedder.embed(["CRP increases JAK2"])[0]
    found = [*reader.search_text("chunk", "JAK2", 9), *reader.nearest("chunk", vector, 9)]
    assert {chunk.article_id for chunk in reader.chunks([hit.id for hit in found])} == {OPEN}
    assert reader.find_entities("JAK2")


def test_the_policy_is_part_of_the_version(assembled):
    kept, withheld = assembled(unknown="text"), assembled(unknown="quote")
    assert kept != withheld
    assert all(column(kept, "documents", "text", CLOSED))
    assert assembled(unknown="text") == kept


def test_a_version_that_holds_more_than_its_policy_does_not_verify(assembled, workplace, monkeypatch):
    monkeypatch.setattr(
        "kg_pipeline.graph.assembly.rights.LicensedTables.under", lambda tables, rights: tables
    )
    problems = {(problem.rule, problem.where) for problem in verify_version(assembled(unknown="edges"))}
    assert problems == {("rights", "documents"), ("rights", "chunks"), ("rights", "evidence")}


def test_a_policy_survives_its_manifest():
    policy = RightsPolicy(unknown="skip", mining_only="edges")
    assert RightsPolicy.parse(policy.model_dump()) == policy
    assert RightsPolicy.parse("").level("unknown") == "text"
    assert policy.level("never heard of") == "skip"


def test_a_level_that_there_is_not_is_told(tmp_path):
    from kg_pipeline.corpora import load_corpora

    path = tmp_path / "corpora.toml"
    path.write_text('[lupus]\nsource = "x"\nrights = { unknown = "everything" }\n')
    with pytest.raises(
        CorpusError, match=r"rights\.unknown = 'everything'.*'text', 'quote', 'edges' or 'skip'"
    ):
        load_corpora(path)
    path.write_text('[lupus]\nsource = "x"\nrights = { unknown = "skip" }\n')
    assert load_corpora(path)["lupus"].rights.unknown == "skip"
