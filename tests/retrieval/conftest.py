"""Graphs in memory that answer without a model."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from retrieval.graph import Graph
from retrieval.methods.context import CachedEmbedder, Context
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.reasoning.reasoner import Reasoner
from tests.retrieval.lupus_graph import lupus, sclc
from tests.retrieval.memory_graph import HashingEmbedder, MemoryGraph, split

Open = Callable[..., Graph]


def open_memory(
    reader: MemoryGraph, reasoner: Callable[[ExtractiveReasoner], Reasoner] | None = None
) -> Graph:
    embedder = CachedEmbedder(HashingEmbedder())
    extractive = ExtractiveReasoner(reader, embedder, split)
    return Graph(Context(reader, embedder, split, reasoner(extractive) if reasoner else extractive))


@pytest.fixture
def lupus_reader() -> MemoryGraph:
    return lupus()


@pytest.fixture
def lupus_graph(lupus_reader: MemoryGraph) -> Graph:
    return open_memory(lupus_reader)


@pytest.fixture
def sclc_graph() -> Graph:
    return open_memory(sclc())


@pytest.fixture
def open_graph() -> Open:
    """Open a memory graph, with another reasoner made from the extractive one."""
    return open_memory
