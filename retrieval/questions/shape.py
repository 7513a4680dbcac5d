"""The shape of a question: the type of thing it asks for, the things on the way that it names only by type, and the operator.

"Which drug binds the protein whose expression ASCL1 drives?" asks for a drug by way of a protein; "which gene is
associated with both A and B?" for a shared neighbour. Section 5.1 of the BioWeave paper (AbstractQuestion), by rules.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from kg_pipeline.graph.reader import Entity
from retrieval.layout import type_name
from retrieval.questions.question import Question
from retrieval.words.cues import (
    ASKED_TYPES,
    AUXILIARIES,
    CATEGORIES,
    CUE_STEMS,
    is_passive,
    predicates_of,
    reads_as_verb,
)
from retrieval.words.terms import STOP_WORDS, Token, singular, stem, tokenise

Operator = Literal["shared_neighbour", "intersection", "chain", "aggregation", "count"]

_TARGETS = ("Protein", "Gene", "GeneOrGeneProduct", "GeneFamily")
_SUBSTANCES = ("Drug", "ChemicalEntity", "SmallMolecule", "MolecularMixture", "ChemicalMixture")
#: Types that a question may name besides those of `retrieval.words.cues`; without categories only the name decides.
_MORE: dict[str, tuple[str, ...]] = {
    "target": _TARGETS,
    "enzyme": _TARGETS,
    "hormone": (*_TARGETS, *_SUBSTANCES),
    "compound": _SUBSTANCES,
    "chemical": _SUBSTANCES,
    "antibody": (),
    "autoantibody": (),
    "syndrome": ("Disease",),
    "phenotype": ("PhenotypicFeature", "Disease"),
    "tissue": ("AnatomicalEntity", "GrossAnatomicalStructure"),
    "organ": ("AnatomicalEntity", "GrossAnatomicalStructure"),
    "exposure": ("EnvironmentalExposure", "ChemicalEntity"),
    "organism": ("OrganismTaxon",),
    "species": ("OrganismTaxon",),
}
_TYPES = {**CATEGORIES, **_MORE}
#: Categories that are the type itself, for words that other categories may stand for too.
_EXACT: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        ("drug", "medication", "treatment", "therapy"),
        frozenset({"Drug", "SmallMolecule", "MolecularMixture", "Treatment", "Procedure"}),
    ),
    **dict.fromkeys(
        (
            *("cytokine", "receptor", "kinase", "enzyme", "hormone", "target", "antibody", "syndrome"),
            *("antigen", "ligand", "molecule", "complex", "transporter", "chemokine", "metabolite"),
        ),
        frozenset[str](),
    ),
    "cell": frozenset({"Cell", "CellLine"}),
}
#: Endings that the names of a type have by convention (international names of antibodies, names of enzymes).
_ENDINGS = {"antibody": "mab", "enzyme": "ase"}
#: Words after the noun of a name for the part or the kin that is meant ("receptor subunit 1").
_PARTS = frozenset(
    {"alpha", "beta", "gamma", "delta", "subunit", "chain", "member", "family", "isoform", "type"}
)
_NAMES_COMPARED = 20
_SHORTEST_TYPE = 4
_ASKS = frozenset({"which", "what", "list", "name"})
#: Types whose word is a verb too.
_VERBS_TOO = frozenset({"target"})
_MODIFIERS = 4  # words between "which" and the type: "which other small molecule inhibitor drugs"
_COUNT = re.compile(r"\b(?:how\s+many|number\s+of|count\s+(?:the|of|all)?)\b", re.IGNORECASE)
_SHARED = re.compile(
    r"\b(?:both|shared?|shares|in\s+common|common\s+to|connects?|links?|bridges?|between)\b", re.IGNORECASE
)
_ARTICLES = frozenset({"a", "an", "the"})
_WHERE = frozenset({"in", "among", "during", "within"})
_SETTING = _WHERE | {"of", "for"}


@dataclass(frozen=True, slots=True)
class Slot:
    """A thing that the question names by its type only."""

    word: str
    categories: frozenset[str]
    start: int

    def fits(self, entity: Entity) -> bool:
        """Whether an entity is of the type, by category or by the noun that its name ends with."""
        return type_name(entity.category) in self.categories or self.is_named_by(entity)

    def is_named_by(self, entity: Entity) -> bool:
        """Whether the entity's name ends with the type, or with a wider one ("anti-Ro antibodies" for autoantibody)."""
        for name in (entity.name, *entity.aliases[:_NAMES_COMPARED]):
            head = _head(name)
            if len(head) >= _SHORTEST_TYPE and (self.word.endswith(head) or head.endswith(self.word)):
                return True
            if head.endswith(_ENDINGS.get(self.word, "\0")):
                return True
        return False

    def closeness(self, entity: Entity, said: Collection[str]) -> float:
        """How surely an entity is of the type: 0 if it is not, 1 if its own category, its name or `said` says so.

        `said` are stems of the sentences that lead to the entity. A category that only may be of the type, as that of a
        chemical may be a drug and that of a gene a receptor, counts half.
        """
        if not self.fits(entity):
            return 0.0
        exact = type_name(entity.category) in _EXACT.get(self.word, self.categories)
        return 1.0 if exact or self.is_named_by(entity) or stem(self.word) in said else 0.5


def _head(name: str) -> str:
    """The noun that says what a named thing is, without what tells one of its kind from another: "kinase" of "TANK binding kinase 1"."""
    words = [token.text for token in tokenise(name)]
    while len(words) > 1 and (len(words[-1]) == 1 or words[-1][0].isdigit() or words[-1] in _PARTS):
        words.pop()
    return singular(words[-1]) if words else ""


