"""Verbs: "X inhibits Y", "Y is caused by X", "X, which leads to Y", "X prevents Z from activating Y"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from kg_pipeline.extraction.lexicon.nouns import (
    BLURRING,
    CHANGES,
    COUNTERING,
    FURTHERING,
    PATIENTS,
    TURNING,
)
from kg_pipeline.extraction.lexicon.predicate_lexicon import (
    EVENT_NOUNS,
    LOWERING,
    OBJECT,
    Meaning,
)
from kg_pipeline.extraction.rules.agent_patterns import AGENTS
from kg_pipeline.extraction.rules.role_holders import is_said_to_be
from kg_pipeline.extraction.rules.statements import Pattern, Reading, is_disorder
from kg_pipeline.extraction.rules.verb_senses import sense_of
from kg_pipeline.extraction.syntax.arguments import Argument, arguments
from kg_pipeline.extraction.syntax.dependency import (
    children,
    conjuncts,
    is_list_item,
    is_of_noun_before,
    is_passive,
    noun,
    objects,
    prepositional,
    subjects,
)

if TYPE_CHECKING:
    from spacy.tokens import Token

    from kg_pipeline.extraction.syntax.sentence_parser import Parse

#: Where a changed level in a disorder is an association: "IL-6 was increased in lupus".
_LEVEL_CHANGES = frozenset({"increases", "decreases", "expresses"})
_OBSERVED_IN = frozenset({"in", "among"})
_BEARING = frozenset({"have", "show", "exhibit", "display"})
_CHANGED = frozenset(
    {"increased", "elevated", "higher", "raised", "high", "decreased", "reduced", "lower", "low", "altered"}
)
_ADVERB_SIGNS = {"positively": "increases", "negatively": "decreases"}
#: Sign of what a gerund does, for "X causes Z by raising Y".
_MECHANISM = {"increases": 1, "activates": 1, "causes": 1, "decreases": -1, "inhibits": -1}
_HINDERING = LOWERING | {"prevents"}
#: Nouns of what happens to the thing they hold.
_EVENTS = TURNING | CHANGES | BLURRING | EVENT_NOUNS.keys()
_CLAUSE_LABELS = frozenset({"relcl", "xcomp", "ccomp", "pcomp", "advcl", "conj"})


def verb_readings(parse: Parse) -> Iterator[Reading]:
    """Readings of every verb of the lexicon in the sentence."""
    for token in parse.doc:
        meanings = sense_of(token)
        if token.lemma_.lower() in _BEARING and token.pos_ == "VERB":
            yield from _levels(parse, token)
        if meanings and parse.units[token.i].mention is None:
            yield from _verb(parse, token, meanings)


def _verb(parse: Parse, verb: Token, meanings: dict[str, Meaning]) -> Iterator[Reading]:
    passive = is_passive(verb) or (verb.pos_ == "ADJ" and not children(verb, "dobj"))
    doers = subjects(verb if verb.pos_ != "ADJ" or verb.dep_ != "acomp" else verb.head)
    sides = _deeds(parse, verb) or tuple(a for doer in doers for a in _side(parse, doer, meanings))
    if not sides and verb.dep_ in ("relcl", "acl"):  # "X is a drug that inhibits Y"
        doers = [each for doer in doers for each in is_said_to_be(doer)]
        sides = tuple(a for doer in doers for a in _side(parse, doer, meanings))
    if _is_inverted_modifier(verb, meanings) or is_list_item(verb):
        return
    pattern = _pattern(verb)
    if passive and verb.dep_ == "acl":
        doers = [_happening(doer) for doer in doers]
        sides = tuple(a for doer in doers for a in _side(parse, doer, meanings))
    for words, meaning, things in _complements(verb, meanings, passive):
        ends = (*doers, *things)
        reached = tuple(a for thing in things for a in _side(parse, thing, {OBJECT: meaning}))
        reading = Reading(pattern, verb, words, meaning, sides, reached, ends)
        yield reading
        yield from _mechanism(parse, reading)
    yield from _conversion(parse, verb, meanings)
    if OBJECT in meanings and meanings[OBJECT].predicate in _HINDERING:
        yield from _hindrance(parse, verb, sides)
    rises = [
        (m, p)
        for m in meanings.values()
        if m.predicate in _LEVEL_CHANGES
        for p in prepositional(verb, *_OBSERVED_IN)
    ]
    if rises and not children(verb, "agent", "dobj"):
        for _, (preposition, thing) in rises:
            observed = tuple(a for a in _patients_disorders(parse, thing))
            associated = Meaning("associated_with")
            yield Reading(
                pattern, verb, _words(verb, preposition), associated, sides, observed, (*doers, thing)
            )


def _conversion(parse: Parse, verb: Token, meanings: dict[str, Meaning]) -> Iterator[Reading]:
    """Read "Z converts X to Y", which relates X and Y."""
    from_ = [a for thing in objects(verb) for a in arguments(parse, thing)] if not is_passive(verb) else []
    for preposition, thing in prepositional(verb) if from_ else ():
        meaning = meanings.get(preposition.lower_)
        if meaning == Meaning("converts_to"):
            into, words = tuple(arguments(parse, thing)), _words(verb, preposition)
            yield Reading("verb", verb, words, meaning, tuple(from_), into, (thing,))


def _happening(token: Token) -> Token:
    """The event that holds the name: "inhibition of X caused by Y" speaks of what caused the inhibition."""
    while token.dep_ == "pobj" and token.head.lower_ == "of" and noun(token.head.head) in _EVENTS:
        token = token.head.head
    return token


def _hindrance(parse: Parse, verb: Token, sides: tuple[Argument, ...]) -> Iterator[Reading]:
    """Read "X prevents Z from activating Y": what X does to Y is the opposite of what it keeps Z from."""
    for gerund in _kept_from(verb) if children(verb, "dobj") else ():
        direct = (sense_of(gerund) or {}).get(OBJECT)
        sign = 0 if direct is None else _MECHANISM.get(direct.predicate, 0)
        things = objects(gerund)
        if sign and not is_passive(verb):
            reached = tuple(a for thing in things for a in arguments(parse, thing))
            meaning = Meaning("decreases" if sign > 0 else "increases")
            yield Reading("clause", verb, _words(verb, gerund), meaning, sides, reached, tuple(things))


def _is_kept_from(verb: Token, meanings: dict[str, Meaning]) -> bool:
    """Whether the object is spared something rather than done something to: "prevents cells from dying"."""
    direct = meanings.get(OBJECT)
    is_sparing = direct is not None and direct.predicate == "prevents" and bool(children(verb, "dobj"))
    return bool(_kept_from(verb)) or (is_sparing and bool(prepositional(verb, "from")))


def _kept_from(verb: Token) -> list[Token]:
    """What the verb keeps its object from doing."""
    found = [p for p in children(verb, "prep") if p.lower_ == "from"]
    return [gerund for preposition in found for gerund in children(preposition, "pcomp")]


def _deeds(parse: Parse, verb: Token) -> tuple[Argument, ...]:
    """What a deed that is the subject is done to: X of "blocking X raises Y", with its sign turned."""
    return tuple(
        replace(each, turned=each.turned != (deed.lower_ in COUNTERING))
        for deed, things in _gerunds(verb)
        if deed.lower_ in COUNTERING | FURTHERING
        for thing in things
        for each in arguments(parse, thing)
    )


def _gerunds(verb: Token) -> Iterator[tuple[Token, list[Token]]]:
    """(gerund, what it is done to) for the gerunds that are a verb's subject."""
    for deed in children(verb, "csubj"):
        held = objects(deed) or [thing for _, thing in prepositional(deed, "of")]
        # A name after the gerund may have been taken for a second subject.
        yield deed, held or [t for t in children(verb, "nsubj") if t.left_edge.i == deed.i + 1]
    if verb.dep_ == "ccomp" and verb.head.tag_ == "VBG":  # "[silencing [X lowers Y]]"
        after = verb.head.i + 1
        yield verb.head, [t for t in children(verb, "nsubj") if t.left_edge.i == after]


