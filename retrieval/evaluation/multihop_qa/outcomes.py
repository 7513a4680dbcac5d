"""What became of one question: score, prediction, evidence used, and what it took."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from retrieval.answer import Answer
from retrieval.evaluation.biomedhop.items import Item
from retrieval.evaluation.biomedhop.patterns import Family

Format = Literal["mcq", "open", "count"]
#: Sources that verify an answer: what its citations are of (figure 5 of the paper).
Sources = frozenset[str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question in one format, answered by one method."""

    item_id: str
    family: Family
    pattern: str
    format: Format
    method: str
    score: float  # MCQ Acc., Open Acc. or CountEx of this question: 0 or 1
    prediction: str
    answered: bool
    sources: Sources
    overlap: float  # share of the gold graph's edges that the evidence graph has
    calls: int
    prompt_tokens: int
    completion_tokens: int
    text: str
    quotes: tuple[str, ...] = field(repr=False)
    error: str = ""  # why there is no answer, where a model failed
    seconds: float = field(default=0.0, compare=False)


def verifying_sources(answer: Answer) -> Sources:
    """`kg` where a relation is cited, `doc` where a passage is, `web` where a record of the web is."""
    found = set()
    for citation in answer.citations:
        is_web = citation.chunk_id.startswith("web:")
        found.add("web" if is_web else "kg" if citation.kind == "relation" else "doc")
    return frozenset(found)


def path_overlap(answer: Answer, item: Item) -> float:
    """Ratio(P) of section C.3: edges of the gold graph that are among those of the answer's evidence graph.

    An edge that several answers of a question for a number share is one edge.
    """
    used = {edge.relation_id for edge in answer.graph.edges}
    gold = {(edge.source_id, edge.predicate, edge.target_id): edge.relation_ids for edge in item.gold}
    return sum(not used.isdisjoint(ids) for ids in gold.values()) / len(gold)


def source_label(sources: Sources) -> str:
    """`KG`, `KG-Doc`, `3-source` …; `none` for an answer without citation."""
    names = {"kg": "KG", "doc": "Doc", "web": "Web"}
    if len(sources) == len(names):
        return "3-source"
    return "-".join(label for name, label in names.items() if name in sources) or "none"
