"""Passages that a language model is asked about, and what it says of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kg_pipeline.extraction.grounding.anchors import MentionSpan
from kg_pipeline.extraction.llm.triples import Passage
from kg_pipeline.text.abbreviations import find_definitions


def passage_of(sentences: Sequence[str], mentions: Sequence[MentionSpan] = (), title: str = "T") -> Passage:
    """A chunk that is these sentences, one space between them."""
    text = " ".join(sentences)
    spans, start = [], 0
    for sentence in sentences:
        spans.append((start, start + len(sentence)))
        start += len(sentence) + 1
    return Passage(
        "PMC1", title, text, 0, len(text), tuple(spans), tuple(mentions), tuple(find_definitions(text))
    )


def item(head: str, predicate: str, tail: str, quote: str, **more: Any) -> dict[str, Any]:
    """One triple of an answer."""
    return {"head": head, "predicate": predicate, "tail": tail, "quote": quote, **more}