def _patients_disorders(parse: Parse, thing: Token) -> Iterator[Argument]:
    """Disorders of "patients with Y", "Y patients" and "the serum of patients with Y"."""
    things = [thing, *(held for _, held in prepositional(thing, "of", "from", "in"))]
    for each in things:
        if each is thing or noun(each) in PATIENTS:
            yield from (a for a in arguments(parse, each, patients=True) if is_disorder(parse, a))


def _levels(parse: Parse, verb: Token) -> Iterator[Reading]:
    """Read "patients with Y have increased levels of X": an association."""
    patients = [token for token in subjects(verb) if noun(token) in PATIENTS]
    ills = tuple(a for token in patients for a in _patients_disorders(parse, token))
    for thing in objects(verb) if ills else ():
        if any(child.lower_ in _CHANGED for each in conjuncts(thing) for child in each.children):
            found = tuple(arguments(parse, thing))
            associated = Meaning("associated_with")
            yield Reading("verb", verb, _words(verb), associated, found, ills, (*patients, thing))


def _complements(
    verb: Token, meanings: dict[str, Meaning], passive: bool
) -> Iterator[tuple[tuple[Token, ...], Meaning, list[Token]]]:
    """(words, meaning, nouns) for the object and each preposition that the verb gives a meaning to."""
    direct = None if _is_kept_from(verb, meanings) else _with_sign(verb, meanings.get(OBJECT))
    if direct and not passive:
        found = objects(verb)
        if found:
            yield _words(verb), direct, found
    if direct and passive:
        agents = [thing for _, thing in prepositional(verb, "by")]
        if agents:
            by = [child for child in children(verb, "agent", "prep") if child.lower_ == "by"]
            yield _words(verb, *by), Meaning(direct.predicate, not direct.inverted), agents
    for preposition, thing in prepositional(verb):
        meaning = meanings.get(preposition.lower_)
        if meaning is None or preposition.dep_ == "agent" or is_of_noun_before(preposition):
            continue
        has_object = bool(children(verb, "dobj"))
        if (
            has_object
            and not passive
            and meaning.predicate in ("causes", "converts_to", "prevents", "associated_with")
        ):
            # "converts X to Y" relates X and Y, "protects X from Y" the subject and Y; "links X to Y" X and Y.
            if meaning.predicate == "prevents":
                yield _words(verb, preposition), meaning, [thing]
            continue
        yield _words(verb, preposition), meaning, [thing]


