"""What became of one question: score, prediction, evidence used, and what it took."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kg_pipeline.graph.reader import GraphReader
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
    path_read: float = 0.0  # share of the gold graph's edges that the answer was made from, cited or not
    answer_read: float = 0.0  # share of the right answers that what it was made from names
    passages_read: int = 0
    seconds: float = field(default=0.0, compare=False)


def verifying_sources(answer: Answer) -> Sources:
    """`kg` where a relation is cited, `doc` where a passage is, `web` where a record of the web is."""
    found = set()
    for citation in answer.citations:
        is_web = citation.chunk_id.startswith("web:")
        found.add("web" if is_web else "kg" if citation.kind == "relation" else "doc")
    return frozenset(found)


def path_overlap(answer: Answer, item: Item) -> float:
    """Ratio(P) of section C.3: edges of the gold graph that are among those of the answer's evidence graph."""
    return _share_of_gold(item, frozenset(edge.relation_id for edge in answer.graph.edges))


def path_read(answer: Answer, item: Item) -> float:
    """Share of the gold graph's edges among the relations that an answer, or a refusal, was made from."""
    return _share_of_gold(item, frozenset(answer.trace.relations))


def answer_read(answer: Answer, item: Item, reader: GraphReader) -> float:
    """Share of the right answers that are an end of a relation, or mentioned in a passage, that was read.

    It tells retrieval from reasoning: what was not read cannot be answered, and what was read may still be refused.
    """
    named = {end for r in reader.relations(answer.trace.relations) for end in (r.head_id, r.tail_id)}
    for mentioned in reader.entities_of(answer.trace.passages).values():
        named.update(mentioned)
    return sum(one.entity_id in named for one in item.answers) / len(item.answers)


def _share_of_gold(item: Item, relation_ids: frozenset[str]) -> float:
    """An edge that several answers of a question for a number share is one edge."""
    gold = {(edge.source_id, edge.predicate, edge.target_id): edge.relation_ids for edge in item.gold}
    return sum(not relation_ids.isdisjoint(ids) for ids in gold.values()) / len(gold)


def source_label(sources: Sources) -> str:
    """`KG`, `KG-Doc`, `3-source` …; `none` for an answer without citation."""
    names = {"kg": "KG", "doc": "Doc", "web": "Web"}
    if len(sources) == len(names):
        return "3-source"
    return "-".join(label for name, label in names.items() if name in sources) or "none"
