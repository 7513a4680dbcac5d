"""Which rows of the stage datasets belong into a version, and in what order; read from ids only.

What must not be in a graph (rules 1, 2 and 7 of the design): evidence of a retracted article, an asserted relation
without evidence, an inferred one without its premises, a relation or mention with a missing end, a predicate outside
of the closed set. Upstream stages already keep to that; here it is enforced once more, because a stage table may be
older than the retraction, and what is withdrawn is counted.

A row of an entity, relation or evidence is named by its position in the datasets it comes from, laid end to end: the
columns themselves are read one by one when a table is made (`kg_pipeline.graph.assembly.tables`). Of what grows with the text of
the articles only the articles are chosen here (`kg_pipeline.graph.assembly.article_tables` reads the rest).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from kg_pipeline.datasets import Datasets
from kg_pipeline.vocabulary.predicates import PREDICATES

RELATION_DATASETS = ("relations", "transitive_relations", "lexical_relations", "community_relations")
_POSITION = "position"


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of `datasets` by position, sorted by id, and columns that are not in them, in the same order."""

    datasets: tuple[str, ...]
    positions: pl.Series
    made: pl.DataFrame = field(default_factory=pl.DataFrame)


@dataclass(frozen=True, slots=True)
class Selection:
    """What is in a version, and how many rows of the datasets were withdrawn.

    `articles` and `entities` are one column of ids, sorted; `gone` are entities that are left out; `tables` are the rows of
    `entities`, `relations` and `evidence`.
    """

    articles: pl.DataFrame
    entities: pl.DataFrame
    gone: pl.DataFrame
    tables: dict[str, Rows]
    withdrawn: dict[str, int]


def select_rows(datasets: Datasets, corpus: str) -> Selection:
    """Choose the rows of the corpus's next version."""
    every_article = _ids(datasets, ["documents"], corpus, "article_id").select("article_id").unique()
    articles = every_article.join(_retracted(datasets, corpus), on="article_id", how="anti").sort(
        "article_id"
    )
    entities = _ids(datasets, ["entities"], corpus, "entity_id")
    gone = _only_withdrawn(datasets, corpus, articles)
    entities = _first_of_each(entities.join(gone, on="entity_id", how="anti"), "entity_id")
    supported, withdrawn = _supported(datasets, corpus, articles, entities["entity_id"])
    return Selection(
        articles,
        entities.select("entity_id"),
        gone,
        {"entities": Rows(("entities",), entities[_POSITION]), **supported},
        withdrawn,
    )


def _ids(datasets: Datasets, names: Sequence[str], corpus: str, *columns: str) -> pl.DataFrame:
    """Columns of datasets laid end to end, with the position of each row."""
    return _scan(datasets, names, corpus, *columns).collect()


def _scan(datasets: Datasets, names: Sequence[str], corpus: str, *columns: str) -> pl.LazyFrame:
    return pl.concat([datasets.scan(name, corpus).select(columns) for name in names]).with_row_index(
        _POSITION
    )


def _first_of_each(frame: pl.DataFrame, key: str) -> pl.DataFrame:
    """Rows sorted by id; of several with one id the first stays."""
    ordered = frame.sort(key, _POSITION)
    return ordered.filter(pl.col(key).ne_missing(pl.col(key).shift()))


def _retracted(datasets: Datasets, corpus: str) -> pl.DataFrame:
    listed = datasets.scan("article_index", corpus).filter(
        (pl.col("status") == "retracted") | pl.col("change").is_in(["retracted", "withdrawn"])
    )
    fetched = datasets.scan("articles", corpus).filter(pl.col("status") == "retracted")
    return pl.concat([frame.select("article_id") for frame in (listed, fetched)]).unique().collect()


def _only_withdrawn(datasets: Datasets, corpus: str, articles: pl.DataFrame) -> pl.DataFrame:
    """Entities that withdrawn articles mention and no other does: they go with them."""
    places = datasets.scan("entity_mentions", corpus).select("article_id", "entity_id")
    kept, lost = (
        places.join(articles.lazy(), on="article_id", how=how)
        .select("entity_id")
        .unique()
        .collect(engine="streaming")
        for how in ("semi", "anti")
    )
    return lost.join(kept, on="entity_id", how="anti")


