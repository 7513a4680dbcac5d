"""What a command may read of a corpus: its versions, or its articles."""

from __future__ import annotations

from kg_pipeline.corpora import CorpusSpec, check_readable, find_corpus
from kg_pipeline.errors import CorpusError
from kg_pipeline.graph.versions.store import VersionStore
from kg_pipeline.object_store import require_store
from kg_pipeline.settings import Settings


def readable_versions(settings: Settings, corpus: str) -> VersionStore:
    """Graph versions, once it is sure that the corpus is known or has some.

    Raises
    ------
    CorpusError
        If it is neither.
    ObjectStoreError
        If versions lie in an object store that is not there.

    """
    require_store(settings.store)
    store = VersionStore.of(settings)
    check_readable(settings.corpora_file, corpus, store.knows)
    return store


def corpus_of_articles(settings: Settings, corpus: str) -> CorpusSpec:
    """The corpus, if it is made from articles.

    Raises
    ------
    CorpusError
        If it is not known, or its graph was imported, so that there is nothing to fetch, read or decide.

    """
    spec = find_corpus(settings.corpora_file, corpus)
    if VersionStore.of(settings).is_imported(corpus):
        raise CorpusError(
            f"The graph of corpus {corpus!r} was imported and has no articles of its own. "
            f"Bring in a newer one with: kg import {corpus} FILES. For articles, choose another name."
        )
    return spec
