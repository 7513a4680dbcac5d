"""Versions: what they hold, what they leave out, and that the same inputs make the same bytes."""

from __future__ import annotations

import shutil

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kg_pipeline.datasets import table_from_rows
from kg_pipeline.errors import GraphError
from kg_pipeline.fingerprint import short_digest
from kg_pipeline.graph import layout
from kg_pipeline.graph.versions.verify import verify_version
from kg_pipeline.inference import stage as inference


def content(folder):
    """Bytes of everything but the manifest, which names the parent."""
    return {name: path.read_bytes() for name, path in layout.version_files(folder)}


def ids(folder, name):
    return layout.open_table(folder, name).column(layout.TABLE_KEYS[name]).to_pylist()


def test_the_same_inputs_make_the_same_version_and_the_same_bytes(workplace, cytokines, inferred):
    folder = workplace.build(cytokines, inferred=inferred)
    before = content(folder)
    shutil.rmtree(folder)
    assert workplace.build(dict(reversed(cytokines.items())), inferred=inferred) == folder
    assert content(folder) == before
    assert verify_version(folder) == []


def test_three_builds_accumulate_nothing(workplace, cytokines):
    folder = workplace.build(cytokines)
    made = (folder / layout.MANIFEST).stat().st_mtime_ns
    for _ in range(2):
        assert workplace.build(cytokines) == folder
    assert (folder / layout.MANIFEST).stat().st_mtime_ns == made, "a version that exists is used again"
    assert len(ids(folder, "evidence")) == sum(map(len, cytokines.values()))


def test_a_removed_article_leaves_nothing_behind(workplace):
    shared = ("TNF", "increases", "IL6")
    first = workplace.build({"A1": [shared]})
    alone = content(first)
    both = workplace.build({"A1": [shared], "A2": [shared, ("IL6", "increases", "CRP")]})
    assert both != first
    assert "E:CRP" in ids(both, "entities")
    shutil.rmtree(first)
    again = workplace.build({"A1": [shared]})
    assert again == first
    assert content(again) == alone
    assert layout.open_table(again, "relations").column("n_evidence").to_pylist() == [1]
    for name in ("chunks", "mentions", "evidence", "documents"):
        assert layout.open_table(again, name).column("article_id").unique().to_pylist() == ["A1"]


names = st.sampled_from(["TNF", "IL6", "CRP", "JAK2", "sepsis"])
statements = st.tuples(names, st.sampled_from(["increases", "binds", "subclass_of"]), names)
articles = st.dictionaries(
    st.sampled_from(["A1", "A2", "B31", "PMC4", "PMC77"]),
    st.lists(statements, min_size=1, max_size=4),
    min_size=1,
)


#: One step of a corpus: an article comes in or is replaced, is retracted, or is deleted.
steps = st.tuples(
    st.sampled_from(["write", "write", "retract", "delete"]),
    st.sampled_from(["A1", "A2", "B31", "PMC4"]),
    st.lists(statements, min_size=1, max_size=4),
)


def replay(history):
    """Articles and retractions after a history; writing an article again takes a retraction back."""
    present, retracted = {}, set()
    for act, article, said in history:
        if act == "write":
            present[article] = said
            retracted.discard(article)
        elif act == "retract":
            retracted |= {article} & present.keys()
        else:
            present.pop(article, None)
            retracted.discard(article)
    return present, retracted


class NoConcepts:
    """A vocabulary without concepts."""

    def concept(self, concept_id):
        return None

    def is_a(self, child, ancestor, max_depth=12):
        return False


@pytest.fixture
def build_inferring(workplace, monkeypatch):
    """Write a corpus, infer with the real stages, assemble."""
    monkeypatch.setattr(inference, "build_vocabulary", lambda settings: settings.cache)
    monkeypatch.setattr(inference, "open_vocabulary", lambda path: NoConcepts())

    def build(present, retracted):
        workplace.write(present, retracted=sorted(retracted))
        spec = workplace.spec()
        inference.build_transitive(workplace.datasets, spec)
        inference.build_lexical(workplace.datasets, spec, workplace.settings)
        return workplace.folder(workplace.assemble())

    return build


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=st.lists(steps, min_size=1, max_size=4), kept=articles)
def test_any_history_gives_what_a_fresh_build_of_its_outcome_gives(workplace, build_inferring, history, kept):
    """Build(A+B) - B equals Build(A), byte for byte, with inferred edges, over adding, updating, retracting, deleting."""
    last = ("write", *min(kept.items()))
    for length in range(1, len(history) + 2):
        present, retracted = replay([*history, last][:length])
        if present.keys() - retracted:
            folder = build_inferring(present, retracted)
    assert verify_version(folder) == []
    after = content(folder)
    shutil.rmtree(workplace.settings.home / "graphs")
    shutil.rmtree(workplace.settings.datasets)
    assert build_inferring(present, retracted) == folder
    assert content(folder) == after
    if retracted:
        # A retracted article leaves nothing but its absence: of all that is stated or follows, only what others say.
        others = {article: said for article, said in present.items() if article not in retracted}
        plain = build_inferring(others, [])
        for name in ("documents", "chunks", "mentions", "entities", "evidence", "names"):
            assert ids(plain, name) == ids(folder, name)
        held = layout.open_frame(folder, "relations").filter(pl.col("kind").is_in(["asserted", "transitive"]))
        assert set(held["relation_id"]) <= set(ids(plain, "relations"))


@pytest.mark.parametrize(
    "change",
    [{"chunk_tokens": 100}, {"inference": "egot"}, {"standardization": "egot"}],
    ids=["chunking", "inference", "standardization"],
)
def test_settings_that_decide_the_content_change_the_id(workplace, cytokines, change):
    workplace.write(cytokines)
    assert workplace.assemble(**change).version != workplace.assemble().version


