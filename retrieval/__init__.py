"""Questions over a materialised graph version.

    import retrieval

    with retrieval.open("lupus") as graph:
        print(graph.ask("How is UV related to lupus?").render())

Importing this loads neither Dagster nor a model.
"""

from kg_pipeline.errors import GraphError, KgError, LlmError, NoGraphError, StoreUnavailable
from retrieval.answer import NO_INFORMATION, Answer, AnswerSentence, Citation
from retrieval.graph import Graph
from retrieval.graph import open_graph as open  # noqa: A004 - retrieval.open reads as what it does
from retrieval.methods.registry import METHODS, Method, UnknownMethodError
from retrieval.search import SearchSettings

__all__ = [
    "METHODS",
    "NO_INFORMATION",
    "Answer",
    "AnswerSentence",
    "Citation",
    "Graph",
    "GraphError",
    "KgError",
    "LlmError",
    "Method",
    "NoGraphError",
    "SearchSettings",
    "StoreUnavailable",
    "UnknownMethodError",
    "open",
]
