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
    """The nodes nearest to the fact by vector, and every relation within two steps of one of them (KGGen, section 4).

    Its model is all-MiniLM-L6-v2, of which ours is an 8 bit copy.
    """
    nodes = sorted({end for head, _, tail in triples for end in (head, tail)})
    vectors = embedder.embed(nodes)
    around: dict[str, list[int]] = {node: [] for node in nodes}
    for number, (head, _, tail) in enumerate(triples):
        around[head].append(number)
        if tail != head:
            around[tail].append(number)

    def retrieve(fact: str) -> list[str]:
        cosines = vectors @ embedder.embed([fact])[0] if nodes else np.empty(0)
        reached = {nodes[n] for n in np.argsort(-cosines, kind="stable")[:_NODES]}
        found: dict[int, None] = {}
        for _ in range(_DEPTH):
            met = dict.fromkeys(number for node in sorted(reached) for number in around[node])
            found |= met
            reached = {end for number in met for end in (triples[number][0], triples[number][2])}
        return [stated(triples[number]) for number in found]

    return retrieve


def ours(triples: Sequence[Triple], embedder: Embedder) -> Retrieve:
    """The statements nearest to the fact: what `ppr` starts its walk from (`retrieval.ppr_facts`)."""
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
