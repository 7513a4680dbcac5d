"""Entities that are an aspect of another one: "sensitivity to PARP inhibitors" of PARP inhibitors."""

from __future__ import annotations

from collections.abc import Sequence

from kg_pipeline.graph.reader import GraphReader
from retrieval.questions.links import Link
from retrieval.words.terms import Name, find_name, tokenise

_PREPOSITIONS = frozenset({"of", "to", "against", "for"})
_COMPARED = 20
_KEPT = 5


def aspects(reader: GraphReader, link: Link) -> tuple[str, ...]:
    """Ids of entities whose name ends with "of", "to", "against" or "for" and a name of the link, best match first.

    What is said of them is said of the linked entity in one respect. They stand at the end of a chain for it, and never
    in a fact that is told as an answer to yes or no.
    """
    hits = reader.search_text("entity", link.text, _COMPARED)
    found = [
        entity.entity_id
        for entity in reader.entities([hit.id for hit in hits])
        if entity.entity_id not in link.ids and _is_aspect(entity.name, link.names)
    ]
    return tuple(found[:_KEPT])


def _is_aspect(name: str, names: Sequence[Name]) -> bool:
    tokens = tokenise(name)
    place = find_name(tokens, names)
    return (
        place is not None
        and place[0] > 1
        and place[1] == len(tokens)
        and tokens[place[0] - 1].text in _PREPOSITIONS
    )
