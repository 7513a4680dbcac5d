"""The logical tables of a version, made from the stage datasets: joined, cleared of what must not be in them, sorted.

What must not be in a graph (rules 1, 2 and 7 of the design): evidence of a retracted article, an asserted relation
without evidence, an inferred one without its premises, a relation or mention with a missing end, a predicate outside
of the closed set. Upstream stages already keep to that; here it is enforced once more, because a stage table may be older than the retraction, and
what is withdrawn is counted.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl
import pyarrow as pa

from kg_pipeline.datasets import Datasets
from kg_pipeline.graph.layout import TABLE_KEYS
from kg_pipeline.vocabulary.predicates import PREDICATES
from kg_pipeline.vocabulary.variants import normal_key

_RELATION_DATASETS = ("relations", "transitive_relations", "lexical_relations", "community_relations")
_COLUMNS = {
    "documents": (
        "article_id",
        "version",
        "pmcid",
        "pmid",
        "doi",
        "title",
        "journal",
        "year",
        "article_type",
        "language",
        "license_class",
        "text",
    ),
    "chunks": (
        "chunk_id",
        "article_id",
        "ordinal",
        "section_path",
        "section_kind",
        "start",
        "end",
        "text",
        "n_tokens",
    ),
    "mentions": ("mention_id", "article_id", "entity_id", "start", "end", "text", "category", "source"),
}
_TIE_BREAKERS = {"merges": ("name_a", "name_b", "rule", "evidence"), "names": ("entity_id",)}


@dataclass(frozen=True, slots=True)
class LogicalTables:
    """Arrow tables by name, sorted by id, and how many rows were withdrawn while making them."""

    tables: dict[str, pa.Table]
    embeddings: pl.DataFrame
    withdrawn: dict[str, int]


def collect_tables(datasets: Datasets, corpus: str) -> LogicalTables:
    """Read the corpus's datasets and make the tables of its next version."""
    retracted = _retracted(datasets, corpus)
    frames = {
        "documents": _read(datasets, "documents", corpus).join(retracted, on="article_id", how="anti"),
        "entities": _read(datasets, "entities", corpus),
        "merges": _read(datasets, "merges", corpus),
    }
    articles = frames["documents"].select("article_id")
    chunks = _read(datasets, "chunks", corpus)
    frames["chunks"] = chunks.join(articles, on="article_id", how="semi")
    mentions = _mentions(datasets, corpus)
    frames["mentions"] = mentions.join(articles, on="article_id", how="semi").join(
        frames["entities"], on="entity_id", how="semi"
    )
    if chunks.height != frames["chunks"].height:
        # Entities that only withdrawn articles mention go with them.
        gone = mentions.join(frames["mentions"], on="entity_id", how="anti").select("entity_id")
        frames["entities"] = frames["entities"].join(gone, on="entity_id", how="anti")
        frames["merges"] = frames["merges"].join(gone, on="entity_id", how="anti")
    relations = pl.concat([_read(datasets, name, corpus) for name in _RELATION_DATASETS])
    evidence = _read(datasets, "evidence", corpus)
    frames["relations"], frames["evidence"] = _supported(
        relations, evidence, frames["entities"], frames["chunks"]
    )
    frames["names"] = _names(frames["entities"])
    embeddings = _read(datasets, "embeddings", corpus).sort("kind", "id")
    withdrawn = {
        "withdrawn_mentions": mentions.height - frames["mentions"].height,
        "withdrawn_relations": relations.unique("relation_id").height - frames["relations"].height,
        "withdrawn_evidence": evidence.unique("evidence_id").height - frames["evidence"].height,
    }
    return LogicalTables({name: _arrow(name, frames[name]) for name in TABLE_KEYS}, embeddings, withdrawn)


def _read(datasets: Datasets, name: str, corpus: str) -> pl.DataFrame:
    scan = datasets.scan(name, corpus)
    if name in ("documents", "chunks"):
        scan = scan.select(_COLUMNS[name])
    return scan.collect()


