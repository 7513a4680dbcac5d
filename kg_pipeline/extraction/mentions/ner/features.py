"""Features of the tokens of a sentence for the CRF.

A token is seen by itself, with its neighbours (two to each side by their form and class, four by their word), with
the names of the lexicon that it is part of, and with what the article's abbreviations tell of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from kg_pipeline.extraction.mentions.ner.abbreviated import Abbreviations
from kg_pipeline.extraction.mentions.ner.lexicon import KINDS, Lexicon
from kg_pipeline.extraction.mentions.ner.tokens import Token, fold_token
from kg_pipeline.extraction.mentions.ner.words import WordClasses, word_features

_NEAR = (-2, -1, 1, 2)
_FAR = ((-4, "L"), (-3, "L"), (3, "R"), (4, "R"))
#: Features that a token's neighbours see too.
_SEEN_BY_NEIGHBOURS = ("w=", "b=", "c1", "ca", "di", "up")
#: Longer names of the lexicon count as this long.
_MAX_LENGTH = 4
_CACHED_WORDS = 100_000


class FeatureMaker:
    """Makes the features of sentences from a lexicon and word classes; words are worked out once."""

    def __init__(self, lexicon: Lexicon, classes: WordClasses) -> None:
        self.lexicon, self.classes = lexicon, classes
        self._own = lru_cache(maxsize=_CACHED_WORDS)(self._own_features)
        self._seen = lru_cache(maxsize=_CACHED_WORDS)(self._neighbour_features)

    def features(self, tokens: Sequence[Token], abbreviations: Abbreviations, offset: int) -> list[list[str]]:
        """One list of features a token; `offset` is where the sentence starts in the article."""
        count = len(tokens)
        names = self._name_features(tokens)
        told = abbreviations.features(tokens, offset)
        texts = [token.text for token in tokens]
        folded = [fold_token(text) or text for text in texts]
        rows = []
        for index, text in enumerate(texts):
            own = self._own(text)
            row = [*own, *names[index], *told.get(index, ())]
            row += [f"{name}|{own[2]}" for name in names[index] if name[0] == "G" and len(own) > 2]
            for step in _NEAR:
                other = index + step
                if 0 <= other < count:
                    row += self._seen(texts[other], step)
                    if step in (-1, 1):
                        row += [
                            f"{step}{name}"
                            for name in names[other]
                            if not name[-1].isdigit() or name[0] == "G"
                        ]
                elif other in (-1, count):
                    row.append(f"{step}END")
            if index:
                row.append(f"bi-{folded[index - 1]}_{folded[index]}")
            if index + 1 < count:
                row.append(f"bi+{folded[index]}_{folded[index + 1]}")
            row += [side + folded[index + step] for step, side in _FAR if 0 <= index + step < count]
            rows.append(row)
        return rows

    def _own_features(self, text: str) -> tuple[str, ...]:
        return (*word_features(text), *self.classes.of(text))

    def _neighbour_features(self, text: str, step: int) -> tuple[str, ...]:
        return tuple(
            f"{step}{name}"
            for name in self._own(text)
            if name[:2] in _SEEN_BY_NEIGHBOURS or (name[0] == ">" and len(name) == 4)
        )

    def _name_features(self, tokens: Sequence[Token]) -> list[list[str]]:
        """For each kind its longest names, from the left; `G` for the longest of all with the set of its kinds."""
        features: list[list[str]] = [[] for _ in tokens]
        found = sorted(self.lexicon.find(tokens), key=lambda name: (name[0] - name[1], name[0]))
        for bit, kind in enumerate(KINDS):
            free = [True] * len(tokens)
            for first, last, kinds in found:
                if kinds >> bit & 1 and all(free[first : last + 1]):
                    length = min(last - first + 1, _MAX_LENGTH)
                    for index in range(first, last + 1):
                        free[index] = False
                        place = _place(index, first, last)
                        features[index].append(f"g{kind}{place}")
                        if place != "S":
                            features[index].append(f"g{kind}{place}{length}")
        free = [True] * len(tokens)
        for first, last, kinds in found:
            if all(free[first : last + 1]):
                for index in range(first, last + 1):
                    free[index] = False
                    features[index].append(f"G{_place(index, first, last)}{kinds}")
        return features


def _place(index: int, first: int, last: int) -> str:
    if first == last:
        return "S"
    return "B" if index == first else "E" if index == last else "I"
