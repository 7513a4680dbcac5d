"""Questions told in several sentences, as "A cell type expresses a gene that is linked to a disease. … What is the disease?".

What is asked for stands in the middle of what is told, so that no single path leads to it: it is where the statements
meet (the chain operator of the BioWeave paper over a typed pattern, sections 4.2 and 5.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kg_pipeline.vocabulary.predicates import PREDICATES
from retrieval.questions.question import Question
from retrieval.questions.shape import Slot, named_slot, names_a_type
from retrieval.words.cues import ANY_RELATION, predicates_of
from retrieval.words.terms import STOP_WORDS, Token, find_name, singular, stem, tokenise

_ENDS = re.compile(r"[.?!](?=\s+[A-Z]|\s*$)")
_NEW = frozenset({"a", "an", "certain", "some", "one", "another"})
_BACK = frozenset({"that", "this", "the", "these", "those", "such", "same"})
_PRONOUNS = frozenset({"it", "its", "their"})
_RELATIVES = frozenset({"which", "that", "who", "whose"})
_ASKS = frozenset({"what", "which", "many"})
_TO_BE = frozenset({"is", "are", "was", "were", "be", "been"})
_BEFORE = 3  # tokens before a type among which its article stands: "a certain anatomical structure"


@dataclass(frozen=True, slots=True)
class Thing:
    """What statements are about: named, by a link of the question, or told by its type only."""

    link: int | None
    slot: Slot | None


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing does something to another; `source` and `target` are places among the things of a description.

    `stated` are the predicates whose own words stand there, `meant` all that may be meant; empty: any.
    """

    source: int
    target: int
    stated: frozenset[str]
    meant: frozenset[str]
    is_clear: bool = True  # whether its words say a relation at all


@dataclass(frozen=True, slots=True)
class Description:
    """Things, what is said of them, and the place of the one that is asked for."""

    things: tuple[Thing, ...]
    statements: tuple[Statement, ...]
    asked: int

    def named(self, question: Question) -> Question:
        """The question as far as it names things: where all statements hold, how they are put is no further demand."""
        links = [question.links[thing.link] for thing in self.things if thing.link is not None]
        return replace(question, links=tuple(links), terms=())


@dataclass(frozen=True, slots=True)
class _Mention:
    """Where a sentence speaks of a thing: tokens from `first` up to `last`, both by their number in the sentence."""

    first: int
    last: int
    link: int | None
    slot: Slot | None
    pronoun: bool = False


def read_description(question: Question) -> Description | None:
    """The description that a question ends by asking about; None where it is told in one sentence, or asks for nothing told.

    Every statement must say a relation, and every named thing be reached from the one asked for, or the question does not
    say what is sought.
    """
    sentences = list(_sentences(question))
    if len(sentences) < 2 or not _ASKS.intersection(token.text for token in sentences[-1]):
        return None
    reader = _Reader(question)
    for tokens in sentences[:-1]:
        reader.read(tokens)
    asked = reader.asked(sentences[-1])
    if asked is None or not reader.is_whole(asked) or not all(one.is_clear for one in reader.statements):
        return None
    return Description(tuple(reader.things), tuple(reader.statements), asked)


def _sentences(question: Question) -> Iterator[list[Token]]:
    """Tokens of each sentence; a stop inside of a name ends none."""
    text = question.text
    ends = [
        match.end()
        for match in _ENDS.finditer(text)
        if not any(link.start <= match.start() < link.end for link in question.links)
    ]
    tokens = tokenise(text)
    for start, end in zip([0, *ends], [*ends, len(text)], strict=True):
        if found := [token for token in tokens if start <= token.start < end]:
            yield found


