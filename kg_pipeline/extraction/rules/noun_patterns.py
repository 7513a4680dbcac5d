"""Nouns that state a relation: "inhibition of Y by X", "X is a marker of Y", "association of X with Y", "X-induced Y"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kg_pipeline.extraction.lexicon.predicate_lexicon import (
    EFFECT_NOUNS,
    EVENT_NOUNS,
    INVERTED_PARTICIPLES,
    PARTICIPLES,
    RELATION_NOUNS,
    ROLE_NOUNS,
    Meaning,
)
from kg_pipeline.extraction.lexicon.word_list import word_set
from kg_pipeline.extraction.rules.role_holders import holders
from kg_pipeline.extraction.rules.statements import Reading
from kg_pipeline.extraction.syntax.arguments import Argument, arguments
from kg_pipeline.extraction.syntax.dependency import (
    children,
    conjuncts,
    is_passive,
    noun,
    prepositional,
    subjects,
)
from kg_pipeline.vocabulary.categories import ANATOMY, group_of

if TYPE_CHECKING:
    from spacy.tokens import Token

    from kg_pipeline.extraction.syntax.sentence_parser import Parse

_NOUN_TAGS = frozenset({"NOUN", "PROPN", "VERB", "ADJ"})
_TREATMENTS = frozenset({"treatment", "therapy", "management", "cure", "medication", "remedy"})
_HEARST = frozenset({"such", "like"})
#: Hyphenated participles that, unlike "X-induced", seldom speak of the second of two joined nouns alone.
_OF_ONE_NOUN = frozenset({"regulates", "associated_with"})
_MAKING = frozenset({"production", "secretion", "release", "synthesis", "expression", "generation"})
#: Verbs that only carry a noun: "X showed an association with Y", "no effect of X on Y was observed".
_LIGHT = word_set(
    """have show demonstrate exhibit display exert play be find observe detect see report note exist reveal identify
    produce establish produce confirm there provide confer offer afford
    """
)


def noun_readings(parse: Parse) -> Iterator[Reading]:
    """Readings of every noun of the lexicon in the sentence, and of hyphenated participles."""
    for token in parse.doc:
        unit = parse.units[token.i]
        if unit.attached:
            yield from _hyphenated(parse, token)
        elif unit.mention is not None:
            yield from _examples(parse, token)
        elif token.pos_ in _NOUN_TAGS:
            word = noun(token)
            if word in EVENT_NOUNS:
                yield from _event(parse, token, EVENT_NOUNS[word])
            if word in ROLE_NOUNS or _is_risk_factor(token):
                yield from _role(parse, token, ROLE_NOUNS.get(word, Meaning("predisposes")))
            if word in _TREATMENTS:
                yield from _treatment(parse, token)
            if word in RELATION_NOUNS:
                yield from _relation(parse, token, Meaning(RELATION_NOUNS[word]))
            if word in EFFECT_NOUNS:
                yield from _effect(parse, token)


def _event(parse: Parse, event: Token, predicate: str) -> Iterator[Reading]:
    """Read "inhibition of Y by X", "X inhibition of Y", "Y inhibition by X", "X-mediated inhibition of Y"."""
    held = [thing for _, thing in prepositional(event, "of")]
    before = [
        child
        for child in children(event, "compound", "nmod", "amod", "poss")
        if parse.mention(child) is not None
    ]
    agents = prepositional(event, "by") + [pair for thing in held for pair in prepositional(thing, "by")]
    agents = [(by, agent) for by, agent in agents if not _is_maker(parse, held, agent)]
    doers = _arguments(parse, [agent for _, agent in agents])
    doers += _carried(parse, event, PARTICIPLES.keys() - INVERTED_PARTICIPLES)
    if held and not doers:
        doers = _arguments(parse, before[-1:])
    patients = _arguments(parse, held or before[-1:])
    words = (event, *(preposition for preposition, _ in agents))
    yield Reading("event", event, words, Meaning(predicate), doers, patients, tuple(held))


def _is_maker(parse: Parse, held: list[Token], agent: Token) -> bool:
    """Whether "by" says who makes it: in "inhibition of cytokine production by T cells", T cells inhibit nothing."""
    mention = parse.mention(agent)
    is_cell = mention is not None and group_of(parse.sentence.mentions[mention].category) == ANATOMY
    return is_cell and any(_last_word(parse, thing) in _MAKING for thing in held)


def _last_word(parse: Parse, token: Token) -> str:
    mention = parse.mention(token)
    text = token.text if mention is None else parse.sentence.mentions[mention].text
    return (text.lower().split() or [""])[-1]


def _role(parse: Parse, role: Token, meaning: Meaning) -> Iterator[Reading]:
    """Read "X is an inhibitor of Y", "X, a Y inhibitor", "the Y inhibitor X", "X serves as a marker for Y"."""
    held = prepositional(role, "of", "for", "in") if noun(role) != "type" else prepositional(role, "of")
    inner = [thing for _, thing in held]
    is_kind = (
        meaning.predicate == "subclass_of"
    )  # only ever "form of Y": "antibodies form complexes" is a verb
    compounds = [
        child
        for child in children(role, "compound", "nmod", "amod")
        if parse.mention(child) is not None and not is_kind
    ]
    if not compounds and not is_kind and role.dep_ == "compound" and role.i > 0:
        before = role.nbor(-1)
        compounds = [before] if before.head == role.head and parse.mention(before) is not None else []
    held_by = holders(role)
    if not held_by and role.dep_ in ("compound", "nmod") and parse.mention(role.head) is not None:
        held_by = [role.head]
    # "subsets of Y and their production of X": what is made is no kind of Y.
    sides = tuple(a for a in _arguments(parse, held_by) if not (is_kind and a.quantity))
    sees_patients = meaning.predicate in ("treats", "biomarker_of", "predisposes", "manifestation_of")
    things = _arguments(parse, inner, patients=sees_patients) or _named(parse, compounds)
    words = (role, *(preposition for preposition, _ in held))
    yield Reading("role", role, words, meaning, sides, things, (*held_by, *inner))


def _treatment(parse: Parse, treatment: Token) -> Iterator[Reading]:
    """Read "treatment of Y with X", "X is used for the treatment of Y", "X treatment of Y"."""
    ills = [thing for _, thing in prepositional(treatment, "of", "for")]
    ills += [
        child
        for child in children(treatment, "compound", "nmod")
        if parse.mention(child) is not None and not ills
    ]
    reached = _arguments(parse, ills, patients=True)
    means = prepositional(treatment, "with", "using", "by")
    means += [pair for thing in ills for pair in prepositional(thing, "with", "using")]
    holders = [thing for _, thing in means]
    if not holders and treatment.dep_ == "pobj" and treatment.head.lower_ in ("for", "in", "as"):
        above = treatment.head.head
        holders = subjects(above) if above.pos_ in ("VERB", "AUX") else []
        if above.dep_ == "acomp":
            holders = subjects(above.head)
    words = (treatment, *(preposition for preposition, _ in means))
    yield Reading(
        "event", treatment, words, Meaning("treats"), _arguments(parse, holders), reached, tuple(ills)
    )


def _relation(parse: Parse, relation: Token, meaning: Meaning) -> Iterator[Reading]:
    """Read "association between X and Y", "correlation of X with Y", "X showed a correlation with Y"."""
    around = _prepositions(relation)
    for _, thing in [pair for pair in around if pair[0].lower_ in ("between", "among")]:
        pair = conjuncts(thing)
        if len(pair) == 2:
            first, second = (_one(parse, each) for each in pair)
            yield Reading("relation", relation, (relation,), meaning, first, second, (thing,))
    firsts = [thing for preposition, thing in around if preposition.lower_ == "of"] or _light_subjects(
        relation
    )
    seconds = [
        (preposition, thing) for preposition, thing in around if preposition.lower_ in ("with", "to", "and")
    ]
    seconds += [
        pair for first in firsts for pair in prepositional(first, "with", "to") if pair not in seconds
    ]
    for preposition, thing in seconds:
        words, ends = (relation, preposition), (*firsts, thing)
        yield Reading(
            "relation", relation, words, meaning, _arguments(parse, firsts), _arguments(parse, [thing]), ends
        )


def _effect(parse: Parse, effect: Token) -> Iterator[Reading]:
    """Read "effect of X on Y", "X had no effect on Y", "the role of X in Y", "X plays a role in Y"."""
    predicate, prepositions = EFFECT_NOUNS[noun(effect)]
    around = _prepositions(effect)
    doers = [thing for preposition, thing in around if preposition.lower_ == "of"] or _light_subjects(effect)
    found = [pair for pair in around if pair[0].lower_ in prepositions]
    found += [pair for doer in doers for pair in prepositional(doer, *prepositions) if pair not in found]
    for preposition, thing in found:
        words, ends = (effect, preposition), (*doers, thing)
        reached = _arguments(parse, [thing])
        yield Reading("relation", effect, words, Meaning(predicate), _arguments(parse, doers), reached, ends)


def _hyphenated(parse: Parse, token: Token) -> Iterator[Reading]:
    """Read "X-induced Y": the modifier acts on the noun after it."""
    unit = parse.units[token.i]
    predicate = PARTICIPLES.get(unit.attached)
    if (
        predicate is None
        or unit.mention is None
        or token.dep_ not in ("amod", "compound", "nmod", "nummod", "poss")
    ):
        return
    if noun(token.head) in EVENT_NOUNS and unit.attached not in INVERTED_PARTICIPLES:
        return  # read as "activation of Y by X"
    doer = (Argument(unit.mention, token.i),)
    if predicate in _OF_ONE_NOUN and not _one(parse, token.head):
        return  # "X-dependent changes and Y": Y is another matter
    things = tuple(a for a in arguments(parse, token.head) if a.mention != unit.mention)
    meaning = Meaning(predicate, inverted=unit.attached in INVERTED_PARTICIPLES)
    yield Reading("hyphen", token, (token,), meaning, doer, things)


def _examples(parse: Parse, kind: Token) -> Iterator[Reading]:
    """Read "cytokines such as X": X is a kind of the noun before.

    Not where that noun names one thing ("genes induced by STAT1 such as X"), nor where another name before it may
    be meant as well ("receptors for cytokines such as X").
    """
    if not _is_class(parse, kind) or _has_rival(parse, kind):
        return
    for preposition, thing in prepositional(kind, "as"):
        if (
            any(child.lower_ in _HEARST for child in preposition.children)
            or parse.doc[preposition.i - 1].lower_ == "such"
        ):
            examples = _arguments(parse, [thing])
            whole = _one(parse, kind)
            yield Reading("role", preposition, (preposition,), Meaning("subclass_of"), examples, whole)


def _is_class(parse: Parse, token: Token) -> bool:
    """Whether a name may stand for a class: symbols such as STAT1 do not, "ILs" and "cytokine" do."""
    mention = parse.mention(token)
    text = "" if mention is None else parse.sentence.mentions[mention].text
    last = text.split()[-1] if text.split() else ""
    is_symbol = last[1:] != last[1:].lower() or any(char.isdigit() for char in last)
    return not is_symbol or last.endswith("s")


def _has_rival(parse: Parse, token: Token) -> bool:
    """Whether the name is held by another name that examples may follow as well."""
    holder = token.head.head if token.dep_ == "pobj" and token.head.dep_ == "prep" else token
    return holder.i != token.i and parse.mention(holder) is not None and _is_class(parse, holder)


def _carried(parse: Parse, event: Token, participles: frozenset[str] | set[str]) -> tuple[Argument, ...]:
    """Mentions that a hyphen joins to a participle before the event."""
    found = []
    for child in event.children:
        unit = parse.units[child.i]
        if unit.mention is not None and unit.attached in participles:
            found.append(Argument(unit.mention, child.i))
    return tuple(found)


def _prepositions(relation: Token) -> list[tuple[Token, Token]]:
    """Prepositions of the noun, and of the light verb that carries it."""
    found = prepositional(relation)
    if relation.dep_ in ("nsubjpass", "nsubj", "dobj", "attr") and relation.head.lemma_.lower() in _LIGHT:
        found += prepositional(relation.head)
    return found


def _light_subjects(relation: Token) -> list[Token]:
    head = relation.head
    is_carried = relation.dep_ in ("dobj", "attr") and head.lemma_.lower() in _LIGHT and not is_passive(head)
    return subjects(head) if is_carried else []


def _is_risk_factor(token: Token) -> bool:
    return noun(token) == "factor" and any(child.lower_ == "risk" for child in token.children)


def _named(parse: Parse, tokens: list[Token]) -> tuple[Argument, ...]:
    """The mentions that these tokens are."""
    found = ((parse.mention(token), token.i) for token in tokens)
    return tuple(Argument(mention, i) for mention, i in found if mention is not None)


def _arguments(parse: Parse, tokens: list[Token], *, patients: bool = False) -> tuple[Argument, ...]:
    return tuple(a for token in tokens for a in arguments(parse, token, patients=patients))


def _one(parse: Parse, token: Token) -> tuple[Argument, ...]:
    """What the noun speaks of, without those joined to it."""
    joined = {a.mention for each in conjuncts(token)[1:] for a in arguments(parse, each)}
    return tuple(a for a in arguments(parse, token) if a.mention not in joined)
