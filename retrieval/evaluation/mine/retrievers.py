"""What is retrieved from a graph of triples for a fact: the published way, and ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kg_pipeline.llm.embeddings import Embedder
from retrieval.evaluation.triple_graph import Triple

Retrieve = Callable[[str], list[str]]
_NODES = 8  # most similar to the fact, as published
_DEPTH = 2  # steps from each of them, as published
_STATEMENTS = 20


def published(triples: Sequence[Triple], embedder: Embedder) -> Retrieve:
    """The nodes nearest to the fact by vector, and what is told in two steps along the arrows from one of them.

    As the evaluation of KGGen does it, on a directed graph that holds one relation for a head and a tail, the last one. A
    node that nothing starts from adds nothing, which costs graphs of many one-way names most. On the published graphs this
    retrieves the published contexts, statement for statement (98 % of GraphRAG's, 96 % of OpenIE's, 78 % of KGGen's; its
    model is all-MiniLM-L6-v2, of which ours is an 8 bit copy).
    """
    nodes = sorted({end for head, _, tail in triples for end in (head, tail)})
    vectors = embedder.embed(nodes)
    onward: dict[str, dict[str, str]] = {node: {} for node in nodes}
    for head, relation, tail in triples:
        onward[head][tail] = relation

    def retrieve(fact: str) -> list[str]:
        cosines = vectors @ embedder.embed([fact])[0] if nodes else np.empty(0)
        reached = {nodes[n] for n in np.argsort(-cosines, kind="stable")[:_NODES]}
        found: dict[Triple, None] = {}
        for _ in range(_DEPTH):
            met = [(head, name, tail) for head in sorted(reached) for tail, name in onward[head].items()]
            found |= dict.fromkeys(met)
            reached = {tail for _, _, tail in met}
        return [stated(triple) for triple in found]

    return retrieve


def ours(triples: Sequence[Triple], embedder: Embedder) -> Retrieve:
    """The statements nearest to the fact: what `ppr` starts its walk from (`retrieval.methods.ppr.facts`)."""
    statements = list(dict.fromkeys(map(stated, triples)))
    vectors = embedder.embed(statements)

    def retrieve(fact: str) -> list[str]:
        if not statements:
            return []
        cosines = vectors @ embedder.embed([fact])[0]
        return [statements[n] for n in np.argsort(-cosines, kind="stable")[:_STATEMENTS]]

    return retrieve


def stated(triple: Triple) -> str:
    """A triple in words."""
    return " ".join(part.strip() for part in triple)
