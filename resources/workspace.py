"""Where the assets find settings, corpora and stores."""

from __future__ import annotations

import dagster as dg

from kg_pipeline.corpora import CorpusSpec, find_corpus
from kg_pipeline.datasets import Datasets
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.pmc.raw import ArticleStore
from kg_pipeline.settings import Settings, load_settings


class Workspace(dg.ConfigurableResource):
    """Settings from the environment (`KG_HOME`, `KG_CORPORA`, …) and the stores that they name."""

    def settings(self) -> Settings:
        """Settings of this machine, read when asked so that a run sees what it was started with."""
        return load_settings()

    def corpus(self, name: str) -> CorpusSpec:
        """A corpus of the corpora file, or a CorpusError."""
        return find_corpus(self.settings().corpora_file, name)

    def datasets(self) -> Datasets:
        """Stage tables."""
        return Datasets.of(self.settings())

    def articles(self) -> ArticleStore:
        """Raw articles shared by all corpora."""
        return ArticleStore.of(self.settings())

    def versions(self) -> VersionStore:
        """Graph versions."""
        return VersionStore.of(self.settings())