@dataclass(frozen=True, slots=True)
class Cue:
    """A word of the question that a step on the way to the answer must express, with the predicates it stands for."""

    word: str  # stem
    predicates: frozenset[str]


@dataclass(frozen=True, slots=True)
class Shape:
    """What to look for: `answer` is the type asked for, `inner` the types on the way."""

    operator: Operator
    answer: Slot | None
    inner: tuple[Slot, ...]
    cues: tuple[Cue, ...]
    lead: Cue | None  # what the answer does, in the active voice: "which drug *binds* …"
    setting: frozenset[int]  # links that only say where or of what: "in small cell lung cancer"
    where: frozenset[int]  # those of them that say where

    @property
    def is_nested(self) -> bool:
        """Whether the answer is reached by way of something the question does not name."""
        return bool(self.inner)


def read_shape(question: Question) -> Shape:
    """The shape of a question that was read against a graph."""
    tokens = [token for token in tokenise(question.text) if not _linked(question, token.start)]
    slots = [slot for slot in _slots(question.text, tokens) if not _is_verb(question, slot)]
    answer = _answer(tokens, slots)
    inner = tuple(slot for slot in slots if slot is not answer)
    if answer is not None:
        # "which protein … its target": the word that stands for the answer again is no further step.
        inner = tuple(slot for slot in inner if slot.word != answer.word)
    starts = {slot.start for slot in slots}
    cues = _cues([token for token in tokens if token.start not in starts])
    return Shape(
        operator=_operator(question, answer, inner),
        answer=answer,
        inner=inner,
        cues=cues,
        lead=_lead(question, tokens, answer, starts),
        setting=_setting(question, _SETTING),
        where=_setting(question, _WHERE),
    )


def _linked(question: Question, position: int) -> bool:
    return any(link.start <= position < link.end for link in question.links)


def _slots(text: str, tokens: list[Token]) -> list[Slot]:
    slots = []
    opens = True  # only words that ask stand before
    for token in tokens:
        word = singular(token.text)
        asked = ASKED_TYPES.get(stem(token.text)) if opens else None
        names = _TYPES.get(word, asked)
        if names is not None:
            slots.append(Slot(word, frozenset(names), token.start))
        opens = opens and (token.text in _ASKS or token.text in STOP_WORDS)
    return slots


def _is_verb(question: Question, slot: Slot) -> bool:
    """Whether a word that names a type is what somebody does: "drugs target PD-1", "what does belimumab target?"."""
    if slot.word not in _VERBS_TOO:
        return False
    tokens = tokenise(question.text)
    starts = [token.start for token in tokens]
    names = {starts.index(link.start) for link in question.links if link.start in starts}
    return reads_as_verb([token.text for token in tokens], starts.index(slot.start), names)


def _answer(tokens: list[Token], slots: list[Slot]) -> Slot | None:
    """The first type after a word that asks, or after "how many"."""
    asked = False
    left = 0
    by_start = {slot.start: slot for slot in slots}
    for token in tokens:
        if token.text in AUXILIARIES and asked and left == _MODIFIERS + 2:
            asked = False  # "what does X cause" asks for anything
        elif token.text in _ASKS or token.text == "many":
            asked, left = True, _MODIFIERS + 2
        elif asked and left:
            if token.start in by_start:
                return by_start[token.start]
            if predicates_of(stem(token.text)):
                asked = False  # "what increases …" asks for anything
            left -= 1
    return None


def _cues(tokens: list[Token]) -> tuple[Cue, ...]:
    found: dict[str, Cue] = {}
    for token in tokens:
        word = stem(token.text)
        if token.text in STOP_WORDS or token.text in _ASKS or token.is_number or len(token.text) < 3:
            continue
        predicates = predicates_of(word)
        if predicates or word not in CUE_STEMS:
            found.setdefault(word, Cue(word, predicates))
    return tuple(found.values())


def _lead(question: Question, tokens: list[Token], answer: Slot | None, starts: set[int]) -> Cue | None:
    """The verb directly after the type asked for; none in the passive, or where another subject stands before the verb."""
    if answer is None or is_passive(question.text):
        return None
    after = [token for token in tokens if token.start > answer.start]
    if not after or any(answer.start < link.start < after[0].start for link in question.links):
        return None
    first = after[0]
    predicates = predicates_of(stem(first.text)) if first.start not in starts else frozenset()
    return Cue(stem(first.text), predicates) if predicates else None


def _setting(question: Question, prepositions: Collection[str]) -> frozenset[int]:
    found = set()
    for number, link in enumerate(question.links):
        said = tokenise(question.text[: link.start])
        before = [token.text for token in said if token.text not in _ARTICLES]
        last = number == len(question.links) - 1
        if number and last and before and before[-1] in prepositions:
            found.add(number)
    return frozenset(found)


def _operator(question: Question, answer: Slot | None, inner: tuple[Slot, ...]) -> Operator:
    if _COUNT.search(question.text):
        return "count"
    if answer is not None and len(question.links) >= 2 and not inner:
        # Two things ask for what lies between them, more (or a plain "and") for what satisfies all of them.
        return (
            "shared_neighbour"
            if len(question.links) == 2 and _SHARED.search(question.text)
            else "intersection"
        )
    if answer is not None and not inner and len(question.links) == 1:
        return "aggregation"
    return "chain"


def names_a_type(word: str) -> bool:
    """Whether a lower-case word names a type of thing; no passage needs to have it."""
    return singular(word) in _TYPES


def named_slot(words: str) -> Slot | None:
    """The type that words name ("small molecule drug"); None if none of them is known."""
    for token in reversed(tokenise(words)):
        word = singular(token.text)
        if word in _TYPES:
            return Slot(word, frozenset(_TYPES[word]), -1)
    return None
