"""The stages of a whole corpus, and the first articles of a source, as the benchmarks of a build run them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.graph.assembly.assemble import assemble_version
from kg_pipeline.graph.assembly.embed import build_embeddings
from kg_pipeline.inference.stage import build_community, build_lexical, build_relations, build_transitive
from kg_pipeline.normalization.stage import build_entities
from kg_pipeline.pmc.sources import open_source
from kg_pipeline.settings import Settings

Stage = Callable[[Datasets, CorpusSpec, Settings], object]

WHOLE: dict[str, Stage] = {
    "entities": build_entities,
    "relations": lambda datasets, spec, _: build_relations(datasets, spec),
    "transitive": lambda datasets, spec, _: build_transitive(datasets, spec),
    "lexical": build_lexical,
    "embeddings": build_embeddings,
    "community": build_community,
    "graph_version": assemble_version,
}


def first_articles(source: Path, articles: int, folder: Path) -> Path:
    """A folder of the first articles of a source."""
    folder.mkdir()
    for number, (_, data) in enumerate(islice(open_source(source).entries(), articles)):
        (folder / f"{number:05d}.xml").write_bytes(data)
    return folder