def _supported(
    datasets: Datasets, corpus: str, articles: pl.DataFrame, entity_ids: pl.Series
) -> tuple[dict[str, Rows], dict[str, int]]:
    """Relations with both ends and a support of their kind, the evidence of the asserted ones, and what was withdrawn."""
    offered = _offered_relations(datasets, corpus, entity_ids)
    usable = offered.filter("is_usable")
    every_evidence = _first_of_each(
        _ids(datasets, ["evidence"], corpus, "evidence_id", "relation_id", "chunk_id", "article_id"),
        "evidence_id",
    )
    evidence = every_evidence.join(
        _cited_chunks(datasets, corpus, articles, every_evidence),
        on="chunk_id",
        how="semi",
        maintain_order="left",
    ).join(usable.filter("is_asserted"), on="relation_id", how="semi", maintain_order="left")
    counted = evidence.group_by("relation_id").agg(
        n_evidence=pl.len().cast(pl.Int32), n_articles=pl.col("article_id").n_unique().cast(pl.Int32)
    )
    relations = _with_premises(datasets, corpus, usable, counted)
    counts = (
        relations.join(counted, on="relation_id", how="left", maintain_order="left")
        .select("n_evidence", "n_articles")
        .fill_null(0)
    )
    tables = {
        "relations": Rows(RELATION_DATASETS, relations[_POSITION], counts),
        "evidence": Rows(("evidence",), evidence[_POSITION]),
    }
    withdrawn = {
        "withdrawn_relations": offered.height - relations.height,
        "withdrawn_evidence": every_evidence.height - evidence.height,
    }
    return tables, withdrawn


def _cited_chunks(
    datasets: Datasets, corpus: str, articles: pl.DataFrame, evidence: pl.DataFrame
) -> pl.DataFrame:
    """Ids of those chunks of the version that evidence lies in."""
    cited = evidence.select("chunk_id").unique()
    chunks = datasets.scan("chunks", corpus).select("chunk_id", "article_id")
    kept = chunks.join(articles.lazy(), on="article_id", how="semi").select("chunk_id")
    return kept.join(cited.lazy(), on="chunk_id", how="semi").unique().collect(engine="streaming")


def _offered_relations(datasets: Datasets, corpus: str, entity_ids: pl.Series) -> pl.DataFrame:
    """Every relation once, sorted, and whether its predicate is known and its ends are there."""
    ids = entity_ids.implode()
    is_usable = (
        pl.col("predicate").is_in(list(PREDICATES))
        & pl.col("head_id").is_in(ids)
        & pl.col("tail_id").is_in(ids)
    )
    columns = ("relation_id", "kind", "predicate", "head_id", "tail_id")
    scan = _scan(datasets, RELATION_DATASETS, corpus, *columns).select(
        _POSITION, "relation_id", is_asserted=pl.col("kind") == "asserted", is_usable=is_usable
    )
    return _first_of_each(scan.collect(), "relation_id")


def _with_premises(
    datasets: Datasets, corpus: str, relations: pl.DataFrame, counted: pl.DataFrame
) -> pl.DataFrame:
    """Asserted relations that have evidence, and inferred ones whose premises are all there, to the last link of a chain."""
    relations = relations.join(
        counted.select("relation_id", has_evidence=True),
        on="relation_id",
        how="left",
        maintain_order="left",
    )
    relations = relations.filter(~pl.col("is_asserted") | pl.col("has_evidence").fill_null(value=False))
    premises = (
        _scan(datasets, RELATION_DATASETS, corpus, "relation_id", "premises")
        .filter(pl.col(_POSITION).is_in(relations.filter(~pl.col("is_asserted"))[_POSITION].implode()))
        .select("relation_id", premise="premises")
        .explode("premise", empty_as_null=False)
        .collect()
    )
    while True:
        unmet = premises.join(relations, left_on="premise", right_on="relation_id", how="anti")
        if unmet.is_empty():
            return relations.select("relation_id", _POSITION)
        relations = relations.join(unmet, on="relation_id", how="anti", maintain_order="left")
        premises = premises.join(unmet, on="relation_id", how="anti")
