"""Corrections of parses that the parser gets wrong in the same way again and again.

Each one looks for a configuration that no correct parse has, so that a right parse is never touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_pipeline.extraction.syntax.dependency import children

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


def repair(doc: Doc) -> Doc:
    """Correct the parse in place and return it."""
    for token in doc:
        if token.dep_ == "ccomp":
            _split_clauses(token)
    return doc


def _split_clauses(second: Token) -> None:
    """Undo "cause [A, and B lead to C]" for "cause A", and "B leads to C".

    Where an object is followed by a comma, "and" and a new subject, the parser may take both nouns for the
    joint subject of a clause that the first verb governs. A clause of that kind has no "that", and two names with a
    comma before their "and" are no pair.
    """
    first = second.head
    own = children(second, "nsubj")
    if first.pos_ != "VERB" or children(first, "dobj") or children(second, "mark") or len(own) != 1:
        return
    thing = own[0]
    joined = children(thing, "conj")
    is_pair = len(joined) == 1 and first.i < thing.i < joined[0].i < second.i
    if not is_pair or not children(thing, "cc") or not any(c.text == "," for c in children(thing, "punct")):
        return
    links = [*children(thing, "cc"), *children(thing, "punct")]
    thing.head, thing.dep_ = first, "dobj"
    joined[0].head, joined[0].dep_ = second, "nsubj"
    second.dep_ = "conj"
    for link in links:
        link.head = first