class _Reader:
    """Things and statements, sentence by sentence."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self.things: list[Thing] = []
        self.statements: list[Statement] = []

    def read(self, tokens: Sequence[Token]) -> None:
        """Take in a sentence: each thing is said of the one before it, or of the sentence's subject."""
        told_before = len(self.things)
        is_aside = False  # whether a relative clause has told what came last
        subject: int | None = None
        last: tuple[int, _Mention] | None = None
        for mention in self._mentions(tokens):
            place = self._place(mention, tokens, told_before)
            if place is None:
                continue
            if subject is None or last is None:
                subject = place
            else:
                words = tokens[last[1].last : mention.first]
                source = subject if _is_of_subject(words, after_aside=is_aside) else last[0]
                is_aside = any(word.text in _RELATIVES for word in words)
                if source != place:
                    self.statements.append(_statement(source, place, words))
            last = (place, mention)

    def _mentions(self, tokens: Sequence[Token]) -> list[_Mention]:
        found = []
        for number, link in enumerate(self._question.links):
            if place := find_name(tokens, link.names):
                found.append(_Mention(*place, number, None))
        taken = {i for mention in found for i in range(mention.first, mention.last)}
        for i, token in enumerate(tokens):
            if i in taken:
                continue
            if token.text in _PRONOUNS:
                found.append(_Mention(i, i + 1, None, None, pronoun=True))
            elif names_a_type(token.text) and _article(tokens, i):
                found.append(_Mention(i, i + 1, None, named_slot(token.text)))
        found.sort(key=lambda mention: (mention.first, -mention.last))
        return [
            mention
            for mention, after in zip(found, [*found[1:], None], strict=True)
            # "The cell type [B cells]": the words before a name only say what it is the name of.
            if after is None or after.link is None or _says(tokens[mention.last : after.first])
        ]

    def _place(self, mention: _Mention, tokens: Sequence[Token], told_before: int) -> int | None:
        if mention.pronoun:
            return told_before - 1 if told_before else None
        if mention.link is not None:
            return self._known(Thing(mention.link, None))
        slot = mention.slot
        assert slot is not None
        article = _article(tokens, mention.first)
        told = [n for n, thing in enumerate(self.things) if thing.slot and thing.slot.word == slot.word]
        if article in _BACK and told:
            return told[-1]
        self.things.append(Thing(None, slot))
        return len(self.things) - 1

    def _known(self, thing: Thing) -> int:
        if thing not in self.things:
            self.things.append(thing)
        return self.things.index(thing)

    def asked(self, tokens: Sequence[Token]) -> int | None:
        """The thing that the last sentence asks for by its type; None if it names something more."""
        if any(find_name(tokens, link.names) for link in self._question.links):
            return None
        words = {singular(token.text) for token in tokens}
        told = [n for n, thing in enumerate(self.things) if thing.slot and thing.slot.word in words]
        return told[-1] if told else None

    def is_whole(self, asked: int) -> bool:
        """Whether statements join the thing asked for with everything that is named, and that is two things or more."""
        reached = {asked}
        for _ in self.things:
            for one in self.statements:
                if reached & {one.source, one.target}:
                    reached |= {one.source, one.target}
        named = {n for n, thing in enumerate(self.things) if thing.link is not None}
        return len(named) > 1 and named <= reached


def _article(tokens: Sequence[Token], at: int) -> str:
    """The article of the type at a place; empty where another type has it ("that compound targets …")."""
    for token in reversed(tokens[max(at - _BEFORE, 0) : at]):
        if token.text in _NEW | _BACK:
            return token.text
        if names_a_type(token.text):
            break
    return ""


def _says(words: Sequence[Token]) -> bool:
    """Whether words between two mentions say something of them."""
    return any(predicates_of(stem(token.text)) or token.text in STOP_WORDS for token in words)


def _is_of_subject(words: Sequence[Token], *, after_aside: bool) -> bool:
    """Whether a verb has the sentence's subject: after "and", or where a clause that was put in between has ended."""
    texts = [token.text for token in words]
    if "and" in texts:
        return any(predicates_of(stem(text)) for text in texts[texts.index("and") :])
    finite = bool(texts) and (texts[0] in _TO_BE or texts[0].endswith("s")) and _RELATIVES.isdisjoint(texts)
    return after_aside and finite


def _statement(source: int, target: int, words: Sequence[Token]) -> Statement:
    texts = [token.text for token in words]
    if "and" in texts:
        texts = texts[texts.index("and") + 1 :]
    told = f" {' '.join(texts)} "
    backward = {n for n, p in PREDICATES.items() if f" {p.inverse_label} " in told and not p.symmetric}
    forward = {n for n, p in PREDICATES.items() if f" {p.label} " in told} - backward
    meant = frozenset(name for text in texts for name in predicates_of(stem(text)))
    is_clear = bool(meant or forward or backward)
    if meant & ANY_RELATION and not meant - ANY_RELATION:
        meant = frozenset()
    is_turned = bool(backward) or (not forward and "by" in texts and not _TO_BE.isdisjoint(texts))
    ends = (target, source) if is_turned else (source, target)
    return Statement(*ends, frozenset(backward or forward), meant, is_clear)