def test_names_and_folders_do_not_change_the_id(workplace, cytokines):
    workplace.write(cytokines)
    plain = workplace.assemble()
    assert workplace.assemble(title="Another title").version == plain.version
    workplace.write(cytokines, corpus="other")
    assert workplace.assemble("other").version == plain.version


def test_another_model_changes_the_id(workplace, cytokines):
    first = workplace.build(cytokines)
    workplace.embedder.name = "another"
    assert workplace.build(cytokines) != first


def test_a_retracted_article_has_no_evidence_and_takes_its_inferences_along(workplace, cytokines, inferred):
    folder = workplace.build(cytokines, inferred=inferred, retracted=["PMC10"])
    evidence = layout.open_table(folder, "evidence").column("article_id").to_pylist()
    assert set(evidence) == {"PMC20", "PMC35"}
    held = ids(folder, "relations")
    assert short_digest("asserted", "IL6", "increases", "CRP") not in held
    assert short_digest("transitive", "TNF", "increases", "CRP") not in held, "its premise went"
    shared = layout.open_table(folder, "relations").to_pylist()[
        held.index(short_digest("asserted", "TNF", "increases", "IL6"))
    ]
    assert (shared["n_articles"], shared["n_evidence"]) == (2, 2)
    assert verify_version(folder) == []
    counts = layout.read_manifest(folder).counts
    assert (counts["withdrawn_evidence"], counts["withdrawn_relations"]) == (3, 3)


def test_inferences_fall_in_a_chain(workplace):
    first, second = ("A", "increases", "B"), ("B", "increases", "C")
    chain = [
        ("transitive", ("A", "increases", "C"), 0.5, [first, second]),
        ("transitive", ("A", "related_to", "B"), 0.25, [("A", "increases", "C")]),
        ("community", ("B", "related_to", "C"), 0.25, []),
    ]
    folder = workplace.build(
        {"P1": [first], "P2": [second], "P3": [("C", "binds", "B")]}, inferred=chain, retracted=["P2"]
    )
    kinds = layout.open_table(folder, "relations").column("kind").to_pylist()
    assert sorted(kinds) == ["asserted", "asserted", "community"]


def test_a_relation_with_a_missing_end_is_left_out_and_counted(workplace, cytokines):
    workplace.write(cytokines)
    relations = workplace.datasets.read("relations", "tiny")
    ghost = relations.head(1).with_columns(relation_id=pl.lit("ghost"), tail_id=pl.lit("E:missing"))
    workplace.datasets.write("relations", "tiny", pl.concat([relations, ghost]))
    manifest = workplace.assemble()
    assert "ghost" not in ids(workplace.folder(manifest), "relations")
    assert manifest.counts["withdrawn_relations"] == 1


def test_a_corpus_without_text_is_refused_with_advice(workplace):
    with pytest.raises(GraphError, match=r"no documents and no chunks and no entities.*kg build tiny"):
        workplace.assemble()


def test_a_damaged_version_is_made_again(workplace, cytokines):
    folder = workplace.build(cytokines)
    layout.table_path(folder, "relations").unlink()
    assert workplace.build(cytokines) == folder
    assert verify_version(folder) == []


@pytest.mark.parametrize(("old", "new"), [('"chunks": 5', '"chunks": 6'), ('"minilm"', '"another"')])
def test_a_version_whose_manifest_was_edited_is_told_and_made_again(workplace, cytokines, old, new):
    folder = workplace.build(cytokines)
    manifest = folder / layout.MANIFEST
    manifest.write_text(manifest.read_text().replace(old, new))
    (problem,) = verify_version(folder)
    assert problem.rule in ("counts", "manifest")
    assert workplace.build(cytokines) == folder
    assert verify_version(folder) == []


def test_the_manifest_tells_what_the_version_holds(workplace, cytokines, inferred):
    first = workplace.build(cytokines)
    workplace.store.publish("tiny", first.name)
    manifest = layout.read_manifest(workplace.build(cytokines, inferred=inferred))
    assert manifest.parent == first.name
    assert manifest.relations_by_kind == {"asserted": 6, "transitive": 1, "lexical": 1, "community": 1}
    assert (manifest.counts["documents"], manifest.counts["chunks"], manifest.counts["evidence"]) == (3, 5, 8)
    assert manifest.settings["inference"] == "typed"
    assert manifest.models["embedding"] == "minilm"
    assert set(manifest.files) == {
        name for name, _ in layout.version_files(workplace.store.folder("tiny", manifest.version))
    }


def test_tables_are_sorted_by_id_and_vectors_follow_their_rows(workplace, cytokines):
    folder = workplace.build(cytokines)
    for name in layout.TABLE_KEYS:
        assert ids(folder, name) == sorted(ids(folder, name))
    chunks = layout.open_table(folder, "chunks").column("text").to_pylist()
    matrix = layout.open_array(layout.vector_path(folder, "chunk"))
    np.testing.assert_array_equal(matrix, workplace.embedder.embed(chunks))


def test_chunks_a_language_model_still_owes_are_counted(workplace, cytokines):
    workplace.write(cytokines)
    rows = [
        ("PMC10", "partial", "3 of 9 chunks to be asked again: budget"),
        ("PMC20", "ok", ""),
        ("PMC35", "partial", ""),
    ]
    status = [
        {
            "article_id": article,
            "input_digest": "",
            "status": state,
            "reason": reason,
            "rows": 1,
            "rejected": 0,
        }
        for article, state, reason in rows
    ]
    workplace.datasets.write("triples.status", "tiny", table_from_rows("triples.status", status), "00")
    assert workplace.assemble().pending_chunks == 4
