"""`kg articles`: why articles are not in the graph, and what it keeps of the others."""

from __future__ import annotations

import json

from kg_pipeline.datasets import Datasets, table_from_rows


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
    told = json.loads(kg("articles", "tiny", "--json"))
    assert {row["article_id"]: row["status"] for row in told} == {"PMC1": "ok", "PMC2": "retracted"}


def test_an_article_that_was_read_in_part_is_listed_with_what_is_missing(kg, workplace):
    workplace.write({"PMC1": [("TNF", "increases", "IL6")], "PMC2": [("IL6", "binds", "CRP")]})
    assert "could not be read" not in kg("articles", "tiny")
    row = {"article_id": "PMC2", "input_digest": "0", "status": "ok", "reason": "read in part: of Table 7 only",
           "rows": 1, "rejected": 0}  # fmt: skip
    Datasets.of(workplace.settings).write(
        "documents.status", "tiny", table_from_rows("documents.status", [row]), "00"
    )
    shown = kg("articles", "tiny")
    assert "what could not be read of it" in shown
    assert "of Table 7 only" in shown


def test_before_a_build_ended_the_articles_are_shown_as_far_as_they_are_known(kg, workplace):
    datasets = Datasets.of(workplace.settings)
    assert "not built yet" in kg("articles", "tiny")
    listed = {"article_id": "PMC2", "version": 1, "source_ref": "b.xml", "content_sha256": "", "size": 0, "shard": "00",
              "status": "malformed", "reason": "no XML", "article_type": "", "license": "", "license_class": "unknown",
              "change": "added"}  # fmt: skip
    datasets.write("article_index", "tiny", table_from_rows("article_index", [listed]))
    shown = kg("articles", "tiny")
    assert "no XML" in shown
    assert "not fetched yet. Run: kg build tiny" in shown
    workplace.write({"PMC1": [("TNF", "increases", "IL6")]})
    assert "No build of it has finished yet" in kg("articles", "tiny")
