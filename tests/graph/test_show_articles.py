"""`kg articles`: why articles are not in the graph, and what it keeps of the others."""

from __future__ import annotations


def test_licence_class_and_policy_are_shown(kg, workplace):
    workplace.write(
        {"PMC1": [("TNF", "increases", "IL6")], "PMC2": [("IL6", "binds", "CRP")]}, retracted=["PMC2"]
    )
    rights = 'rights = { redistributable = "quote" }'
    workplace.settings.corpora_file.write_text(f'[tiny]\nsource = "."\n{rights}\n')
    shown = kg("articles", "tiny")
    assert "PMC2" in shown
    assert "redistributable" in shown
    assert "quotes are kept, the text is not" in shown
