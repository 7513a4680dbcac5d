"""What an agent is made for: "X, an antibody against Y", "X is a drug directed at Y", "the Y-blocking antibody X"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kg_pipeline.extraction.lexicon.predicate_lexicon import OBJECT, Meaning, verb_forms, verb_meanings
from kg_pipeline.extraction.lexicon.word_list import word_set
from kg_pipeline.extraction.rules.role_holders import holders
from kg_pipeline.extraction.rules.statements import Reading
from kg_pipeline.extraction.syntax.arguments import Argument, arguments
from kg_pipeline.extraction.syntax.dependency import children, noun, prepositional
from kg_pipeline.vocabulary.categories import GENE, group_of

if TYPE_CHECKING:
    from spacy.tokens import Token

    from kg_pipeline.extraction.syntax.sentence_parser import Parse

#: What is made to act on something; also what may stand after a gerund and its object.
AGENTS = word_set(
    "antibody mab nanobody drug agent compound molecule therapy immunotherapy treatment vaccine peptide sirna inhibitor"
)
_AGAINST = ("against", "at", "to", "toward", "towards")
_TARGETS = Meaning("targets")


def agent_readings(parse: Parse) -> Iterator[Reading]:
    """Readings of every noun for an agent in the sentence."""
    for token in parse.doc:
        if noun(token) in AGENTS and parse.units[token.i].mention is None:
            yield from _directed(parse, token)
            yield from _acting(parse, token)


def _directed(parse: Parse, agent: Token) -> Iterator[Reading]:
    """Read "X, an antibody against Y" and "X, an antibody directed at Y"."""
    found = prepositional(agent, "against")
    for verb in children(agent, "acl"):
        if verb.lower_ in ("directed", "raised"):
            found += prepositional(verb, *_AGAINST)
    sides = _holders(parse, agent)
    for preposition, thing in found if sides else ():
        reached = tuple(a for a in arguments(parse, thing) if _is_gene(parse, a))
        yield Reading("role", agent, (agent, preposition), _TARGETS, sides, reached, (thing,))


def _acting(parse: Parse, agent: Token) -> Iterator[Reading]:
    """Read "the Y blocking antibody X": what stands before the gerund is what it is done to."""
    gerund = agent.doc[agent.i - 1] if agent.i > 1 else agent
    if gerund.tag_ != "VBG" or gerund.lower_ not in verb_forms():
        return
    meaning = verb_meanings()[verb_forms()[gerund.lower_]].get(OBJECT)
    mention = parse.mention(gerund.nbor(-1))
    if meaning is None or mention is None:
        return
    after = agent.doc[agent.i + 1] if agent.i + 1 < len(agent.doc) else agent
    named = parse.mention(after) if after.i != agent.i else None
    sides = _holders(parse, agent) if named is None else (Argument(named, after.i),)
    yield Reading("role", gerund, (gerund,), meaning, sides, (Argument(mention, gerund.i - 1),), ())


def _holders(parse: Parse, agent: Token) -> tuple[Argument, ...]:
    found = holders(agent)
    if not found and agent.dep_ in ("compound", "nmod") and parse.mention(agent.head) is not None:
        found = [agent.head]
    return tuple(a for token in found for a in arguments(parse, token))


def _is_gene(parse: Parse, argument: Argument) -> bool:
    return group_of(parse.sentence.mentions[argument.mention].category) == GENE
