"""Things that a sentence names through a mention: "resistance to cisplatin", "lupus activity", "SOX1 antibodies".

The noun makes something new of what it holds. Reading "X increases the sensitivity to cisplatin" as a statement on
cisplatin would be wrong, and leaving it out loses the finding; the phrase as a whole is an entity of its own. Its
name is put into one form, so that "cisplatin resistance" and "resistance to cisplatin" are one thing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_pipeline.extraction.syntax.dependency import children, conjuncts, noun, prepositional
from kg_pipeline.vocabulary.categories import CHEMICAL, DISORDER, GENE, PROCEDURE, group_of

if TYPE_CHECKING:
    from spacy.tokens import Token

    from kg_pipeline.extraction.syntax.sentence_parser import Parse

_TO = frozenset({"to"})
_OF = frozenset({"of", "from"})
#: How a body or cell takes a treatment: the noun and the prepositions before what is taken.
_REACTIONS: dict[str, frozenset[str]] = {
    "resistance": _TO,
    "sensitivity": _TO,
    "response": _TO,
    "responsiveness": _TO,
    "tolerance": _TO,
    "refractoriness": _TO,
    "benefit": _OF,
    "efficacy": _OF,
    "toxicity": _OF,
}
#: Reactions that are none: what goes with resistance to a drug does not go with the drug.
_FAILING = frozenset({"resistance", "refractoriness", "tolerance"})
#: Those that a name may stand before; "T cell response" and "interferon response" are responses of it, not to it.
_COMPOUNDED = frozenset(_REACTIONS) - {"response", "tolerance", "benefit"}
_TREATMENTS = frozenset({CHEMICAL, PROCEDURE})
_COURSES = frozenset({"treatment", "therapy", "exposure"})
#: How ill someone is at the time; "lupus activity" is no more lupus than its score is.
_STATES = frozenset({"activity", "severity"})
_STATE_PREPOSITIONS = frozenset({"of", "in"})
_ANTIBODIES = frozenset({"antibody", "autoantibody"})
_PATIENTS = frozenset({"patient", "individual", "people", "person", "child", "adult"})
_ANTI = "anti"

#: All nouns that such a phrase is built on.
PHRASE_NOUNS = frozenset(_REACTIONS) | _ANTIBODIES


@dataclass(frozen=True, slots=True)
class Phrase:
    """A thing named through a mention: its span in the sentence, its name in one form, and its category."""

    start: int
    end: int
    name: str
    category: str


def phrases(parse: Parse, token: Token) -> Iterator[tuple[int, int, Phrase]]:
    """(mention, token of it, phrase) for each mention that the noun makes something else of."""
    word = noun(token)
    if word in _REACTIONS:
        yield from _reactions(parse, token, word)
    elif word in _STATES:
        yield from _states(parse, token, word)
    elif word in _ANTIBODIES:
        yield from _antibodies(parse, token)


def is_failing(name: str) -> bool:
    """Whether that name of a phrase says that a treatment does nothing: "resistance to cisplatin"."""
    return name.partition(" ")[0] in _FAILING


def _reactions(parse: Parse, token: Token, word: str) -> Iterator[tuple[int, int, Phrase]]:
    relation = "to" if _REACTIONS[word] == _TO else "of"
    held = _held(parse, token, _REACTIONS[word], _COURSES)
    for mention, each in held:
        yield mention, each.i, _phrase(parse, (token, each), f"{word} {relation} {_name(parse, mention)}")
    before = None if held or word not in _COMPOUNDED else _before(parse, token)
    if before is not None and _group(parse, before[0]) in _TREATMENTS:
        mention, each = before
        yield mention, each.i, _phrase(parse, (each, token), f"{word} {relation} {_name(parse, mention)}")


def _states(parse: Parse, token: Token, word: str) -> Iterator[tuple[int, int, Phrase]]:
    disease = [child for child in children(token, "compound") if child.lower_ == "disease"]
    before = _before(parse, disease[0] if disease and _before(parse, disease[0]) else token)
    if before is not None and _group(parse, before[0]) == DISORDER and (disease or word == "activity"):
        found = [before]
    elif disease:
        found = _held(parse, token, _STATE_PREPOSITIONS, _PATIENTS)
    else:
        return
    for mention, each in found:
        if _group(parse, mention) == DISORDER:
            ends = (token, each, *disease)
            yield mention, each.i, _phrase(parse, ends, f"disease {word} in {_name(parse, mention)}")


def _antibodies(parse: Parse, token: Token) -> Iterator[tuple[int, int, Phrase]]:
    for child in reversed(children(token, "compound", "nmod", "amod")):
        unit = parse.units[child.i]
        is_target = unit.attached.rstrip("-\u2010\u2011").lower() in ("", _ANTI)
        if unit.mention is not None and is_target and _group(parse, unit.mention) == GENE:
            name = f"{_ANTI}-{_name(parse, unit.mention)} antibodies"
            phrase = _phrase(parse, (child, token), name, "biolink:Protein")
            yield unit.mention, child.i, phrase
            return


def _held(
    parse: Parse, token: Token, prepositions: frozenset[str], carriers: frozenset[str]
) -> list[tuple[int, Token]]:
    """Mentions after one of the prepositions, also where the parse gave the preposition to the noun's verb."""
    pairs = prepositional(token)
    after = token.right_edge.i + 1
    governor = token.head.head if token.dep_ == "pobj" else token.head
    pairs += [pair for pair in prepositional(governor) if pair[0].i == after]
    found = []
    for preposition, thing in pairs:
        if preposition.lower_ not in prepositions:
            continue
        for each in conjuncts(thing):
            mention = parse.mention(each)
            if mention is not None:
                found.append((mention, each))
            elif noun(each) in carriers:
                inner = _before(parse, each)
                found += [inner] if inner else _held(parse, each, frozenset({"with"}), frozenset())
    return found


def _before(parse: Parse, token: Token) -> tuple[int, Token] | None:
    """The mention right before the noun, if it modifies it."""
    if token.i == 0 or token.nbor(-1).dep_ not in ("compound", "nmod", "amod", "poss"):
        return None
    mention = parse.mention(token.nbor(-1))
    return None if mention is None else (mention, token.nbor(-1))


def _phrase(
    parse: Parse, tokens: tuple[Token, ...], name: str, category: str = "biolink:PhenotypicFeature"
) -> Phrase:
    units = [parse.units[token.i] for token in tokens]
    return Phrase(min(unit.start for unit in units), max(unit.end for unit in units), name, category)


def _name(parse: Parse, mention: int) -> str:
    return parse.sentence.mentions[mention].normal_form


def _group(parse: Parse, mention: int) -> str:
    return group_of(parse.sentence.mentions[mention].category)
