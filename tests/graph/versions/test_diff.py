"""What changed between versions: by table, about a subject, since a day, and in words."""

from __future__ import annotations

import os
from datetime import UTC, datetime

import pytest

from kg_pipeline.errors import GraphError, NoGraphError, SettingsError
from kg_pipeline.fingerprint import short_digest
from kg_pipeline.graph import layout
from kg_pipeline.graph.versions.diff import diff_versions

SHARED = ("TNF", "increases", "IL6")


def test_what_an_article_brought_is_added_or_changed_and_removed_the_other_way(workplace):
    before = workplace.build({"A1": [SHARED]})
    after = workplace.build({"A1": [SHARED], "A2": [SHARED, ("IL6", "increases", "CRP")]})
    change = diff_versions(before, after)
    assert change.subjects["articles"].added == ["A2"]
    assert change.subjects["entities"].added == ["E:CRP"]
    assert change.subjects["entities"].changed == ["E:IL6", "E:TNF"], "they are mentioned more often"
    assert change.subjects["relations"].changed == [short_digest("asserted", *SHARED)]
    assert change.counts()["evidence"] == {"added": 2, "removed": 0, "changed": 0}
    back = diff_versions(after, before)
    assert back.subjects["relations"].removed == change.subjects["relations"].added
    assert not back.is_empty


def test_a_version_does_not_differ_from_itself(workplace, cytokines):
    folder = workplace.build(cytokines)
    assert diff_versions(folder, folder).is_empty


def test_what_bears_on_a_subject_is_picked_out_by_any_of_its_names(workplace):
    before = workplace.build({"A1": [SHARED]})
    after = workplace.build(
        {"A1": [SHARED], "A2": [SHARED, ("IL6", "increases", "CRP")], "A3": [("X", "binds", "Y")]}
    )
    change = diff_versions(before, after, about="crp protein")
    assert change.subjects["articles"].added == ["A2"]
    assert change.subjects["entities"].added == ["E:CRP"]
    assert change.subjects["relations"].added == [short_digest("asserted", "IL6", "increases", "CRP")]
    assert change.counts()["evidence"] == {"added": 1, "removed": 0, "changed": 0}
    assert diff_versions(after, before, about="crp").subjects["articles"].removed == ["A2"]
    with pytest.raises(GraphError, match="No entity has a name with 'rp' in it"):
        diff_versions(before, after, about="rp")


def test_compared_with_nothing_everything_is_new(workplace, cytokines):
    folder = workplace.build(cytokines)
    change = diff_versions(None, folder)
    assert change.subjects["articles"].added == sorted(cytokines)
    assert change.counts()["relations"] == {"added": 6, "removed": 0, "changed": 0}


@pytest.fixture
def history(workplace):
    """Versions made in April, June and July, the last of them current."""
    articles = {"A1": [SHARED]}
    names = []
    for month, more in ((4, {}), (6, {"A2": [SHARED]}), (7, {"A3": [("IL6", "increases", "CRP")]})):
        articles |= more
        folder = workplace.build(articles)
        made = datetime(2026, month, 10, tzinfo=UTC).timestamp()
        os.utime(folder / layout.MANIFEST, (made, made))
        workplace.store.publish("tiny", folder.name)
        names.append(folder.name)
    return names


def test_what_is_new_since_a_day_is_one_command(kg, history):
    said = kg("diff", "tiny", "--since", "2026-05-01")
    assert f"From {history[0]} to {history[2]} of tiny:" in said
    assert "New articles (2): A2 About A2 (2020) A3 About A3 (2020)" in said
    assert 'IL6 increases CRP (1 article, A3: "IL6 increases CRP.")' in said
    assert "TNF increases IL6 (1 article, now 2)" in said
    about = kg("diff", "tiny", "--since", "2026-05-01", "--about", "CRP")
    assert "A3 About A3" in about
    assert "A2" not in about
    assert f"From {history[1]} to" in kg("diff", "tiny", "--since", "2026-07-01")
    assert "From nothing (no version is older than 2026-01-01)" in kg("diff", "tiny", "--since", "2026-01-01")


def test_without_an_earlier_version_the_one_before_is_meant(kg, history):
    assert f"From {history[1]} to {history[2]}" in kg("diff", "tiny")
    said = kg("diff", "tiny", history[2], history[0], "--limit", "1")
    assert "Articles that are gone (2): A2 About A2 (2020) … and 1 more" in said
    with pytest.raises(SettingsError, match="not both"):
        kg("diff", "tiny", history[0], "--since", "2026-05-01")
    kg("gc", "tiny", "--keep", "0")
    with pytest.raises(NoGraphError, match=r"only one there is.*kg diff tiny --since"):
        kg("diff", "tiny")


def test_ids_are_whole_on_a_narrow_terminal(kg, history, monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    said = kg("versions", "tiny")
    assert all(version in said for version in history)
