"""Relations with everything needed to state them: names of the ends, the sentences that say so, premises if inferred."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kg_pipeline.graph.reader import Entity, GraphReader, Relation
from kg_pipeline.vocabulary.predicates import PREDICATES
from retrieval.evidence import Quote, quote_of
from retrieval.layout import shown_name, specified, statement
from retrieval.words.guard import addresses_reader

_PREMISE_LEVELS = 3
_QUOTES = 3


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation, asserted with quotes or inferred with premises."""

    relation: Relation
    head: Entity
    tail: Entity
    quotes: tuple[Quote, ...]
    premises: tuple[Fact, ...] = ()

    @property
    def sign(self) -> int:
        """Direction of effect of the predicate; 0 where it has none."""
        predicate = PREDICATES.get(self.relation.predicate)
        return predicate.sign if predicate else 0

    @property
    def symmetric(self) -> bool:
        """Whether head and tail may be exchanged."""
        predicate = PREDICATES.get(self.relation.predicate)
        return bool(predicate and predicate.symmetric)

    @property
    def names(self) -> dict[str, str]:
        """Entity id to name, with the authors' word where it is another one, and as narrowly as they put it."""
        heads = [(quote.text, quote.head_text) for quote in self.quotes]
        tails = [(quote.text, quote.tail_text) for quote in self.quotes]
        return {
            end.entity_id: specified(shown_name(end.name, (word for _, word in said)), said)
            for end, said in ((self.head, heads), (self.tail, tails))
        }

    def read_from(self, entity_id: str) -> Fact:
        """The fact as it starts at one of its ends, where it can be read both ways ("B is associated with A")."""
        relation = self.relation
        if not self.symmetric or relation.tail_id != entity_id:
            return self
        turned = replace(relation, head_id=relation.tail_id, tail_id=relation.head_id)
        quotes = tuple(
            replace(quote, head_text=quote.tail_text, tail_text=quote.head_text) for quote in self.quotes
        )
        return replace(self, relation=turned, head=self.tail, tail=self.head, quotes=quotes)

    def clause(self) -> str:
        """The fact in words, with its denial or reservation."""
        if self.relation.negated:
            return f"it is not the case that {self.plain()}"
        return f"it is suggested that {self.plain()}" if self.relation.speculative else self.plain()

    def plain(self) -> str:
        """The relation in words, whether it is stated, suggested or denied."""
        return statement(self.relation, self.names)

    def asserted(self) -> tuple[Fact, ...]:
        """The fact itself if it is asserted, else the asserted facts under it."""
        if self.relation.kind == "asserted":
            return (self,)
        return tuple(fact for premise in self.premises for fact in premise.asserted())

    @property
    def is_citable(self) -> bool:
        """Whether a sentence of an article stands behind it and behind each of its premises."""
        if self.relation.kind == "asserted":
            return bool(self.quotes)
        return bool(self.premises) and all(premise.is_citable for premise in self.premises)


def load_facts(reader: GraphReader, relations: Iterable[Relation]) -> list[Fact]:
    """Facts of relations in the order given; relations with an end the graph does not have are left out."""
    return _load(reader, list(relations), _PREMISE_LEVELS)


def _load(reader: GraphReader, relations: Sequence[Relation], levels: int) -> list[Fact]:
    ids = sorted({end for relation in relations for end in (relation.head_id, relation.tail_id)})
    entities = {entity.entity_id: entity for entity in reader.entities(ids)}
    quotes: dict[str, list[Quote]] = {}
    asserted = [relation.relation_id for relation in relations if relation.kind == "asserted"]
    for evidence in reader.evidence(asserted, per_relation=_QUOTES):
        if not addresses_reader(evidence.quote):
            quotes.setdefault(evidence.relation_id, []).append(quote_of(evidence))
    wanted = sorted({premise for relation in relations if levels for premise in relation.premises})
    premises: dict[str, Fact] = {}
    if wanted:
        premises = {
            fact.relation.relation_id: fact for fact in _load(reader, reader.relations(wanted), levels - 1)
        }
    return [
        Fact(
            relation=relation,
            head=entities[relation.head_id],
            tail=entities[relation.tail_id],
            quotes=tuple(quotes.get(relation.relation_id, ())),
            premises=tuple(premises[premise] for premise in relation.premises if premise in premises),
        )
        for relation in relations
        if relation.head_id in entities and relation.tail_id in entities
    ]
