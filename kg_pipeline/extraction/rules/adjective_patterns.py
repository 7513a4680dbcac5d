"""Predicative adjectives: "X is responsible for Y", "illness due to X", "X is effective against Y"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kg_pipeline.extraction.lexicon.predicate_lexicon import Meaning
from kg_pipeline.extraction.rules.statements import Reading, is_disorder
from kg_pipeline.extraction.rules.verb_senses import sense_of
from kg_pipeline.extraction.syntax.arguments import arguments
from kg_pipeline.extraction.syntax.dependency import children, prepositional, subjects

if TYPE_CHECKING:
    from spacy.tokens import Token

    from kg_pipeline.extraction.syntax.sentence_parser import Parse

#: "X is essential for Y": adjective to prepositions and meaning.
_ADJECTIVES: dict[str, tuple[frozenset[str], Meaning]] = {
    "responsible": (frozenset({"for"}), Meaning("causes")),
    "due": (frozenset({"to"}), Meaning("causes", inverted=True)),
    "secondary": (frozenset({"to"}), Meaning("causes", inverted=True)),
    "effective": (frozenset({"in", "against", "for"}), Meaning("treats")),
    "beneficial": (frozenset({"in", "for"}), Meaning("treats")),
    "essential": (frozenset({"for", "in"}), Meaning("regulates")),
    "crucial": (frozenset({"for", "in"}), Meaning("regulates")),
    "critical": (frozenset({"for", "in"}), Meaning("regulates")),
    "necessary": (frozenset({"for"}), Meaning("regulates")),
    "required": (frozenset({"for"}), Meaning("regulates")),
    "important": (frozenset({"for", "in"}), Meaning("regulates")),
    "dependent": (frozenset({"on", "upon"}), Meaning("regulates", inverted=True)),
}
_PLACES = frozenset({"acomp", "amod", "ROOT", "conj", "attr", "oprd", "relcl"})


def adjective_readings(parse: Parse) -> Iterator[Reading]:
    """Readings of every adjective above that is not read as a verb."""
    for token in parse.doc:
        if token.lower_ not in _ADJECTIVES or token.dep_ not in _PLACES:
            continue
        is_verb = bool(sense_of(token)) and parse.units[token.i].mention is None
        if not is_verb:
            yield from _adjective(parse, token)


def _adjective(parse: Parse, adjective: Token) -> Iterator[Reading]:
    prepositions, meaning = _ADJECTIVES[adjective.lower_]
    holders = (
        [adjective.head]
        if adjective.dep_ == "amod"
        else subjects(adjective.head if adjective.dep_ in ("acomp", "attr", "oprd") else adjective)
    )
    sides = tuple(a for holder in holders for a in arguments(parse, holder))
    found = prepositional(adjective, *prepositions)
    for preposition in children(adjective, "pcomp"):  # "illness due to X"
        if preposition.lower_ in prepositions:
            found += [(preposition, thing) for thing in children(preposition, "pobj")]
    if not found and adjective.dep_ == "acomp":
        found = prepositional(adjective.head, *prepositions)
    for preposition, thing in found:
        if meaning.predicate == "treats" and not _nominal_treatment(thing):
            reached = tuple(a for a in arguments(parse, thing, patients=True) if is_disorder(parse, a))
        else:
            reached = tuple(arguments(parse, thing))
        words = (adjective, preposition)
        yield Reading("adjective", adjective, words, meaning, sides, reached, (*holders, thing))


def _nominal_treatment(noun: Token) -> bool:
    return noun.lower_ in ("treatment", "therapy", "prevention", "management")
