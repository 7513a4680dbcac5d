"""The commands: export, import, gc, pin and unpin, run as a user runs them."""

from __future__ import annotations

import pytest

from kg_pipeline.errors import (
    CorpusError,
    CorruptGraphError,
    GraphError,
    NoGraphError,
    SettingsError,
    StoreUnavailable,
)
from kg_pipeline.graph import layout
from kg_pipeline.graph.neo4j import open_reader


def test_a_graph_goes_out_and_comes_in_again(kg, workplace, exported, tmp_path):
    workplace.store.publish("tiny", exported.name)
    out = tmp_path / "out"
    assert "edges.tsv" in kg("export", "tiny", "--format", "kgx-tsv", "--output", out)
    said = kg("import", "copy", out / "nodes.tsv", out / "edges.tsv", "--embed", "none")
    assert "Imported 6 entities, 9 relations and 8 evidence rows" in said
    assert workplace.store.current("copy") in said
    assert "copy" in kg("corpora")
    kg("import", "copy", out / "edges.tsv", "--embed", "none")
    assert len(workplace.store.versions("copy")) == 2


def imported(kg, workplace, exported, tmp_path):
    """The version brought in again as the corpus `copy`."""
    workplace.store.publish("tiny", exported.name)
    kg("export", "tiny", "--output", tmp_path / "out")
    return kg(
        "import", "copy", tmp_path / "out" / "nodes.tsv", tmp_path / "out" / "edges.tsv", "--embed", "none"
    )


def test_what_needs_articles_says_that_a_graph_was_imported(kg, workplace, exported, tmp_path):
    imported(kg, workplace, exported, tmp_path)
    for command in (
        ["build", "copy"],
        ["refresh", "copy"],
        ["refresh", "copy", "--preview"],
        ["articles", "copy"],
        ["estimate", "copy"],
        ["merges", "copy"],
        ["merge", "copy", "a", "b"],
        ["unmerge", "copy", "a", "b"],
    ):
        with pytest.raises(CorpusError, match=r"was imported and has no articles.*kg import copy FILES"):
            kg(*command)
    assert "imported from" in kg("corpora")


def test_an_imported_graph_is_never_told_to_be_built(kg, workplace, exported, tmp_path):
    imported(kg, workplace, exported, tmp_path)
    folder = workplace.store.folder("copy", workplace.store.current("copy"))
    assert "build" not in kg("verify", "copy")
    layout.table_path(folder, "entities").unlink()
    with pytest.raises(CorruptGraphError, match=r"problems.*Run: kg import copy FILES"):
        kg("verify", "copy")
    with pytest.raises(CorruptGraphError, match="Make it again with: kg import copy FILES"):
        workplace.store.open("copy")
    (folder / layout.MANIFEST).write_text("{")
    with pytest.raises(
        CorruptGraphError, match=r"kg build copy \(or kg import copy FILES, if it was imported\)"
    ):
        workplace.store.open("copy")


@pytest.mark.integration
def test_an_import_is_loaded_into_neo4j_and_loses_nothing_where_that_fails(
    kg, workplace, exported, tmp_path, neo4j_server, monkeypatch
):
    monkeypatch.setenv("KG_NEO4J_URI", "bolt://127.0.0.1:1")
    monkeypatch.setenv("KG_NEO4J_PASSWORD", neo4j_server.password.get_secret_value())
    with pytest.raises(
        StoreUnavailable, match=r"can be asked; it is not in Neo4j.*The same command loads it"
    ):
        imported(kg, workplace, exported, tmp_path)
    assert workplace.store.current("copy") is not None
    monkeypatch.setenv("KG_NEO4J_URI", neo4j_server.uri)
    said = imported(kg, workplace, exported, tmp_path)
    assert "holds this version: 6 entities, 9 relations" in said
    reader = open_reader(neo4j_server, "copy")
    assert reader.find_entities("IL6") == ["E:IL6"]
    reader.close()


def test_a_version_is_named_after_the_corpus_or_by_an_option(kg, workplace, exported):
    for named in ([exported.name], ["--version", exported.name], []):
        workplace.store.publish("tiny", exported.name)
        assert f"Version {exported.name} of tiny verifies." in kg("verify", "tiny", *named)
    with pytest.raises(NoGraphError, match=f"no version v000000000000 .*newest: {exported.name}\\."):
        kg("verify", "tiny", "v000000000000")
    with pytest.raises(NoGraphError, match=r"only one there is.*kg diff tiny --since"):
        kg("diff", "tiny")
    with pytest.raises(SettingsError, match=f"Two versions are named, {exported.name} and latest"):
        kg("verify", "tiny", exported.name, "--version", "latest")


def test_what_is_held_back_is_told(kg, workplace, exported, tmp_path):
    workplace.store.publish("tiny", exported.name)
    said = kg("export", "tiny", "--output", tmp_path / "out", "--quotes", "none")
    assert "8 quotes were left out, as asked" in said


def test_words_that_are_no_choice_and_corpora_of_articles_are_refused(kg, workplace, exported, tmp_path):
    with pytest.raises(NoGraphError):
        kg("export", "tiny", "--output", tmp_path)
    with pytest.raises(SettingsError, match=r"--quotes 'some' is not known. There are: licensed, all, none"):
        kg("export", "tiny", "--output", tmp_path, "--quotes", "some")
    with pytest.raises(SettingsError, match="--embed 'x'"):
        kg("import", "new", tmp_path / "x.tsv", "--embed", "x")
    with pytest.raises(CorpusError, match="to be built from articles"):
        kg("import", "tiny", tmp_path / "x.tsv")


def test_pinned_versions_survive_collection(kg, workplace, cytokines):
    names = []
    for corpus in (dict(list(cytokines.items())[:number]) for number in (1, 2, 3)):
        names.append(workplace.build(corpus).name)
        workplace.store.publish("tiny", names[-1])
    assert names[0] in kg("pin", "tiny", names[0])
    assert kg("versions", "tiny").count("pinned") == 1
    assert names[1] in kg("gc", "tiny", "--keep", "0")
    assert "Nothing to remove" in kg("gc", "tiny", "--keep", "0")
    kg("unpin", "tiny", names[0])
    assert names[0] in kg("gc", "tiny", "--keep", "0")
    assert [version.version for version in workplace.store.versions("tiny")] == [names[2]]


def test_an_earlier_version_is_published_again_but_no_damaged_one(kg, workplace, cytokines):
    old, new = (workplace.build(dict(list(cytokines.items())[:number])).name for number in (1, 2))
    workplace.store.publish("tiny", new)
    assert f"in place of {new}" in kg("publish", "tiny", old)
    assert workplace.store.current("tiny") == old
    assert "read already" in kg("publish", "tiny", old)
    with pytest.raises(NoGraphError, match="no version v000000000000"):
        kg("publish", "tiny", "v000000000000")
    table = workplace.store.folder("tiny", new) / "tables" / "relations.arrow"
    table.write_bytes(table.read_bytes()[:-1])
    with pytest.raises(GraphError, match="damaged and was not published"):
        kg("publish", "tiny", new)
    assert workplace.store.current("tiny") == old
