"""The commands: export, import, gc, pin and unpin, run as a user runs them."""

from __future__ import annotations

import pytest

from kg_pipeline.errors import CorpusError, NoGraphError, SettingsError


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
    assert names[1] in kg("gc", "tiny", "--keep", "0")
    assert "Nothing to remove" in kg("gc", "tiny", "--keep", "0")
    kg("unpin", "tiny", names[0])
    assert names[0] in kg("gc", "tiny", "--keep", "0")
    assert [version.version for version in workplace.store.versions("tiny")] == [names[2]]
