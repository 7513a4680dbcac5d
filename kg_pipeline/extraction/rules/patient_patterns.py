"""What befalls patients: "patients with Y develop X", "X is common in patients with Y", "X was found in patients with Y".

Such sentences name no cause; what they state of X and Y is an association. X is an illness, or a molecule of which
there is more or less than there should be, or a variant of one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kg_pipeline.extraction.lexicon.nouns import PATIENTS
from kg_pipeline.extraction.lexicon.predicate_lexicon import Meaning
from kg_pipeline.extraction.lexicon.word_list import word_set
from kg_pipeline.extraction.rules.statements import Reading
from kg_pipeline.extraction.syntax.arguments import Argument, arguments
from kg_pipeline.extraction.syntax.dependency import (
    children,
    conjuncts,
    is_passive,
    noun,
    objects,
    prepositional,
    subjects,
)
from kg_pipeline.vocabulary.categories import DISORDER, group_of

if TYPE_CHECKING:
    from spacy.tokens import Token

    from kg_pipeline.extraction.syntax.sentence_parser import Parse

_BEFALLING = frozenset({"develop", "experience", "suffer", "have"})
_OCCURRING = frozenset({"occur", "develop", "arise", "appear"})
_FINDING = frozenset({"find", "detect", "observe", "identify", "report", "see", "describe"})
_COMMON = frozenset({"common", "frequent", "prevalent", "commoner", "rare"})
_CHANGED = word_set(
    """increased elevated higher raised high decreased reduced lower low altered mutation variant polymorphism
    overexpression upregulation downregulation deficiency loss
    """
)
_ASSOCIATED = Meaning("associated_with")


def patient_readings(parse: Parse) -> Iterator[Reading]:
    """Readings of every verb that says what patients have."""
    for token in parse.doc:
        if token.pos_ not in ("VERB", "AUX") or parse.units[token.i].mention is not None:
            continue
        lemma = token.lemma_.lower()
        if lemma in _BEFALLING and not is_passive(token):
            yield from _befalling(parse, token)
        if (lemma in _OCCURRING and not is_passive(token)) or (lemma in _FINDING and is_passive(token)):
            yield from _observed(parse, token, (token,))
        if lemma == "be":
            for adjective in children(token, "acomp"):
                if adjective.lower_ in _COMMON:
                    yield from _observed(parse, token, (token, adjective))


def _befalling(parse: Parse, verb: Token) -> Iterator[Reading]:
    """Read "patients with Y develop X"."""
    people = [token for token in subjects(verb) if noun(token) in PATIENTS]
    ills = tuple(a for token in people for a in arguments(parse, token, patients=True) if _is_ill(parse, a))
    things = [*objects(verb), *(thing for _, thing in prepositional(verb, "from"))]
    found = tuple(a for thing in things for a in arguments(parse, thing) if _is_ill(parse, a))
    if ills and found:
        yield Reading("verb", verb, (verb,), _ASSOCIATED, found, ills, (*people, *things))


def _observed(parse: Parse, verb: Token, words: tuple[Token, ...]) -> Iterator[Reading]:
    """Read "X occurs in patients with Y"."""
    doers = subjects(verb)
    found = tuple(a for token in doers for a in arguments(parse, token) if _is_finding(parse, token, a))
    beside = [verb, *children(verb, "acomp")]
    for preposition, thing in [pair for each in beside for pair in prepositional(each, "in", "among")]:
        people = [
            each for each in (thing, *(t for _, t in prepositional(thing, "of"))) if noun(each) in PATIENTS
        ]
        ills = tuple(
            a for token in people for a in arguments(parse, token, patients=True) if _is_ill(parse, a)
        )
        if found and ills:
            yield Reading("verb", words[-1], (*words, preposition), _ASSOCIATED, found, ills, (*doers, thing))


def _is_finding(parse: Parse, token: Token, argument: Argument) -> bool:
    """Whether it is an illness, or a molecule that is said to be changed."""
    if _is_ill(parse, argument) or argument.blurred or argument.turned:
        return True
    said = [word for each in conjuncts(token) for word in (each, *each.children)]
    return any(word.lower_ in _CHANGED or noun(word) in _CHANGED for word in said)


def _is_ill(parse: Parse, argument: Argument) -> bool:
    return group_of(parse.sentence.mentions[argument.mention].category) == DISORDER
