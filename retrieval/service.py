"""Questions to a graph as other programs ask them: read only, every result typed and bounded, text of articles as data.

Text of articles is passed on without characters that command a terminal and without sentences that give their reader
instructions: the reader of these results may be a language model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from kg_pipeline.errors import QuestionError
from kg_pipeline.graph.addresses import article_address
from kg_pipeline.graph.reader import ALL_KINDS, ASSERTED, Document, Entity, Path
from retrieval.answer import Answer, Citation
from retrieval.evidence import Passage, Quote
from retrieval.graph import Graph
from retrieval.layout import type_name
from retrieval.paths.facts import Fact, load_facts
from retrieval.service_types import (
    AnswerGiven,
    EntityFound,
    NeighbourhoodResult,
    PassageFound,
    PathResult,
    RelationFound,
    SearchResult,
    SentenceGiven,
    Source,
)
from retrieval.words.guard import addresses_reader
from retrieval.words.plain import plain_line

LONGEST_QUESTION = 1000  # characters
MOST_FOUND = 50
LONGEST_PATH = 4
MOST_PATHS = 10
_LOOKED_AT = 200  # relations of one entity
_LONGEST_NAME = 200
_LONGEST_QUOTE = 1000
_LONGEST_PASSAGE = 3000
_ALIASES = 5
_SOURCES = 3  # of one relation
_SENTENCES = 60
_WITHHELD = "[left out: it gives its reader instructions]"


class Service:
    """Look-ups in one opened graph; safe for many callers at once.

    What cannot be looked up as asked raises `QuestionError`, whose message says what to ask instead.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def search(self, question: str, limit: int = 8) -> SearchResult:
        """What is near a question: at most `limit` passages, entities and relations each."""
        _check(question, limit, MOST_FOUND)
        return await asyncio.to_thread(self._search, question, limit)

    async def neighbourhood(
        self, entity: str, limit: int = 20, *, inferred: bool = True
    ) -> NeighbourhoodResult:
        """An entity, by name or id, and its surest relations, stated before inferred."""
        _check(entity, limit, MOST_FOUND)
        return await asyncio.to_thread(self._neighbourhood, entity, limit, inferred)

    async def path(
        self, source: str, target: str, max_length: int = LONGEST_PATH, limit: int = 3
    ) -> PathResult:
        """Chains of at most `max_length` relations from one entity to another, each by name or id."""
        _check(source, limit, MOST_PATHS)
        _check(target, max_length, LONGEST_PATH)
        return await asyncio.to_thread(self._path, source, target, max_length, limit)

    async def ask(self, question: str, method: str = "auto") -> AnswerGiven:
        """The verified answer to a question, every sentence with its sources."""
        _check(question, 1, 1)
        return _given(await self._graph.aask(question, method))

    def _search(self, question: str, limit: int) -> SearchResult:
        found = self._graph.search(question)
        titles = {document.article_id: document for document in found.documents}
        facts = load_facts(self._graph.reader, found.relations[:limit])
        counts = (len(found.passages), len(found.entities), len(found.relations))
        return SearchResult(
            passages=[self._passage(passage, titles) for passage in found.passages[:limit]],
            entities=[_entity(seed.entity) for seed in found.entities[:limit]],
            relations=self._relations(facts),
            left_out=sum(max(count - limit, 0) for count in counts),
        )

    def _neighbourhood(self, name: str, limit: int, inferred: bool) -> NeighbourhoodResult:
        reader = self._graph.reader
        entity = self._find(name)
        kinds = ALL_KINDS if inferred else ASSERTED
        ids = reader.neighbours([entity.entity_id], kinds=kinds, per_node=_LOOKED_AT)
        facts = load_facts(reader, reader.relations(ids[:limit]))
        return NeighbourhoodResult(
            entity=_entity(entity), relations=self._relations(facts), left_out=max(len(ids) - limit, 0)
        )

    def _path(self, source: str, target: str, max_length: int, limit: int) -> PathResult:
        one, other = self._find(source), self._find(target)
        if one.entity_id == other.entity_id:
            raise QuestionError(f"Both names stand for {plain_line(one.name)}. Give two different entities.")
        paths = self._graph.reader.paths(one.entity_id, other.entity_id, max_length=max_length, k=limit)
        return PathResult(
            source=_entity(one), target=_entity(other), paths=[self._hops(path) for path in paths]
        )

    def _hops(self, path: Path) -> list[RelationFound]:
        reader = self._graph.reader
        return self._relations(load_facts(reader, reader.relations(path.relation_ids)))

    def _find(self, name: str) -> Entity:
        """The one entity of an id or a name."""
        reader = self._graph.reader
        by_id = reader.entities([name])
        if by_id:
            return by_id[0]
        found = reader.entities(reader.find_entities(name))
        if len(found) == 1:
            return found[0]
        shown = plain_line(name)
        if not found:
            raise QuestionError(
                f"The graph has no entity {shown!r}. Use search to find the name that it goes by."
            )
        choices = "; ".join(_described(entity) for entity in found[:MOST_FOUND])
        raise QuestionError(f"{shown!r} can be {choices}. Give the id of one.")

    def _relations(self, facts: Sequence[Fact]) -> list[RelationFound]:
        cited = {quote.article_id for fact in facts for quote in _quotes(fact)}
        documents = {d.article_id: d for d in self._graph.reader.documents(sorted(cited))}
        return [_relation(fact, documents) for fact in facts]

    def _passage(self, passage: Passage, documents: Mapping[str, Document]) -> PassageFound:
        chunk = passage.chunk
        kept, withheld = [chunk.text], 0
        if addresses_reader(chunk.text):
            sentences = [chunk.text[start:end] for start, end in self._graph.context.split(chunk.text)]
            kept = [sentence for sentence in sentences if not addresses_reader(sentence)]
            withheld = len(sentences) - len(kept)
        text = " ".join(kept)
        return PassageFound(
            article_id=chunk.article_id,
            title=_safe(_title(chunk.article_id, documents), _LONGEST_NAME),
            section=_safe(chunk.section_path, _LONGEST_NAME),
            start=chunk.start,
            end=chunk.end,
            text=_safe(text, _LONGEST_PASSAGE),
            score=round(passage.score, 6),
            withheld=withheld,
            address=article_address(chunk.article_id),
        )