def _retracted(datasets: Datasets, corpus: str) -> pl.DataFrame:
    listed = datasets.scan("article_index", corpus).filter(
        (pl.col("status") == "retracted") | pl.col("change").is_in(["retracted", "withdrawn"])
    )
    fetched = datasets.scan("articles", corpus).filter(pl.col("status") == "retracted")
    return pl.concat([frame.select("article_id") for frame in (listed, fetched)]).unique().collect()


def _mentions(datasets: Datasets, corpus: str) -> pl.DataFrame:
    """Mentions of both stages that make them, those that were standardised, once each."""
    scans = [datasets.scan(name, corpus) for name in ("mentions", "triple_mentions")]
    entity_of = datasets.scan("entity_mentions", corpus).select("mention_id", "entity_id")
    columns = [column for column in _COLUMNS["mentions"] if column != "entity_id"]
    every = pl.concat([scan.select(columns) for scan in scans]).unique(
        "mention_id", keep="first", maintain_order=True
    )
    return every.join(entity_of, on="mention_id").select(_COLUMNS["mentions"]).collect()


def _supported(
    relations: pl.DataFrame, evidence: pl.DataFrame, entities: pl.DataFrame, chunks: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    ids = entities.select("entity_id")
    relations = relations.filter(pl.col("predicate").is_in(list(PREDICATES)))
    relations = relations.unique("relation_id", keep="first", maintain_order=True)
    relations = relations.join(ids, left_on="head_id", right_on="entity_id", how="semi")
    relations = relations.join(ids, left_on="tail_id", right_on="entity_id", how="semi")
    evidence = evidence.unique("evidence_id", keep="first", maintain_order=True)
    evidence = evidence.join(chunks, on="chunk_id", how="semi")
    evidence = evidence.join(relations, on="relation_id", how="semi")
    counted = evidence.group_by("relation_id").agg(
        n_evidence=pl.len().cast(pl.Int32), n_articles=pl.col("article_id").n_unique().cast(pl.Int32)
    )
    inferred = relations.filter(pl.col("kind") != "asserted")
    asserted = relations.drop("n_evidence", "n_articles").filter(pl.col("kind") == "asserted")
    asserted = asserted.join(counted, on="relation_id").select(relations.columns)
    return pl.concat([asserted, _with_premises(inferred, asserted)]), evidence


def _with_premises(inferred: pl.DataFrame, asserted: pl.DataFrame) -> pl.DataFrame:
    """Inferred relations whose premises are all there, until none is left that leans on a withdrawn one."""
    while True:
        known = pl.concat([asserted.select("relation_id"), inferred.select("relation_id")])
        premises = inferred.select("relation_id", "premises").explode("premises", empty_as_null=False)
        unmet = premises.join(known, left_on="premises", right_on="relation_id", how="anti")
        if unmet.is_empty():
            return inferred
        inferred = inferred.join(unmet, on="relation_id", how="anti")


def _names(entities: pl.DataFrame) -> pl.DataFrame:
    """Folded names and aliases of entities, each once an entity, marked where it is the canonical name."""
    canonical = entities.select("entity_id", "name", is_name=True)
    aliases = entities.select("entity_id", name="aliases", is_name=False).explode("name", empty_as_null=False)
    every = pl.concat([canonical, aliases]).filter(pl.col("name").is_not_null())
    spellings = every["name"].unique(maintain_order=True)
    keys = pl.DataFrame({"name": spellings, "key": [normal_key(name) for name in spellings]})
    folded = every.join(keys, on="name").filter(pl.col("key") != "")
    return folded.group_by("key", "entity_id").agg(pl.col("is_name").any())


def _arrow(name: str, frame: pl.DataFrame) -> pa.Table:
    ordered = frame.sort(TABLE_KEYS[name], *_TIE_BREAKERS.get(name, ()))
    if name not in _TIE_BREAKERS:
        key = pl.col(TABLE_KEYS[name])
        ordered = ordered.filter(key.ne_missing(key.shift()))
    return ordered.to_arrow(compat_level=pl.CompatLevel.oldest()).combine_chunks()
