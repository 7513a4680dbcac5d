"""The asset graph as Dagster sees it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import dagster as dg
import pytest

from assets.partitions import corpora_of_articles
from kg_pipeline.corpora import add_corpus, shard_of
from kg_pipeline.definitions import defs
from kg_pipeline.graph.exchange.importing import import_graph
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.schema import DATASETS
from kg_pipeline.settings import load_settings

EXPECTED = {
    "article_index": "corpus",
    "articles": "corpus x shard",
    "documents": "corpus x shard",
    "chunks": "corpus x shard",
    "vocabulary": "none",
    "mentions": "corpus x shard",
    "triples": "corpus x shard",
    "entities": "corpus",
    "relations": "corpus",
    "transitive_relations": "corpus",
    "lexical_relations": "corpus",
    "community_relations": "corpus",
    "embeddings": "corpus",
    "graph_version": "corpus",
    "current_graph": "corpus",
    "graph_explorer": "corpus",  # neo4j_graph is there where a server is set
}


@pytest.fixture(scope="module")
def graph() -> dg.AssetGraph:
    dg.Definitions.validate_loadable(defs)
    return defs.resolve_asset_graph()


def kind_of(partitions: dg.PartitionsDefinition | None) -> str:
    if partitions is None:
        return "none"
    return "corpus x shard" if isinstance(partitions, dg.MultiPartitionsDefinition) else "corpus"


def test_the_assets_are_those_of_the_design_with_their_partitions(graph: dg.AssetGraph) -> None:
    found = {node.key.to_user_string(): kind_of(node.partitions_def) for node in graph.asset_nodes}
    assert found == EXPECTED


def test_what_the_page_about_the_service_selects_are_the_stages_it_says(graph: dg.AssetGraph) -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "service.md").read_text()
    following, sharded = re.findall(r"--select '([^']+)'", page)
    chosen = {key.to_user_string() for key in dg.AssetSelection.from_string(following).resolve(graph)}
    assert {"relations", "transitive_relations", "graph_version", "current_graph"} <= chosen
    assert "entities" not in chosen
    assert [key.to_user_string() for key in dg.AssetSelection.from_string(sharded).resolve(graph)] == [
        "triples"
    ]


def test_every_asset_can_be_understood_and_is_checked(graph: dg.AssetGraph) -> None:
    checked = {key.asset_key for key in graph.asset_check_keys}
    for node in graph.asset_nodes:
        assert node.description, node.key
        assert node.group_name != "default", node.key
        assert node.code_version, node.key
        assert node.kinds, node.key
        assert node.key in checked, node.key


def test_a_range_of_shards_is_one_run(graph: dg.AssetGraph) -> None:
    for node in graph.asset_nodes:
        if kind_of(node.partitions_def) == "corpus x shard":
            assert node.backfill_policy is not None
            assert node.backfill_policy.max_partitions_per_run is None


def test_one_run_carries_a_corpus_from_its_articles_to_its_triples(graph: dg.AssetGraph) -> None:
    """What any stage by shard waits for has to be there before the first of them starts."""
    sharded = {node.key for node in graph.asset_nodes if kind_of(node.partitions_def) == "corpus x shard"}
    awaited = {parent for key in sharded for parent in graph.get(key).parent_keys} - sharded
    assert graph.get(dg.AssetKey("articles")).parent_keys == awaited


def test_a_corpus_reads_all_its_shards_and_no_other_corpus(graph: dg.AssetGraph) -> None:
    entities = graph.get(dg.AssetKey("entities"))
    triples = graph.get(dg.AssetKey("triples"))
    mapping = entities.partition_mappings.get(triples.key)
    assert mapping is None or isinstance(mapping, dg.MultiToSingleDimensionPartitionMapping)


def test_fewer_than_a_hundred_shards_so_that_staleness_is_tracked(graph: dg.AssetGraph) -> None:
    partitions = graph.get(dg.AssetKey("triples")).partitions_def
    assert isinstance(partitions, dg.MultiPartitionsDefinition)
    assert len(partitions.get_partitions_def_for_dimension("shard").get_partition_keys()) < 100


def test_partitions_do_not_grow_with_the_articles(graph: dg.AssetGraph) -> None:
    """However many articles there are, what Dagster lists is corpora times shards; articles are rows of a table."""
    shards = Counter(shard_of(f"PMC{99_000_000 + number}", 64) for number in range(50_000))
    partitions = graph.get(dg.AssetKey("articles")).partitions_def
    assert isinstance(partitions, dg.MultiPartitionsDefinition)
    keys = partitions.get_partitions_def_for_dimension("shard").get_partition_keys()
    assert set(shards) == set(keys)
    assert max(shards.values()) < 1.3 * min(shards.values())
    corpora = partitions.get_partitions_def_for_dimension("corpus").get_partition_keys()
    assert len(partitions.get_partition_keys()) == len(keys) * len(corpora)


def test_an_imported_graph_is_no_partition(tmp_path: Path) -> None:
    (tmp_path / "nodes.tsv").write_text("id\tname\tcategory\nX:1\tA\tbiolink:Gene\nX:2\tB\tbiolink:Disease\n")
    (tmp_path / "edges.tsv").write_text("subject\tpredicate\tobject\nX:1\tbiolink:related_to\tX:2\n")
    settings = load_settings({"KG_HOME": str(tmp_path)})
    report = import_graph("theirs", [tmp_path / "nodes.tsv", tmp_path / "edges.tsv"], settings, embed="none")
    VersionStore.of(settings).publish("theirs", report.manifest.version)
    for name in ("theirs", "mine"):
        add_corpus(settings.corpora_file, name, tmp_path)
    assert set(corpora_of_articles(settings)) == {"demo", "mine"}


def test_every_column_of_every_dataset_says_what_it_means() -> None:
    for name, schema in DATASETS.items():
        for field in schema:
            assert field.metadata[b"meaning"], f"{name}.{field.name}"


def test_retrieval_leaves_dagster_unloaded() -> None:
    code = "import sys, retrieval; assert 'dagster' not in sys.modules, 'dagster was imported'"
    subprocess.run([sys.executable, "-c", code], check=True)
