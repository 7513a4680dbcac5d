"""Who has the role that a noun names: X of "X is an inhibitor of Y", "X, an antibody against Y", "X serves as a marker"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_pipeline.extraction.lexicon.word_list import word_set
from kg_pipeline.extraction.syntax.dependency import children, is_passive, subjects

if TYPE_CHECKING:
    from spacy.tokens import Token

#: Verbs that make their object or "as" phrase a role of the subject.
_ROLE_VERBS = word_set(
    "be become remain represent constitute act serve function use consider regard emerge identify recognize know propose "
    "suggest describe establish implicate view work provide"
)


def holders(role: Token) -> list[Token]:
    """Nouns that have the role; those in apposition to it where the sentence says no more."""
    if role.dep_ == "conj" and not children(role, "nsubj"):
        return _said_to_be(role.head)
    return _said_to_be(role) or children(role, "appos")


def is_said_to_be(noun: Token) -> list[Token]:
    """What the sentence calls that: X of "X is a drug" and "X, a drug"; nothing where it denies it."""
    is_named = noun.dep_ == "appos" or (noun.dep_ == "attr" and noun.head.lemma_.lower() == "be")
    return _said_to_be(noun) if is_named and not children(noun.head, "neg") else []


def _said_to_be(role: Token) -> list[Token]:
    head = role.head
    if role.dep_ == "conj" and not children(role, "nsubj"):
        return _said_to_be(head)
    if role.dep_ == "appos":
        return [_nearest(role)]
    if role.dep_ in ("attr", "dobj", "oprd", "xcomp", "acomp") and head.lemma_.lower() in _ROLE_VERBS:
        if role.dep_ == "dobj" and is_passive(head):
            return []
        return subjects(head)
    if role.dep_ == "nsubj" and head.lemma_.lower() == "be":  # "the causes of Y are X"
        return children(head, "attr")
    if role.dep_ == "pobj" and head.lower_ in ("as", "for") and head.head.lemma_.lower() in _ROLE_VERBS:
        verb = head.head
        direct = children(verb, "dobj")
        return direct or subjects(verb)
    return []


def _nearest(role: Token) -> Token:
    """What the apposition follows: in "the arm that binds Z, a part of Y" it is Z, whatever the parse says."""
    last = role.left_edge.i - 1
    while last > role.head.i and role.doc[last].is_punct:
        last -= 1
    if last < role.head.i:  # it stands before its noun
        return role.head
    before = role.doc[last]
    clauses = children(role.head, "relcl")
    is_within = any(clause.i < before.i <= clause.right_edge.i for clause in clauses)
    return before if is_within and before.pos_ in ("NOUN", "PROPN") else role.head