def _with_sign(verb: Token, meaning: Meaning | None) -> Meaning | None:
    """Read the adverb: "negatively regulates" has a sign that "regulates" has not."""
    if meaning is None or meaning.predicate != "regulates":
        return meaning
    adverbs = [child.lower_ for child in children(verb, "advmod")]
    predicate = next((_ADVERB_SIGNS[each] for each in adverbs if each in _ADVERB_SIGNS), "regulates")
    return Meaning(predicate, meaning.inverted)


def _mechanism(parse: Parse, reading: Reading) -> Iterator[Reading]:
    """From "X causes Z by raising Y", that Y causes Z: the gerund says how the main verb comes about."""
    gerund = reading.trigger
    if gerund.dep_ != "pcomp" or gerund.head.lower_ not in ("by", "through", "via"):
        return
    sign = _MECHANISM.get(reading.meaning.predicate, 0)
    main = gerund.head.head
    meanings = sense_of(main)
    if not sign or not meanings or is_passive(main):
        return
    for words, meaning, things in _complements(main, meanings, passive=False):
        if meaning.predicate not in _MECHANISM or meaning.inverted:
            continue
        causes = tuple(Argument(a.mention, a.token, turned=(sign < 0) != a.turned) for a in reading.objects)
        effects = tuple(a for thing in things for a in arguments(parse, thing))
        yield Reading("mechanism", main, words, meaning, causes, effects, tuple(things))


def _side(parse: Parse, token: Token, meanings: dict[str, Meaning]) -> list[Argument]:
    sees_patients = any(meaning.predicate in ("treats", "manifestation_of") for meaning in meanings.values())
    return arguments(parse, token, patients=sees_patients)


def _is_inverted_modifier(verb: Token, meanings: dict[str, Meaning]) -> bool:
    """Whether "X secreting Y" may as well be "Y that secrete X": "IFN-gamma secreting T cells", "PD-1 blocking antibody"."""
    if verb.tag_ != "VBG" or verb.i == 0:
        return False
    before = verb.nbor(-1)
    if verb.i + 1 < len(verb.doc) and noun(verb.nbor()) in AGENTS:
        return verb.head.i == before.i or before.head.i == verb.i
    predicate = meanings[OBJECT].predicate if OBJECT in meanings else ""
    is_making = predicate in ("produces", "expresses")
    return is_making and verb.dep_ in ("acl", "amod") and verb.head.i == before.i


def _pattern(verb: Token) -> Pattern:
    if verb.dep_ == "acl":
        return "participle"
    own = children(verb, "nsubj", "nsubjpass")
    return "clause" if (verb.dep_ in _CLAUSE_LABELS and not own) or verb.dep_ == "relcl" else "verb"


def _words(verb: Token, *more: Token) -> tuple[Token, ...]:
    beside = children(verb, "aux", "auxpass", "neg", "prt")
    return (*beside, verb, *more)
