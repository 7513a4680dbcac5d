"""Evidence units of one question, whatever source they are from, and the memory that holds them.

A unit is a relation of the graph or a sentence of a passage or of a web record, with the entities it names, the
predicates it expresses and where it is from (section 5.2, unified evidence graph conversion).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kg_pipeline.graph.reader import Chunk, Document, Entity
from retrieval.evidence import Passage, Quote
from retrieval.methods.bioweave.settings import SourceName
from retrieval.passages.sentences import Sentence, Splitter, passage_quotes
from retrieval.paths.hops import Hop
from retrieval.paths.sentence_hops import sentence_hops
from retrieval.web import WebUnit


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of evidence."""

    key: str
    source: SourceName
    text: str
    entity_ids: frozenset[str]
    quotes: tuple[Quote, ...]
    confidence: float
    hop: Hop | None = None  # what it is on a path; None for a sentence that relates no two entities
    origin: str = ""  # the query that found it


def hop_unit(hop: Hop, entities: Mapping[str, Entity], origin: str = "") -> Unit:
    """The unit of a hop: the relation in words, or the sentence."""
    text = hop.fact.clause() if hop.fact is not None else hop.quotes[0].text
    source: SourceName = "kg" if hop.fact is not None else "web" if hop.source == "web" else "doc"
    ends = frozenset({hop.start_id, hop.end_id} & set(entities))
    return Unit(hop.key, source, text, ends, hop.quotes, hop.confidence, hop, origin)


def sentence_unit(row: Sentence, linked: Iterable[frozenset[str]], confidence: float) -> Unit:
    """The unit of a sentence that bears on the question; `linked` are the entities of each link it names."""
    quote = row.quote
    ids = frozenset(entity_id for ids in linked for entity_id in ids)
    key = f"{quote.article_id}:{quote.start}-{quote.end}"
    return Unit(key, "doc", quote.text, ids, (quote,), confidence)


@dataclass(slots=True)
class Memory:
    """UpdateEvidenceMemory: units by key, in the order of their arrival, and the records of the web they are from."""

    units: dict[str, Unit] = field(default_factory=dict)
    web: dict[str, WebUnit] = field(default_factory=dict)
    chunks: dict[str, Chunk] = field(default_factory=dict)  # of web records
    documents: dict[str, Document] = field(default_factory=dict)

    def add(self, units: Iterable[Unit]) -> int:
        """Take in units; returns how many are new."""
        before = len(self.units)
        for unit in units:
            self.units.setdefault(unit.key, unit)
        return len(self.units) - before

    def add_web(
        self, records: Iterable[WebUnit], entities: Iterable[Entity], split: Splitter, confidence: float
    ) -> list[Hop]:
        """Keep web records as citable text; returns the hops their sentences make between known entities."""
        known = list(entities)
        hops: list[Hop] = []
        for record in records:
            if record.address in self.web:
                continue
            self.web[record.address] = record
            chunk = _chunk(record)
            self.chunks[chunk.chunk_id] = chunk
            self.documents[chunk.article_id] = _document(record)
            quotes = passage_quotes(Passage(chunk, 0.0), split)
            hops += sentence_hops(quotes, known, confidence, "web")
        return hops


def _chunk(record: WebUnit) -> Chunk:
    """The span of a record as a passage; its section says where and when it was retrieved."""
    return Chunk(
        chunk_id=f"web:{record.channel}:{record.record_id}",
        article_id=record.record_id,
        ordinal=0,
        section_path=f"{record.channel}, {record.address}, retrieved {record.retrieved}",
        start=record.start,
        end=record.end,
        text=record.text[record.start : record.end],
    )


def _document(record: WebUnit) -> Document:
    return Document(record.record_id, 1, record.title, record.channel, None, None, None, "unknown")
