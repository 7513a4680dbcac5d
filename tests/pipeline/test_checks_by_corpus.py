"""A check that fails in one corpus stops what follows there, and in no other."""

from __future__ import annotations

import dagster as dg
import pytest

from assets.automation import following
from assets.dagster_checks import check_results, check_spec
from kg_pipeline.checks import Outcome
from kg_pipeline.definitions import defs

CORPORA = dg.StaticPartitionsDefinition(["lupus", "sclc"])


def is_usable(corpus: str) -> Outcome:
    """Articles of the corpus can be used."""
    return Outcome(corpus != "sclc", "Nothing of it can be used.")


def assets(passing: set[str]) -> list[dg.AssetsDefinition]:
    """A listing with a blocking check, which begins a build, and what follows it."""

    @dg.asset(
        partitions_def=CORPORA,
        check_specs=[check_spec("article_index", "is_usable", is_usable, partitions=CORPORA)],
    )
    def article_index(context) -> dg.MaterializeResult:
        passed = context.partition_key in passing
        return dg.MaterializeResult(
            check_results=check_results({"is_usable": Outcome(passed, "A sentence.")})
        )

    @dg.asset(partitions_def=CORPORA, deps=[article_index])
    def graph() -> None:
        """Follow."""

    return list(dg.map_asset_specs(following, [article_index, graph]))


@pytest.mark.parametrize("order", [("lupus", "sclc"), ("sclc", "lupus")])
def test_what_follows_is_asked_for_where_the_check_passed(order: tuple[str, str]) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        for corpus in order:
            dg.materialize(assets({"lupus", "sclc"}), partition_key=corpus, instance=instance)
        made = assets({"lupus"})
        before = dg.evaluate_automation_conditions(defs=made, instance=instance)
        for corpus in order:
            listed = dg.materialize(
                made, selection="article_index", partition_key=corpus, instance=instance, raise_on_error=False
            )
            assert listed.success is (corpus == "lupus")
        after = dg.evaluate_automation_conditions(defs=made, instance=instance, cursor=before.cursor)
    assert after.get_requested_partitions(dg.AssetKey("graph")) == {"lupus"}


def test_checks_are_told_by_corpus_wherever_a_run_is_of_one() -> None:
    """A run over shards has no one partition, so that Dagster tells its checks of the asset only."""
    graph = defs.resolve_asset_graph()
    unlike = {
        key.name
        for key in graph.asset_check_keys
        if isinstance(graph.get(key.asset_key).partitions_def, dg.StaticPartitionsDefinition)
        and graph.get(key).partitions_def != graph.get(key.asset_key).partitions_def
    }
    assert unlike == {"graphs_of_all_corpora_are_recent"}
