"""Denials that hold only where something is missing: "X did not raise Y in Z-deficient cells", "without Z".

Such a sentence says that the effect needs Z, which is nearer to the effect than to its denial. It is read as neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kg_pipeline.extraction.lexicon.nouns import MISSING, TURNING
from kg_pipeline.extraction.lexicon.predicate_lexicon import LOWERING, OBJECT, verb_forms, verb_meanings
from kg_pipeline.extraction.syntax.dependency import ancestors, children, conjuncts, noun, prepositional

if TYPE_CHECKING:
    from spacy.tokens import Token

    from kg_pipeline.extraction.syntax.sentence_parser import Parse

#: Prepositions that say under which condition; "by" and "of" say what the verb is about.
_UNDER = frozenset(
    {"in", "after", "upon", "on", "following", "with", "under", "during", "despite", "from", "within"}
)
_WITHOUT = frozenset({"without", "lacking"})
_NOT_LETTERS = re.compile(r"[^a-z]")
#: What governs such a clause has circumstances of its own.
_CLAUSE_BORDERS = frozenset({"relcl", "advcl", "conj", "ccomp", "parataxis", "appos"})


def holds_only_without(parse: Parse, trigger: Token) -> bool:
    """Whether what the trigger says is said of a state in which something is missing."""
    governors = [trigger]
    for child, head in ancestors(trigger):
        if child.dep_ in _CLAUSE_BORDERS:
            break
        governors.append(head)
    return any(_is_missing(parse, each) for governor in governors for each in _circumstances(governor))


def _circumstances(governor: Token) -> Iterator[Token]:
    """Nouns of the circumstances, and verbs of the clauses, under a verb or its objects."""
    holders = [governor, *children(governor, "dobj", "nsubjpass")]
    holders += [thing for _, thing in prepositional(governor, "by", "of")]
    for holder in holders:
        for preposition, thing in prepositional(holder):
            if preposition.lower_ in _WITHOUT:
                yield preposition
            elif preposition.lower_ in _UNDER:
                yield from conjuncts(thing)
    yield from children(governor, "advcl")


def _is_missing(parse: Parse, token: Token) -> bool:
    """Whether the noun, preposition or clause says that something is missing."""
    if token.lower_ in _WITHOUT:
        return True
    if token.dep_ == "advcl":
        return _is_lowering(token)
    if noun(token) in TURNING:
        return True
    around = [*children(token, "amod", "compound", "nmod", "poss"), *children(token, "acl", "relcl")]
    return any(
        noun(each) in TURNING
        or each.lower_ == "lacking"
        or _NOT_LETTERS.sub("", parse.units[each.i].attached.lower()) in MISSING
        for each in around
    )


def _is_lowering(clause: Token) -> bool:
    lemma = verb_forms().get(clause.lower_)
    meaning = None if lemma is None else verb_meanings()[lemma].get(OBJECT)
    return meaning is not None and meaning.predicate in LOWERING
