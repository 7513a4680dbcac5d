"""Evidence for the hops of items, from the graph, from its articles and from recorded searches of the web (section D.2).

A relation of an imported graph that no article is quoted for is put into words when it is imported, and its knowledge
source stands for the article. Those words are the graph once more, and no witness from a document.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kg_pipeline.graph.exchange.records import SOURCE_PREFIX
from kg_pipeline.graph.reader import Chunk, Evidence, GraphReader
from retrieval.evaluation.biomedhop.items import EvidenceUnit, GoldEdge, HopQuery, Item
from retrieval.passages.sentences import Splitter
from retrieval.web import Channel, WebUnit
from retrieval.words.terms import find_name, name_keys, tokenise

#: How far each source is trusted before anything is verified, as in `retrieval.methods.bioweave.settings`.
PRIORS = {"kg": 1.0, "doc": 0.8, "web": 0.5}
_QUOTES = 2  # sentences of one edge
_SEARCHED = 10  # passages looked through for one query


@dataclass(frozen=True, slots=True)
class DocumentSearch:
    """RetrieveMultiDoc: sentences besides those that the graph cites, which name both ends of a hop.

    `passages` is how many are kept for a hop; 0 searches nothing, so that documents are what the edges cite.
    """

    reader: GraphReader
    split: Splitter | None = None
    passages: int = 1
    _spans: dict[str, Sequence[tuple[int, int]]] = field(default_factory=dict)  # of chunks that were read

    def find(
        self, query: str, edge: GoldEdge, names: dict[str, tuple[str, ...]], known: set[str]
    ) -> Iterator[EvidenceUnit]:
        """Units for one hop from chunks that are not among `known`."""
        if self.passages == 0 or self.split is None:
            return
        hits = [hit.id for hit in self.reader.search_text("chunk", query, _SEARCHED) if hit.id not in known]
        mentioned = self.reader.entities_of(hits)
        ends = {edge.source_id, edge.target_id}
        kept = [chunk_id for chunk_id in hits if ends <= set(mentioned.get(chunk_id, ()))]
        found = 0
        for chunk in self.reader.chunks(kept):
            if chunk.article_id.startswith(SOURCE_PREFIX):
                continue
            if chunk.chunk_id not in self._spans:
                self._spans[chunk.chunk_id] = self.split(chunk.text)
            unit = _sentence(chunk, self._spans[chunk.chunk_id], edge, names, query)
            if unit is not None:
                yield unit
                found += 1
            if found == self.passages:
                return


def attach(items: Sequence[Item], reader: GraphReader, search: DocumentSearch) -> list[Item]:
    """The items with the evidence of the graph and of its articles."""
    wanted = sorted({r for item in items for edge in item.gold for r in edge.relation_ids})
    cited: dict[str, list[Evidence]] = {}
    for row in reader.evidence(wanted, per_relation=_QUOTES):
        cited.setdefault(row.relation_id, []).append(row)
    return [item.model_copy(update={"evidence": tuple(_units(item, cited, search))}) for item in items]


async def attach_web(item: Item, channel: Channel, limit: int = 2) -> Item:
    """The item with what a channel finds for its hops; give a recorded channel, so that scoring searches nothing live.

    Raises
    ------
    WebUnavailable
        If the channel cannot be reached or has no record of a query.

    """
    names = _names(item)
    units: list[EvidenceUnit] = []
    for query, edge in _by_hop(item):
        for record in await channel.search(query.text, limit):
            units += _web_unit(record, edge, names)
    return item.model_copy(update={"evidence": (*item.evidence, *units)})


def _by_hop(item: Item) -> Iterator[tuple[HopQuery, GoldEdge]]:
    """The first query of each hop with the first edge of it."""
    for query in item.queries:
        if query.kind == "hop":
            edge = next((edge for edge in item.gold if (edge.hop,) == query.hops), None)
            if edge is not None:
                yield query, edge


def _names(item: Item) -> dict[str, tuple[str, ...]]:
    entities = (*item.exposed, *item.hidden, *item.answers)
    return {entity.entity_id: entity.accepted or (entity.name,) for entity in entities}


def _units(item: Item, cited: dict[str, list[Evidence]], search: DocumentSearch) -> Iterator[EvidenceUnit]:
    names = _names(item)
    by_hop = {query.hops[0]: query.text for query in reversed(item.queries) if query.kind == "hop"}
    seen: set[tuple[int, str]] = set()
    for edge in item.gold:
        for relation_id in edge.relation_ids[:1]:
            if (edge.hop, relation_id) in seen:
                continue
            seen.add((edge.hop, relation_id))
            rows = cited.get(relation_id, [])
            yield _edge_unit(edge, relation_id, names, rows)
            for row in rows:
                if not row.article_id.startswith(SOURCE_PREFIX):
                    yield _quote_unit(edge, row)
            if edge.answer_id == item.answers[0].entity_id:
                yield from search.find(by_hop[edge.hop], edge, names, {row.chunk_id for row in rows})


def _edge_unit(
    edge: GoldEdge, relation_id: str, names: dict[str, tuple[str, ...]], rows: Sequence[Evidence]
) -> EvidenceUnit:
    one, other = names[edge.source_id][0], names[edge.target_id][0]
    return EvidenceUnit(
        source="kg",
        hop=edge.hop,
        text=f"{one} {edge.phrase} {other}",
        entity_ids=(edge.source_id, edge.target_id),
        mentions=(one, other),
        phrase=edge.phrase,
        query="",
        prior=PRIORS["kg"],
        score=max((row.confidence for row in rows), default=None),
        relation_id=relation_id,
    )


def _quote_unit(edge: GoldEdge, row: Evidence) -> EvidenceUnit:
    return EvidenceUnit(
        source="doc",
        hop=edge.hop,
        text=row.quote,
        entity_ids=(edge.source_id, edge.target_id),
        mentions=(row.head_text, row.tail_text),
        phrase=row.predicate_text,
        query="",
        prior=PRIORS["doc"],
        score=row.confidence,
        relation_id=row.relation_id,
        article_id=row.article_id,
        chunk_id=row.chunk_id,
        start=row.start,
        end=row.end,
    )


def _sentence(
    chunk: Chunk,
    spans: Sequence[tuple[int, int]],
    edge: GoldEdge,
    names: dict[str, tuple[str, ...]],
    query: str,
) -> EvidenceUnit | None:
    """The first sentence of a passage that names both ends."""
    for start, end in spans:
        text = chunk.text[start:end]
        mentions = _mentions(text, edge, names)
        if mentions:
            return EvidenceUnit(
                source="doc",
                hop=edge.hop,
                text=text,
                entity_ids=(edge.source_id, edge.target_id),
                mentions=mentions,
                phrase=edge.phrase,
                query=query,
                prior=PRIORS["doc"],
                score=None,
                article_id=chunk.article_id,
                chunk_id=chunk.chunk_id,
                start=chunk.start + start,
                end=chunk.start + end,
            )
    return None


def _mentions(text: str, edge: GoldEdge, names: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """How the text writes both ends of an edge; empty if it lacks one."""
    tokens = tokenise(text)
    found = []
    for end in (edge.source_id, edge.target_id):
        at = find_name(tokens, name_keys(names[end]))
        if at is None:
            return ()
        found.append(text[tokens[at[0]].start : tokens[at[1] - 1].end])
    return tuple(found)


def _web_unit(record: WebUnit, edge: GoldEdge, names: dict[str, tuple[str, ...]]) -> Iterator[EvidenceUnit]:
    text = record.text[record.start : record.end]
    if mentions := _mentions(text, edge, names):
        yield EvidenceUnit(
            source="web",
            hop=edge.hop,
            text=text,
            entity_ids=(edge.source_id, edge.target_id),
            mentions=mentions,
            phrase=edge.phrase,
            query=record.query,
            prior=PRIORS["web"],
            score=None,
            article_id=record.record_id,
            start=record.start,
            end=record.end,
            address=record.address,
            retrieved=record.retrieved,
        )
