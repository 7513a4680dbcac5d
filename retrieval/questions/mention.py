"""How much of what a question is about a text mentions: its names by any of their names, its words by any of their forms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from retrieval.questions.links import Link
from retrieval.questions.question import Question
from retrieval.words.name_guard import name_conflict
from retrieval.words.terms import Token, content_stems, find_name, name_key, singular, tokenise

_SHORTEST_ACRONYM = 3
_SPELLING = 85.0  # similarity of two spellings of one word (tumour, tumor; somatisation, somatization)
_SPELLED = 5  # letters; shorter words that differ by one are different words
_DERIVED = 5  # letters that a word and its derivation share (cirrhosis, cirrhotic)
_ENDING = 3  # letters that a derivation adds
_SPECIES = re.compile(r"\b([A-Z][a-z]{3,}) ([a-z]{4,})\b")
_SHORT_SPECIES = re.compile(r"\b([A-Z])\.\s?([a-z]{4,})\b")


@dataclass(frozen=True, slots=True)
class Mentioned:
    """What a text mentions of a question; `missing` is written as the question writes it."""

    links: int
    words: int
    missing: tuple[str, ...]

    @property
    def share(self) -> float:
        """Of the things a question is about."""
        found = self.links + self.words
        total = found + len(self.missing)
        return found / total if total else 0.0


class Reading:
    """A text as it is compared with questions."""

    def __init__(self, texts: Iterable[str]) -> None:
        kept = list(texts)
        self._tokens = [tokenise(text) for text in kept]
        self._stems = frozenset(word for text in kept for word in content_stems(text))
        self._species = frozenset(match.groups() for text in kept for match in _SHORT_SPECIES.finditer(text))

    def mentions(self, question: Question) -> Mentioned:
        """What of the question stands in the text."""
        lost = [link.text for link in question.links if not self.has_link(link)]
        words = written(question)
        genera = self._genera(question.text)
        missing = [
            words[term] for term in question.terms if not self.has_word(term) and words[term] not in genera
        ]
        return Mentioned(
            links=len(question.links) - len(lost),
            words=len(question.terms) - len(missing),
            missing=(*lost, *missing),
        )

    def _genera(self, text: str) -> frozenset[str]:
        """Genus names of the question that the text abbreviates: "Listeria monocytogenes", "L. monocytogenes"."""
        names = _SPECIES.findall(text)
        return frozenset(genus for genus, species in names if (genus[0], species) in self._species)

    def has_link(self, link: Link) -> bool:
        """Whether an entity is mentioned by one of its names, or all words of the question's name for it are there."""
        if any(find_name(tokens, link.names) for tokens in self._tokens):
            return True
        words = content_stems(link.text)
        return bool(words) and all(self.has_word(word) for word in words)

    def has_word(self, word: str) -> bool:
        """Whether a stem is there, in another spelling or as part of a derivation."""
        return word in self._stems or any(_same_word(word, other) for other in self._stems)

    def has_name(self, name: str) -> bool:
        """Whether a name is there, or words whose initials are the name."""
        key = name_key(name)
        return any(find_name(tokens, [key]) or _spells(name, tokens) for tokens in self._tokens)


def written(question: Question) -> dict[str, str]:
    """The question's other content words, by stem, as they are written in it."""
    found: dict[str, str] = {}
    for token in tokenise(question.text):
        for word in content_stems(token.text) or [token.text]:
            found.setdefault(word, question.text[token.start : token.end])
    return {term: found.get(term, term) for term in question.terms}


def _same_word(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    if singular(shorter) == singular(longer):
        return True
    if shorter[0] != longer[0] or not (one.isalpha() and other.isalpha()) or name_conflict(one, other):
        return False
    if len(shorter) >= _DERIVED and longer.startswith(shorter) and len(longer) - len(shorter) <= _ENDING:
        return True
    return len(shorter) >= _SPELLED and fuzz.ratio(one, other) >= _SPELLING


def _spells(name: str, tokens: Sequence[Token]) -> bool:
    letters = name.removesuffix("s").lower()
    if not (name[:-1].isupper() and len(letters) >= _SHORTEST_ACRONYM):
        return False
    initials = "".join(token.text[0] for token in tokens)
    return letters in initials