def _check(text: str, limit: int, most: int) -> None:
    if not text.strip():
        raise QuestionError("The question or name is empty; say it in words.")
    if len(text) > LONGEST_QUESTION:
        raise QuestionError(
            f"The question or name has {len(text)} characters; at most {LONGEST_QUESTION} are read."
        )
    if not 1 <= limit <= most:
        raise QuestionError(f"A number asked for is {limit}; it must be between 1 and {most}.")


def _given(answer: Answer) -> AnswerGiven:
    sentences = answer.sentences[:_SENTENCES]
    last = max((number for sentence in sentences for number in sentence.citations), default=0)
    return AnswerGiven(
        question=plain_line(answer.question),
        answered=answer.answered,
        text=" ".join(_safe(sentence.text) for sentence in sentences) if answer.answered else answer.text,
        reason=plain_line(answer.trace.reason),
        verdict=answer.verdict,
        items=[_safe(item, _LONGEST_NAME) for item in answer.items],
        sentences=[
            SentenceGiven(text=_safe(s.text), citations=list(s.citations), kind=s.kind) for s in sentences
        ],
        sources=[_source(citation, citation.title, citation.quote) for citation in answer.citations[:last]],
        contradictions=[
            f"{_safe(c.head)} {c.predicate} {_safe(c.tail)}: {_numbers(c.stated)} state it, "
            f"{_numbers(c.opposed)} {'deny it' if c.reason == 'denied' else 'state the opposite'}"
            for c in answer.contradictions
        ],
        inferred=[
            f"{_safe(c.text)}, because {'; '.join(_safe(premise.text) for premise in c.premises)}"
            for c in answer.inferred
        ],
        confidence=answer.confidence,
        method=answer.method,
        reasoner=answer.reasoner,
        corpus=answer.corpus,
        version=answer.version,
        left_out=len(answer.sentences) - len(sentences),
    )


def _numbers(citations: Sequence[int]) -> str:
    return ", ".join(f"[{number}]" for number in citations)


def _source(place: Citation | Quote, title: str, quote: str) -> Source:
    return Source(
        article_id=place.article_id,
        title=_safe(title, _LONGEST_NAME),
        section=_safe(place.section_path, _LONGEST_NAME),
        start=place.start,
        end=place.end,
        quote=_safe(quote),
        address=article_address(place.article_id),
    )


def _relation(fact: Fact, documents: Mapping[str, Document]) -> RelationFound:
    relation = fact.relation
    return RelationFound(
        head=_safe(fact.head.name, _LONGEST_NAME),
        predicate=relation.predicate,
        tail=_safe(fact.tail.name, _LONGEST_NAME),
        head_id=relation.head_id,
        tail_id=relation.tail_id,
        kind=relation.kind,
        negated=relation.negated,
        speculative=relation.speculative,
        confidence=round(float(relation.confidence), 6),
        sources=[_source(quote, _title(quote.article_id, documents), quote.text) for quote in _quotes(fact)],
        premises=[]
        if relation.kind == "asserted"
        else [_safe(premise.clause()) for premise in fact.asserted()],
    )


def _quotes(fact: Fact) -> list[Quote]:
    """The best sentences of a relation; those of its premises, one each, where it is inferred."""
    if fact.relation.kind == "asserted":
        return list(fact.quotes[:_SOURCES])
    return [quote for premise in fact.asserted() for quote in premise.quotes[:1]][:_SOURCES]


def _entity(entity: Entity) -> EntityFound:
    return EntityFound(
        id=entity.entity_id,
        name=_safe(entity.name, _LONGEST_NAME),
        type=type_name(entity.category),
        aliases=[_safe(alias, _LONGEST_NAME) for alias in entity.aliases[:_ALIASES]],
        articles=entity.n_articles,
    )


def _described(entity: Entity) -> str:
    return f"{_safe(entity.name, _LONGEST_NAME)} ({type_name(entity.category)}, id {entity.entity_id})"


def _title(article_id: str, documents: Mapping[str, Document]) -> str:
    known = documents.get(article_id)
    return known.title if known else ""


def _safe(text: str, longest: int = _LONGEST_QUOTE) -> str:
    """Text of an article as data: one line, bounded, nothing that commands a terminal or instructs a reader."""
    line = plain_line(text)
    if addresses_reader(line):
        return _WITHHELD
    return line if len(line) <= longest else line[: longest - 1] + "…"
