"""Questions that lean on the one before: "which cells does it act on?", "what about belimumab?".

What is done, and nothing else: a pronoun (it, its, they, them, their) stands for the one thing that the last answer
named, or, where the last question asked for no thing of a type, for its one entity; "this drug", "those cells" stand for
the one entity of that type in the last question and its answer (in the answer alone, if it was asked for such a thing);
"what about X?" repeats the last question with X in the place of
its one entity, or of its one entity of X's type ("and in X?" adds X where the last question names no such place), and turns the conversation to X: a pronoun after it stands for X. Where there is more than one such entity the question is not asked, and
the choice is given back to whoever asks. Each replacement is told. A pronoun that can refer to something named before it
in the same question is left as it is; so is the "it" of "is it known that …".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kg_pipeline.graph.reader import Entity
from retrieval.answer import Answer
from retrieval.layout import type_name
from retrieval.methods.asking import understand
from retrieval.methods.context import Context
from retrieval.questions.links import Link
from retrieval.questions.question import Question
from retrieval.questions.shape import Slot, named_slot, names_a_type, read_shape
from retrieval.words.cues import CATEGORIES

_REFERENCE = re.compile(
    r"\b(?:(?P<pronoun>it|they|them)|(?P<owner>its|their)|(?:this|that|these|those)\s+(?P<type>[a-z]+))\b",
    re.IGNORECASE,
)
_EXPLETIVE = re.compile(
    r"\bit\b(?=\s+(?:is\s+|was\s+|has\s+been\s+)?(?:known|true|possible|likely|unlikely|clear|certain|believed|thought|shown)\b)",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:and|what\s+about|how\s+about)\s+(?:(?P<place>in)\s+|(?:for|with)\s+)?(?P<rest>.+?)[\s?.!]*",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:]|\b(?:and|or|but|that|which|who|when|while|if|because|so)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Turn:
    """A question that was answered, in full words, with its answer."""

    question: Question
    answer: Answer
    topic: str = ""  # the name that the conversation was turned to: X of "what about X?"


@dataclass(frozen=True, slots=True)
class Resolved:
    """A question that stands on its own, what was put in for what ("it" is read as …), and the topic of its turn."""

    question: str
    told: tuple[str, ...] = ()
    topic: str = ""


@dataclass(frozen=True, slots=True)
class Unclear:
    """Why a question cannot be asked as it is, as a sentence for whoever asks."""

    sentence: str


@dataclass(frozen=True, slots=True)
class _Named:
    """Something that the last turn named: how to say it, and the entities that it can be."""

    name: str
    entities: tuple[Entity, ...]

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(entity.entity_id for entity in self.entities)


def resolve(text: str, last: Turn | None, context: Context) -> Resolved | Unclear:
    """The question in full words, or why it cannot be told what it refers to."""
    about = _ABOUT.fullmatch(text.strip())
    if about:
        repeated = _repeat(about.group("rest"), last, context, adds=about.group("place") is not None)
        if repeated is not None:
            return repeated
    links = understand(text, context).links
    parts: list[str] = []
    told: list[str] = []
    position = 0
    for found in _REFERENCE.finditer(text):
        if not _refers_back(text, found, links):
            continue
        candidates = _candidates(found, last, context)
        if len(candidates) != 1:
            return Unclear(_choice(found.group(), candidates))
        name = candidates[0].name
        parts += [text[position : found.start()], f"{name}'s" if found.group("owner") else name]
        told.append(f"“{found.group()}” is read as {name}.")
        position = found.end()
    return Resolved("".join([*parts, text[position:]]), tuple(told))


def _refers_back(text: str, found: re.Match[str], links: tuple[Link, ...]) -> bool:
    """Whether the words can only refer to what was said before this question."""
    if any(link.start <= found.start() < link.end for link in links):
        return False  # part of a name
    word = found.group("type")
    if word is not None:
        return names_a_type(word.lower())
    if _EXPLETIVE.match(text, found.start()):
        return False
    before = [link for link in links if link.end <= found.start()]
    # "Does X help, and what does it cost": the same question names what it may be. In "how does X act on it" it is not X.
    return not any(found.group("owner") or _CLAUSE.search(text[link.end : found.start()]) for link in before)


def _candidates(found: re.Match[str], last: Turn | None, context: Context) -> list[_Named]:
    """What the words may stand for, each thing once."""
    if last is None:
        return []
    items = [_item(name, context) for name in last.answer.items]
    asked = [_Named(link.text, link.entities) for link in last.question.links]
    wanted = read_shape(last.question).answer
    slot = named_slot(found.group("type")) if found.group("type") else None
    if slot is None and last.topic:
        return [_item(last.topic, context)]
    if slot is None:
        return _distinct(items if items or (wanted is not None and last.answer.answered) else asked)
    if wanted is not None and wanted.categories & slot.categories:
        return _distinct([named for named in items if _fits(slot, named)])
    shown = context.reader.entities(sorted(last.answer.graph.entities))
    others = [_Named(entity.name, (entity,)) for entity in shown]
    return _distinct([named for named in [*items, *asked, *others] if _fits(slot, named)])


def _item(name: str, context: Context) -> _Named:
    return _Named(name, tuple(context.reader.entities(context.reader.find_entities(name))))


def _fits(slot: Slot, named: _Named) -> bool:
    return any(slot.fits(entity) for entity in named.entities)


def _distinct(candidates: list[_Named]) -> list[_Named]:
    kept: list[_Named] = []
    for candidate in candidates:
        known = any(
            candidate.ids & other.ids or candidate.name.lower() == other.name.lower() for other in kept
        )
        if not known:
            kept.append(candidate)
    return kept


def _choice(words: str, candidates: list[_Named]) -> str:
    if not candidates:
        return f"Nothing that was asked or answered before is the one thing that “{words}” stands for. Say what you mean by name."
    names = ", ".join(candidate.name for candidate in candidates[:-1])
    return f"“{words}” can be {names} or {candidates[-1].name}. Say which by name."


def _repeat(rest: str, last: Turn | None, context: Context, *, adds: bool) -> Resolved | Unclear | None:
    """The last question with another entity in it; None if the words are no name of an entity and nothing else."""
    links = understand(rest, context).links
    if len(links) != 1 or links[0].text.lower() != rest.lower() or not links[0].exact:
        return None
    if last is None:
        return Unclear(f"There is no question before that could be asked about {rest}. Ask it in full.")
    before = last.question.text
    alike = _alike(links[0], last.question.links)
    if adds and not alike:
        question = f"{before.rstrip(' ?.!')} in {rest}?"
        return Resolved(question, (f"Asked: {question}",))
    replaceable = alike or list(last.question.links)
    if len(replaceable) != 1:
        return Unclear(
            f"It is not clear what {rest} takes the place of in “{last.question.text}”. Ask it in full."
        )
    link = replaceable[0]
    question = f"{before[: link.start]}{rest}{before[link.end :]}"
    return Resolved(question, (f"Asked: {question}",), topic=rest)


def _alike(link: Link, others: Sequence[Link]) -> list[Link]:
    """Those of the others that are of its category, else of its kind: a drug may be listed as a chemical."""
    of_category = {type_name(entity.category) for entity in link.entities}
    kinds = [frozenset(names) for names in CATEGORIES.values() if not of_category.isdisjoint(names)]
    of_kind = frozenset[str]().union(*kinds)
    for wanted in (of_category, of_kind):
        found = [o for o in others if any(type_name(entity.category) in wanted for entity in o.entities)]
        if found:
            return found
    return []
