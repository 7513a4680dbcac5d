"""The words of an answer that exact match and F1 compare: benchmarks expect a name, a date or a yes, not sentences.

A language model that answers gives them itself, when asked for the shortest words of what it said. Without one they are
read by rules: the verdict, the things that the answer lists, or the first name in it that the question does not have.
"""

from __future__ import annotations

import re
from typing import Protocol

from kg_pipeline.graph.reader import GraphReader
from retrieval.answer import Answer
from retrieval.evaluation.metrics import extract_count
from retrieval.evaluation.open_qa.short_answers import ShortAnswers
from retrieval.evaluation.verification import data
from retrieval.evaluation.wording import entity_keys, without_marks
from retrieval.words.terms import find_name, tokenise

_COUNTED = re.compile(r"\bhow many\b", re.IGNORECASE)


class Shortener(Protocol):
    """Makes the prediction of an answer."""

    @property
    def name(self) -> str:
        """`rules`, or `llm:` and the model."""
        ...

    async def shorten(self, answer: Answer) -> str:
        """The words that are compared; empty for a question that was not answered."""
        ...


class RuleShortener:
    """Rules over the names of a graph."""

    name = "rules"

    def __init__(self, reader: GraphReader) -> None:
        self._reader = reader

    async def shorten(self, answer: Answer) -> str:
        """The words that are compared; empty for a question that was not answered."""
        if not answer.answered:
            return ""
        if answer.verdict is not None:
            return answer.verdict
        text = without_marks(answer.text)
        if _COUNTED.search(answer.question):
            count = len(answer.items) or extract_count(text)
            return "" if count is None else str(count)
        if answer.items:
            return answer.items[0]
        return self._first_name(answer, text) or text.partition("\n")[0].strip()

    def _first_name(self, answer: Answer, text: str) -> str:
        """The name of the graph that comes first in the text, of those that the question does not have."""
        cited = self._reader.entities_of([citation.chunk_id for citation in answer.citations])
        ids = dict.fromkeys([*answer.graph.entities, *(one for row in cited.values() for one in row)])
        asked, tokens = tokenise(answer.question), tokenise(text)
        places = [
            (at[0], -at[1], entity.name)
            for entity in self._reader.entities(list(ids))
            if not find_name(asked, entity_keys(entity)) and (at := find_name(tokens, entity_keys(entity)))
        ]
        return min(places)[2] if places else ""


class LlmShortener(ShortAnswers):
    """The language model that answered."""

    async def shorten(self, answer: Answer) -> str:
        """The words that are compared; empty for a question that was not answered, or where the model gives none."""
        if not answer.answered:
            return ""
        said = data(without_marks(answer.text))
        return await self.ask("short_answer", f"Question: {data(answer.question)}\nAnswer: {said}")
