"""Relations with everything needed to state them: names of the ends, the sentences that say so, premises if inferred."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kg_pipeline.graph.reader import Entity, GraphReader, Relation
from kg_pipeline.vocabulary.predicates import PREDICATES
from retrieval.evidence import Quote, quote_of
from retrieval.layout import shown_name, specified, statement
from retrieval.words.guard import addresses_reader
from retrieval.words.terms import is_hedged

_PREMISE_LEVELS = 3
_QUOTES = 3
_WORD = re.compile(r"[^\s,]+")
#: What says something beside the relation: a clause about one end, and what an effect is due to ("VEGF-induced").
_ASIDE = re.compile(
    r",\s*(?:which|who|whose)\b[^,]*,|[\w-]+-(?:induced|mediated|stimulated|driven|dependent)\b"
)
_OPENING = 3  # words before the ends of a relation, among which an adverb may be of it


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation, asserted with quotes or inferred with premises."""

    relation: Relation
    head: Entity
    tail: Entity
    quotes: tuple[Quote, ...]
    premises: tuple[Fact, ...] = ()
    rule: str = ""  # by which it was inferred, with the names of the entities that the rule has by their ids

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
    named = {
        word for relation in relations if relation.kind != "asserted" for word in _WORD.findall(relation.rule)
    }
    names = {entity.entity_id: entity.name for entity in reader.entities(sorted(named))}
    return [
        Fact(
            relation=_read_with_care(relation, quotes.get(relation.relation_id, ())),
            head=entities[relation.head_id],
            tail=entities[relation.tail_id],
            quotes=tuple(quotes.get(relation.relation_id, ())),
            premises=tuple(premises[premise] for premise in relation.premises if premise in premises),
            rule=_WORD.sub(lambda word: _with_name(word.group(), names), relation.rule),
        )
        for relation in relations
        if relation.head_id in entities and relation.tail_id in entities
    ]


def _with_name(word: str, names: Mapping[str, str]) -> str:
    return f"{names[word]} ({word})" if word in names else word


def _read_with_care(relation: Relation, quotes: Sequence[Quote]) -> Relation:
    """The relation, as suggested only where every sentence that states it does so with a reservation."""
    if relation.speculative or not quotes or not all(map(_is_reserved, quotes)):
        return relation
    return replace(relation, speculative=True)


def _is_reserved(quote: Quote) -> bool:
    """Whether a word of reservation stands between the ends of a relation, or an adverb of it opens what is said of them."""
    opening, stretch = between_ends(quote)
    adverbs = [word for word in (word.strip(",") for word in opening[-_OPENING:]) if word.endswith("ly")]
    return is_hedged(f"{' '.join(adverbs)} {stretch}")


def between_ends(quote: Quote) -> tuple[list[str], str]:
    """The words of a quote before the ends of its relation, and what stands between the two without asides.

    Both in lower case, and empty where the ends are not found.
    """
    said = quote.text.lower()
    places = [(said.find(end.lower()), len(end)) for end in (quote.head_text, quote.tail_text)]
    if any(start < 0 or not length for start, length in places):
        return [], ""
    (first, width), (second, _) = sorted(places)
    return said[:first].split(), _ASIDE.sub(" ", said[first + width : second])
