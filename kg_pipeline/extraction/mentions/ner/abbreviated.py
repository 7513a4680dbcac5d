"""What an article's abbreviations tell of their tokens: a short form looks like the end of what it stands for.

`BAU` says nothing by itself; that it stands for benzylacyclouridine does. A short form takes features of the last
word of its long form wherever it occurs, also before its definition, as titles do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kg_pipeline.extraction.mentions.ner.lexicon import KINDS, Lexicon
from kg_pipeline.extraction.mentions.ner.tokens import Token, fold_token, tokenize
from kg_pipeline.extraction.mentions.ner.words import WordClasses
from kg_pipeline.text.abbreviations import Definition


@dataclass(frozen=True, slots=True)
class _Meaning:
    """Tokens of a short form, where it is defined, and the features it takes from its long form."""

    tokens: tuple[str, ...]
    position: int
    features: tuple[str, ...]


class Abbreviations:
    """The abbreviations of one article, ready to be looked for in its sentences."""

    def __init__(
        self,
        definitions: Sequence[Definition],
        glossary: Mapping[str, str],
        lexicon: Lexicon,
        classes: WordClasses,
    ) -> None:
        pairs = [(definition.short, definition.long, definition.short_start) for definition in definitions]
        pairs += [(short, long, 0) for short, long in sorted(glossary.items())]
        self._meanings: dict[str, list[_Meaning]] = {}
        for short, long, position in pairs:
            tokens = tuple(token.text for token in tokenize(short))
            if tokens:
                meaning = _Meaning(tokens, position, _features(long, lexicon, classes))
                self._meanings.setdefault(tokens[0], []).append(meaning)
        self._long = sorted({(definition.long_start, definition.long_end) for definition in definitions})

    def features(self, tokens: Sequence[Token], offset: int) -> dict[int, list[str]]:
        """Features by token of a sentence that starts at `offset` in the article."""
        found: dict[int, list[str]] = {}
        for index, token in enumerate(tokens):
            options = [
                meaning
                for meaning in self._meanings.get(token.text, ())
                if tuple(t.text for t in tokens[index : index + len(meaning.tokens)]) == meaning.tokens
            ]
            if options:
                meaning = _nearest(options, offset + token.start)
                last = index + len(meaning.tokens) - 1
                for place in range(index, last + 1):
                    found.setdefault(place, []).extend((f"ab{_place(place, index, last)}", *meaning.features))
        self._mark_long_forms(tokens, offset, found)
        return found

    def _mark_long_forms(self, tokens: Sequence[Token], offset: int, found: dict[int, list[str]]) -> None:
        if not tokens:
            return
        for start, end in self._long:
            if end <= offset or start >= offset + tokens[-1].end:
                continue
            for index, token in enumerate(tokens):
                if offset + token.start == start:
                    found.setdefault(index, []).append("longB")
                if offset + token.end == end:
                    found.setdefault(index, []).append("longE")


def _nearest(options: Iterable[_Meaning], position: int) -> _Meaning:
    """The longest short form, by the nearest earlier definition, or the first one if all come later."""
    return min(
        options,
        key=lambda m: (-len(m.tokens), m.position > position, abs(position - m.position)),
    )


def _place(index: int, first: int, last: int) -> str:
    if first == last:
        return "S"
    return "B" if index == first else "E" if index == last else "I"


def _features(long: str, lexicon: Lexicon, classes: WordClasses) -> tuple[str, ...]:
    tokens = [token for token in tokenize(long) if fold_token(token.text)]
    if not tokens:
        return ()
    word = fold_token(tokens[-1].text)
    features = ["aw=" + word, *("a>" + word[-size:] for size in (3, 4, 5) if len(word) > size)]
    features += ["a" + name for name in classes.of(tokens[-1].text)]
    last = len(tokens) - 1
    names = [(first, end, kinds) for first, end, kinds in lexicon.find(tokens) if end == last]
    for bit, kind in enumerate(KINDS):
        firsts = [first for first, _, kinds in names if kinds >> bit & 1]
        if firsts:
            features.append(f"ag{kind}{'W' if min(firsts) == 0 else 'T'}")
    return tuple(features)
