"""The stages `relations`, `transitive_relations`, `lexical_relations` and `community_relations` of a corpus.

Each reads tables and writes tables; every relation is computed from what is there now, so that a relation goes when
its evidence or one of its premises goes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

import polars as pl

from kg_pipeline.inference import community, community_llm, groups, lexical, transitive, transitive_egot
from kg_pipeline.inference.asserted import assert_relations
from kg_pipeline.inference.relation_rows import PREMISE_COLUMNS, premises
from kg_pipeline.llm.chat import open_chat
from kg_pipeline.schema import LICENSE_CLASSES
from kg_pipeline.vocabulary.index.build import build_vocabulary
from kg_pipeline.vocabulary.index.lookup import open_vocabulary

if TYPE_CHECKING:
    from kg_pipeline.corpora import CorpusSpec
    from kg_pipeline.datasets import Datasets
    from kg_pipeline.llm.chat import ChatModel
    from kg_pipeline.settings import Settings


#: Rows of a dataset that are read at a time.
_READ_ROWS = 524_288


def build_relations(datasets: Datasets, spec: CorpusSpec) -> dict[str, int]:
    """Write `relations` and `evidence`; counts of them and of what became no relation."""
    corpus = spec.name
    texts = ["mention_id", "text"]
    found = assert_relations(
        datasets.scan("triples", corpus).collect(),
        chain(*(_parts(datasets, name, corpus, texts) for name in ("mentions", "triple_mentions"))),
        _parts(datasets, "entity_mentions", corpus, ["mention_id", "entity_id"]),
        _parts(datasets, "chunks", corpus, ["chunk_id", "section_path"]),
    )
    # Evidence first: a relation without evidence is worse than evidence without its relation.
    datasets.write("evidence", corpus, found.evidence)
    datasets.write("relations", corpus, found.relations)
    return {
        "relations": found.relations.height,
        "evidence": found.evidence.height,
        "negated": int(found.relations["negated"].sum()),
        "speculative": int(found.relations["speculative"].sum()),
        "self_relations": found.self_relations,
        "unresolved": found.unresolved,
    }


def _parts(datasets: Datasets, name: str, corpus: str, columns: list[str]) -> Iterator[pl.DataFrame]:
    for batch in datasets.parts(name, corpus, columns, _READ_ROWS):
        yield pl.DataFrame(batch)


def build_transitive(datasets: Datasets, spec: CorpusSpec) -> dict[str, int]:
    """Write `transitive_relations` by the rule that the corpus chose."""
    relations = datasets.read("relations", spec.name)
    if spec.inference == "egot":
        inferred = transitive_egot.infer_egot(relations, max_total=spec.max_inferred)
    else:
        entities = datasets.read("entities", spec.name)
        inferred = transitive.infer_typed(
            relations,
            dict(entities.select("entity_id", "category").iter_rows()),
            hub_degree=spec.hub_degree,
            max_per_node=spec.max_inferred_per_node,
            max_total=spec.max_inferred,
        )
    datasets.write("transitive_relations", spec.name, inferred)
    return {"relations": inferred.height, "premises": premises(relations).height}


def build_lexical(datasets: Datasets, spec: CorpusSpec, settings: Settings) -> dict[str, int]:
    """Write `lexical_relations` by the rule that the corpus chose."""
    relations = datasets.read("relations", spec.name)
    entities = datasets.read("entities", spec.name)
    if spec.inference == "egot":
        inferred = lexical.infer_egot(entities, relations, max_total=spec.max_inferred)
    else:
        inferred = lexical.infer_typed(
            entities,
            relations,
            open_vocabulary(build_vocabulary(settings)),
            max_per_node=spec.max_inferred_per_node,
            max_total=spec.max_inferred,
        )
    datasets.write("lexical_relations", spec.name, inferred)
    return {"relations": inferred.height, "entities": entities.height}


def build_community(
    datasets: Datasets, spec: CorpusSpec, settings: Settings, *, chat: ChatModel | None = None
) -> dict[str, int]:
    """Write `community_relations`: hypotheses between communities, all of them speculative.

    With a language model they are its own (in `egot` mode between connected components, as published); without
    one they come from common neighbours and from the vectors of names, and in `egot` mode there are none.
    `extraction = "offline"` keeps the model out of this stage too.
    """
    relations = datasets.read("relations", spec.name)
    stated = premises(relations.select(PREMISE_COLUMNS))
    is_egot = spec.inference == "egot"
    grouping = groups.components(stated) if is_egot else groups.communities(stated)
    counts = {"components": len(groups.components(stated).sizes()), "groups": len(grouping.sizes())}
    model = None if spec.extraction == "offline" or settings.llm is None else settings.llm
    if model is not None:
        entities = datasets.read("entities", spec.name)
        proposed = asyncio.run(
            community_llm.propose(
                chat or open_chat(model, settings.cache),
                relations,
                grouping,
                dict(entities.select("entity_id", "name").iter_rows()),
                _quotable(datasets, spec),
                max_per_node=spec.max_inferred_per_node,
                max_total=spec.max_inferred,
            )
        )
        inferred = proposed.relations
        counts |= {"dropped": proposed.dropped.total(), "failed_calls": proposed.failed_calls}
        counts |= {f"dropped_{reason}": n for reason, n in sorted(proposed.dropped.items())}
    elif is_egot:
        inferred = relations.clear()
    else:
        entities = datasets.read("entities", spec.name)
        inferred = community.infer_offline(
            relations,
            dict(entities.select("entity_id", "category").iter_rows()),
            datasets.scan("embeddings", spec.name).filter(pl.col("kind") == "entity").select("id", "vector"),
            grouping,
            hub_degree=spec.hub_degree,
            max_per_node=spec.max_inferred_per_node,
            max_total=spec.max_inferred,
        )
    datasets.write("community_relations", spec.name, inferred)
    return {"relations": inferred.height, **counts}


def _quotable(datasets: Datasets, spec: CorpusSpec) -> pl.LazyFrame:
    """Evidence of articles whose licence lets them be quoted."""
    classes = [each for each in LICENSE_CLASSES if spec.rights.level(each) in ("text", "quote")]
    documents = datasets.scan("documents", spec.name).filter(pl.col("license_class").is_in(classes))
    return datasets.scan("evidence", spec.name).join(
        documents.select("article_id"), on="article_id", how="semi"
    )
