"""Checks of a version's shape: each passes on a sound graph, and fails with advice on one that is not."""

from __future__ import annotations

import polars as pl
import pytest

from kg_pipeline.corpora import GraphLimits, find_corpus
from kg_pipeline.graph.inspection.checks import CHECKS, check_version


def check(workplace, folder, name, parent=None, **options):
    return check_version(folder, parent, workplace.spec(**options))[name]


def limits(**values):
    return {"checks": GraphLimits(**values)}


def test_a_sound_graph_passes_every_check(workplace, cytokines, inferred):
    folder = workplace.build(cytokines, inferred=inferred)
    outcomes = check_version(folder, None, workplace.spec())
    assert outcomes.keys() == CHECKS.keys()
    assert [name for name, outcome in outcomes.items() if not outcome.passed] == []


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("graph_is_not_degenerate", {"min_asserted_relations": 7}, "6 asserted relations (at least 7)"),
        ("chunks_mention_entities", {}, "0 of 5 chunks mention no entity (0%, at most 50%)."),
        ("inferred_relations_stay_in_proportion", {"max_inferred_ratio": 0.25}, "3 inferred relations for 6"),
        ("hubs_stay_few", {"max_hub_share": 0.1}, "touch one (at most 10%). The greatest: IL6 [E:IL6]"),
    ],
)
def test_figures_and_thresholds_are_told(workplace, cytokines, inferred, name, values, said):
    folder = workplace.build(cytokines, inferred=inferred)
    outcome = check(workplace, folder, name, hub_degree=3, **limits(**values))
    assert outcome.passed == (not values)
    assert said in outcome.sentence
    assert not outcome.is_error


def test_a_graph_without_relations_is_degenerate(workplace, cytokines):
    workplace.write(cytokines)
    for name in ("relations", "evidence"):
        workplace.datasets.write(name, "tiny", workplace.datasets.read(name, "tiny").clear())
    outcome = check(workplace, workplace.folder(workplace.assemble()), "graph_is_not_degenerate")
    assert not outcome.passed
    assert "0 asserted relations" in outcome.sentence
    assert "Look at the rejects" in outcome.sentence


def test_an_entity_and_a_chunk_that_nothing_mentions_are_told(workplace, cytokines):
    workplace.write(cytokines)
    entities = workplace.datasets.read("entities", "tiny")
    ghost = entities.head(1).with_columns(entity_id=pl.lit("E:ghost"), name=pl.lit("ghost"))
    workplace.datasets.write("entities", "tiny", pl.concat([entities, ghost]))
    mentions = workplace.datasets.read("entity_mentions", "tiny")
    workplace.datasets.write("entity_mentions", "tiny", mentions.filter(pl.col("article_id") == "PMC10"))
    folder = workplace.folder(workplace.assemble())
    outcome = check(workplace, folder, "entities_have_evidence")
    assert not outcome.passed
    assert "E:ghost" in outcome.sentence
    assert not check(workplace, folder, "chunks_mention_entities").passed


def test_a_sudden_change_against_the_parent_is_told_with_the_command_to_look(workplace, cytokines):
    parent = workplace.build(cytokines)
    alike = workplace.build({**cytokines, "PMC40": [("TNF", "increases", "CRP")]})
    assert check(workplace, alike, "graph_resembles_its_parent", parent).passed
    shrunk = workplace.build({"PMC10": cytokines["PMC10"][:2]})
    outcome = check(workplace, shrunk, "graph_resembles_its_parent", parent)
    assert not outcome.passed
    assert f"(relations): kg diff tiny {parent.name} {shrunk.name}" in outcome.sentence
    other = workplace.build({"PMC10": [(f"x{n}", "binds", f"y{n}") for n in range(6)]})
    outcome = check(workplace, other, "graph_resembles_its_parent", parent, **limits(max_change_factor=1.5))
    assert "0% of the 6 best-connected entities are the same" in outcome.sentence
    assert "(relations an entity, best-connected entities)" in outcome.sentence


def test_an_article_of_a_licence_that_the_corpus_does_not_admit_is_told(workplace, cytokines):
    workplace.write(cytokines)
    documents = workplace.datasets.scan("documents", "tiny").collect()
    one = pl.when(article_id="PMC20").then(pl.lit("mining_only")).otherwise("license_class")
    for shard in workplace.datasets.shards("documents", "tiny"):
        workplace.datasets.path("documents", "tiny", shard).unlink()
    workplace.datasets.write("documents", "tiny", documents.with_columns(license_class=one), "00")
    folder = workplace.folder(workplace.assemble())
    assert check(workplace, folder, "licences_are_kept").passed
    query = {"query": {"terms": ["lupus"], "license": ["redistributable"]}, "source": ""}
    outcome = check(workplace, folder, "licences_are_kept", **query)
    assert not outcome.passed
    assert "1 of 3 articles are of other licences than redistributable: PMC20" in outcome.sentence


def test_thresholds_come_from_the_corpora_file_and_do_not_change_the_graph(workplace, cytokines, kg):
    workplace.store.publish("tiny", workplace.build(cytokines).name)
    workplace.settings.corpora_file.write_text(
        '[tiny]\nsource = "."\n[tiny.checks]\nmin_asserted_relations = 99\n'
    )
    spec = find_corpus(workplace.settings.corpora_file, "tiny")
    assert spec.checks.min_asserted_relations == 99
    assert "checks" not in spec.model_dump()
    said = kg("verify", "tiny")
    assert "verifies." in said
    assert "graph is not degenerate" in said
    assert "look" in said
