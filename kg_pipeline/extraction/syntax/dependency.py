"""Questions about a dependency parse: who is the subject, the object, the neighbour by conjunction.

The labels are those of the English spaCy models (ClearNLP style): nsubj, nsubjpass, dobj, prep, pobj, agent, ….
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kg_pipeline.extraction.lexicon.inflection import singular
from kg_pipeline.extraction.lexicon.word_list import word_set

if TYPE_CHECKING:
    from spacy.tokens import Token

_RELATIVE = frozenset({"which", "that", "who"})
#: Verbs whose object, not subject, does what the infinitive says: "enables X to inhibit Y".
_OBJECT_CONTROL = frozenset({"enable", "allow", "permit", "cause", "lead", "drive", "use", "force"})
#: Prepositions before a gerund that has the main verb's subject: "acts by inhibiting Y".
GERUND_PREPOSITIONS = frozenset({"by", "through", "via", "in", "to", "of", "for", "without"})
#: What is used, given or made "to do Y" does it; what is incubated or kept to do it does not.
_PURPOSEFUL = word_set(
    """use employ apply give administer prescribe approve license indicate recommend need require develop design engineer
    show find report know demonstrate observe prove think believe suggest propose predict expect
    """
)
#: What is done to cells and samples in a laboratory, whose purpose may be parsed as a complement.
_HANDLING = word_set(
    "keep wash incubate transfect transduce culture store stain fix heat cool place leave seed add"
)
#: Nouns of what is not done: "the inability of X to raise Y".
_INABILITIES = frozenset({"failure", "inability"})
_ALONE = (["it"], ["they"])
_MAX_CLIMB = 12  # heads followed before giving up; parses of real sentences stay below it


def children(token: Token, *labels: str) -> list[Token]:
    """Children with one of these labels, in order."""
    return [child for child in token.children if child.dep_ in labels]


def conjuncts(token: Token) -> list[Token]:
    """The token and those joined to it on its right by a conjunction."""
    found = [token]
    for each in found:
        found += children(each, "conj")
    return found


def prepositional(token: Token, *prepositions: str) -> list[tuple[Token, Token]]:
    """(preposition, its object) for prepositions of the token; all prepositions if none are named."""
    pairs = []
    for preposition in children(token, "prep", "agent", "dative"):
        for each in conjuncts(preposition):
            if not prepositions or each.lower_ in prepositions:
                pairs += [(each, child) for child in children(each, "pobj")]
    return pairs


def is_passive(verb: Token) -> bool:
    """Whether the verb is in the passive voice: "was inhibited", "inhibited by", and "activated" in "was bound and activated"."""
    if children(verb, "auxpass", "nsubjpass"):
        return True
    if verb.tag_ != "VBN" or children(verb, "aux", "nsubj"):
        return False
    if verb.dep_ == "conj" and not children(verb, "dobj"):
        return is_passive(verb.head)
    return verb.dep_ in ("acl", "amod", "relcl") or bool(children(verb, "agent"))


def subjects(verb: Token, depth: int = 0) -> list[Token]:
    """Tokens that do (active) or undergo (passive) the verb, found through clauses that share a subject."""
    if depth > _MAX_CLIMB:
        return []
    own = [token for token in children(verb, "nsubj", "nsubjpass") if not _ends_a_list(token)]
    head = verb.head
    if verb.dep_ == "conj" and head.pos_ == "VERB" and [token.lower_ for token in own] in _ALONE:
        return subjects(head, depth + 1)  # "X reaches Y, and it causes Z"
    if own:
        return [_antecedent(token, verb) for token in own]
    if verb.dep_ in ("relcl", "acl"):
        unable = [thing for _, thing in prepositional(head, "of")] if noun(head) in _INABILITIES else []
        return unable or [head]
    if verb.dep_ == "acomp":  # "X was unable to inhibit Y"
        return subjects(head, depth + 1)
    if verb.dep_ == "conj" and not children(verb, "expl"):
        clause = _clause_before(verb)
        return subjects(head if clause is None else clause, depth + 1)
    if verb.dep_ in ("xcomp", "ccomp") and not children(verb, "mark"):
        objects = children(head, "dobj")
        if objects and head.lemma_.lower() in _OBJECT_CONTROL:
            return objects
        if head.lemma_.lower() in _HANDLING and verb.tag_ == "VB":
            return []
        return subjects(head, depth + 1)
    if (
        verb.dep_ == "advcl"
        and verb.tag_ == "VBG"
        and not children(verb, "mark", "advmod")
        and not is_passive(head)
    ):
        return subjects(head, depth + 1)
    if verb.dep_ == "advcl" and verb.tag_ == "VB" and children(verb, "aux"):  # "is used to treat Y"
        return [] if _is_aim(verb) else subjects(head, depth + 1)
    if verb.dep_ == "pcomp" and head.lower_ in GERUND_PREPOSITIONS:
        governor = head.head
        if governor.dep_ == "dobj" and head.lower_ in ("by", "through", "via"):
            governor = (
                governor.head
            )  # "cells modulate X formation by raising Y": it is the cells that raise Y
        if governor.pos_ in ("NOUN", "PROPN"):
            return [governor]
        if governor.pos_ == "ADJ" and governor.dep_ in ("acomp", "amod"):
            governor = governor.head
        return (
            []
            if head.dep_ == "agent" or (is_passive(governor) and head.lower_ == "by")
            else subjects(governor, depth + 1)
        )
    return []


def _clause_before(verb: Token) -> Token | None:
    """The clause that the verb goes on with: "X was met by Y, which raised A, lowered B" says that Y lowered B."""
    head = verb.head
    if not is_passive(head) or verb.tag_ != "VBD" or not children(verb, "dobj"):
        return None
    agents = [thing for _, thing in prepositional(head, "by")]
    clauses = [clause for thing in agents for clause in children(thing, "relcl") if clause.i < verb.i]
    return next((clause for clause in clauses if clause.tag_ == "VBD"), None)


def _ends_a_list(subject: Token) -> bool:
    """Whether "or" stands right before a subject: it then ends a list that was torn off, "drugs such as X, Y, or Z can"."""
    left = subject.left_edge
    return left.i > 1 and left.nbor(-1).lower_ == "or" and left.nbor(-2).lower_ != "whether"


def _is_aim(verb: Token) -> bool:
    """Whether the infinitive is what somebody does to the subject for: "cells were kept in the dark to raise Y"."""
    head = verb.head
    first = head.head if head.dep_ == "conj" and head.tag_ in ("VBN", "VBD") else head
    if is_passive(head) or is_passive(first):
        return head.lemma_.lower() not in _PURPOSEFUL
    return verb.i < head.i  # "To raise Y, a low dose is best"


def objects(verb: Token) -> list[Token]:
    """Direct objects, shared by joined verbs: "X binds and inhibits Y"."""
    own = children(verb, "dobj", "obj")
    if own or children(verb, "prep", "agent", "ccomp", "xcomp"):
        return own
    for other in children(verb, "conj"):
        if other.pos_ == "VERB" and not children(other, "nsubj", "nsubjpass"):
            return objects(other)
    return []


def is_list_item(verb: Token) -> bool:
    """Whether a participle before a noun was taken for a verb: "fever, abortion, decreased fertility, and pain".

    It then stands between a comma or "and" and a bare noun, and is joined to a verb that is not in the past.
    """
    first = verb.head if verb.dep_ == "conj" else verb
    while first.dep_ == "conj" and first.head.pos_ in ("VERB", "AUX") and not children(first, "nsubj"):
        first = first.head
    things = children(verb, "dobj")
    return (
        verb.tag_ in ("VBN", "VBD")
        and first.i != verb.i
        and first.tag_ in ("VBP", "VBZ", "VB")
        and not children(first, "aux", "auxpass")
        and verb.i > 0
        and (verb.nbor(-1).is_punct or verb.nbor(-1).dep_ == "cc")
        and bool(things)
        and things[0].left_edge.i == verb.i + 1
        and not children(things[0], "det", "poss")
    )


def is_of_noun_before(preposition: Token) -> bool:
    """Whether the second "to" of "contributes to resistance to X" was given to the verb."""
    earlier = [
        thing
        for other in children(preposition.head, "prep")
        if other.i < preposition.i and other.lower_ == preposition.lower_
        for thing in children(other, "pobj")
    ]
    return any(thing.right_edge.i + 1 == preposition.i for thing in earlier)


def ancestors(token: Token) -> Iterator[tuple[Token, Token]]:
    """(child, head) pairs from the token upwards."""
    while token.head.i != token.i:
        yield token, token.head
        token = token.head


def noun(token: Token) -> str:
    """Lower-case singular of a noun token."""
    return singular(token.lower_)


def _antecedent(token: Token, verb: Token) -> Token:
    if token.lower_ not in _RELATIVE or token.tag_ not in ("WDT", "WP", "IN", "DT"):
        return token
    clause = verb
    for _ in range(_MAX_CLIMB):
        if clause.dep_ == "relcl":
            return clause.head
        if clause.dep_ not in ("conj", "xcomp", "ccomp", "advcl"):
            return token
        clause = clause.head
    return token
