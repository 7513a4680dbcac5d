"""One article, one reading: names that were found in one place are looked for in the others.

Annotators mark a name wherever it stands. So a short form has the kind of its long form, and is no name where that is
none; and a name that was found in a good share of its places is one in the rest of them too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kg_pipeline.extraction.mentions.ner.labels import OUTSIDE
from kg_pipeline.extraction.mentions.ner.tokens import Token, tokenize
from kg_pipeline.text.abbreviations import Definition

#: A name by its sentence, first and last token, and kind.
Name = tuple[int, int, int, str]
Key = tuple[str, ...]
#: Share of a name's places in which it must have been found.
_SHARE = 0.34
#: Single words shorter than this are too likely to mean something else elsewhere.
_SHORTEST = 2


@dataclass(frozen=True, slots=True)
class Sentence:
    """The tokens of a sentence that starts at `offset` in its article."""

    offset: int
    tokens: Sequence[Token]


def make_consistent(
    sentences: Sequence[Sentence], names: Iterable[Name], definitions: Sequence[Definition]
) -> list[Name]:
    """The names of an article, sorted, with those that repetition and definitions add, and kinds that agree."""
    article = _Article(sentences, names)
    for short in sorted({definition.short for definition in definitions}):
        article.share_kind([definition for definition in definitions if definition.short == short])
    article.repeat()
    return article.names()


class _Article:
    """The names found so far, by place, and where every sequence of tokens occurs."""

    def __init__(self, sentences: Sequence[Sentence], names: Iterable[Name]) -> None:
        self._sentences = sentences
        self._texts = [tuple(token.text for token in sentence.tokens) for sentence in sentences]
        self._places: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, texts in enumerate(self._texts):
            for index, text in enumerate(texts):
                self._places[text].append((number, index))
        self._found: dict[tuple[int, int], tuple[int, str]] = {}
        self._taken: set[tuple[int, int]] = set()
        self._defined: set[Key] = set()
        for number, first, last, kind in names:
            self._add(number, first, last, kind)

    def names(self) -> list[Name]:
        return sorted((number, first, last, kind) for (number, first), (last, kind) in self._found.items())

    def share_kind(self, definitions: Sequence[Definition]) -> None:
        """Give a short form, wherever it occurs, the kind of what it stands for there, or none.

        It stands for what the nearest earlier definition says, before all of them for what the first one says.
        """
        kinds = [self._kind_of_long_form(definition) for definition in definitions]
        key = tuple(token.text for token in tokenize(definitions[0].short))
        self._defined.add(key)
        for number, first, last in list(self._occurrences(key)):
            sentence = self._sentences[number]
            position = sentence.offset + sentence.tokens[first].start
            earlier = [index for index, one in enumerate(definitions) if one.short_start <= position]
            kind = kinds[earlier[-1] if earlier else 0]
            known = self._found.get((number, first))
            if kind == OUTSIDE:
                if known is not None and known[0] == last:
                    self._remove(number, first)
            elif kind and (known is None or known[0] == last):
                self._add(number, first, last, kind)

    def repeat(self) -> None:
        """Add the places of names that were found in a good share of their places, longest names first."""
        kinds: dict[Key, Counter[str]] = defaultdict(Counter)
        for (number, first), (last, kind) in self._found.items():
            kinds[self._texts[number][first : last + 1]][kind] += 1
        for key in sorted(kinds, key=lambda key: (-len(key), key)):
            if key in self._defined or (len(key) == 1 and len(key[0]) < _SHORTEST):
                continue
            places = list(self._occurrences(key))
            kind, _ = min(kinds[key].items(), key=lambda item: (-item[1], item[0]))
            if sum(kinds[key].values()) >= _SHARE * len(places):
                for number, first, last in places:
                    self._add(number, first, last, kind)

    def _kind_of_long_form(self, definition: Definition) -> str | None:
        """Kind of the name that the long form ends with; `OUTSIDE` if there is none in it, None if it ends otherwise."""
        result: str | None = OUTSIDE
        for (number, first), (last, kind) in self._found.items():
            sentence = self._sentences[number]
            start = sentence.offset + sentence.tokens[first].start
            end = sentence.offset + sentence.tokens[last].end
            if end == definition.long_end:
                return kind
            if start < definition.long_end and definition.long_start < end:
                result = None
        return result

    def _occurrences(self, key: Key) -> Iterator[tuple[int, int, int]]:
        for number, first in self._places.get(key[0], ()) if key else ():
            last = first + len(key) - 1
            if self._texts[number][first : last + 1] == key:
                yield number, first, last

    def _add(self, number: int, first: int, last: int, kind: str) -> None:
        known = self._found.get((number, first))
        if known is not None and known[0] == last:
            self._found[number, first] = (last, kind)
            return
        places = {(number, index) for index in range(first, last + 1)}
        if self._taken.isdisjoint(places):
            self._taken |= places
            self._found[number, first] = (last, kind)

    def _remove(self, number: int, first: int) -> None:
        last, _ = self._found.pop((number, first))
        self._taken -= {(number, index) for index in range(first, last + 1)}
