"""What `retrieval.service` hands to other programs: small records with bounded texts; each quote with its place."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class _Result(BaseModel):
    model_config = ConfigDict(frozen=True)


class Source(_Result):
    """A verbatim sentence of an article."""

    article_id: str = Field(description="PMCID, or another id with its prefix")
    title: str
    section: str
    start: int = Field(description="first code point in the article's text")
    end: int = Field(description="code point after the last")
    quote: str
    address: str = Field(description="web page of the article; empty where there is none")


class EntityFound(_Result):
    """An entity of the graph."""

    id: str
    name: str
    type: str
    aliases: list[str]
    articles: int = Field(description="articles that mention it")


class RelationFound(_Result):
    """A relation between two entities, with the sentences that state it or the relations it was inferred from."""

    head: str
    predicate: str
    tail: str
    head_id: str
    tail_id: str
    kind: str = Field(description="asserted: stated by articles; anything else: inferred, stated by none")
    negated: bool = Field(description="the articles deny it")
    speculative: bool = Field(description="the articles only suggest it")
    confidence: float
    sources: list[Source]
    premises: list[str] = Field(description="for an inferred relation, the stated ones it follows from")


class PassageFound(_Result):
    """A passage of an article, without sentences that give their reader instructions."""

    article_id: str
    title: str
    section: str
    start: int
    end: int
    text: str
    score: float = Field(description="cosine to the question")
    withheld: int = Field(description="sentences left out because they give their reader instructions")
    address: str


class SearchResult(_Result):
    """Passages, entities and relations near a question; an answer is not part of it."""

    passages: list[PassageFound]
    entities: list[EntityFound]
    relations: list[RelationFound]
    left_out: int = Field(description="things found beyond the limit")


class NeighbourhoodResult(_Result):
    """An entity with its surest relations."""

    entity: EntityFound
    relations: list[RelationFound]
    left_out: int = Field(description="relations beyond the limit, as far as they were looked at")


class PathResult(_Result):
    """Chains of relations between two entities, shortest first; none where there is no chain."""

    source: EntityFound
    target: EntityFound
    paths: list[list[RelationFound]]


class SentenceGiven(_Result):
    """A sentence of an answer with the numbers, from 1, of its sources."""

    text: str
    citations: list[int]
    kind: str = Field(description="finding, quote, inference (stated by no article) or contradiction")


class AnswerGiven(_Result):
    """The answer to a question; `answered` is false, with the reason, where the graph holds no evidence for one."""

    question: str
    answered: bool
    text: str
    reason: str
    verdict: str | None = Field(description="yes, no or maybe, of a yes/no question")
    items: list[str] = Field(description="the things that answer a question for things of a type")
    sentences: list[SentenceGiven]
    sources: list[Source]
    contradictions: list[str]
    inferred: list[str] = Field(description="relations used that no article states, with their premises")
    confidence: float | None
    method: str
    reasoner: str
    corpus: str
    version: str
    left_out: int = Field(description="sentences beyond the bound")
