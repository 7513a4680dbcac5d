from __future__ import annotations

from kg_pipeline.fingerprint import short_digest
from kg_pipeline.graph.diff import diff_versions

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
