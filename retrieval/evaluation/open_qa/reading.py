"""Reading of ranked passages, as the benchmarks' baselines do it: the first few passages, and the shortest answer from them.

A reader always answers, so that what is compared are the rankings. Without a language model it takes the name that is not
in the question from the passage's sentence that shares most words with it, which finds answers of one hop at best.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from kg_pipeline.graph.reader import Chunk, GraphReader
from retrieval.evaluation.open_qa.short_answers import ShortAnswers
from retrieval.evaluation.verification import data
from retrieval.evaluation.wording import entity_keys
from retrieval.passages.sentences import Splitter
from retrieval.words.terms import content_stems, coverage, find_name, tokenise


class Reader(Protocol):
    """Answers from passages."""

    @property
    def name(self) -> str:
        """`rules`, or `llm:` and the model."""
        ...

    async def read(self, question: str, passages: Sequence[Chunk]) -> str:
        """The shortest words that answer; empty where there are none."""
        ...


class RuleReader:
    """Names of a graph in sentences."""

    name = "rules"

    def __init__(self, reader: GraphReader, split: Splitter) -> None:
        self._reader = reader
        self._split = split

    async def read(self, question: str, passages: Sequence[Chunk]) -> str:
        """The first name of the best sentence, of the earlier passage where two are as good."""
        mentioned = self._reader.entities_of([passage.chunk_id for passage in passages])
        asked, wanted = tokenise(question), content_stems(question)
        found: list[tuple[float, int, int, int, str]] = []
        for rank, passage in enumerate(passages):
            entities = [
                entity
                for entity in self._reader.entities(mentioned.get(passage.chunk_id, []))
                if not find_name(asked, entity_keys(entity))
            ]
            for start, end in self._split(passage.text):
                text = passage.text[start:end]
                tokens, share = tokenise(text), coverage(wanted, content_stems(text))
                found += [
                    (-share, rank, at[0], -at[1], entity.name)
                    for entity in entities
                    if (at := find_name(tokens, entity_keys(entity)))
                ]
        return min(found)[-1] if found else ""


class LlmReader(ShortAnswers):
    """A language model."""

    async def read(self, question: str, passages: Sequence[Chunk]) -> str:
        """The words of the model; empty where its reply cannot be used."""
        listed = [f"Passage {number}: {data(passage.text)}" for number, passage in enumerate(passages, 1)]
        return await self.ask("read_passages", "\n".join([*listed, f"Question: {data(question)}"]))
