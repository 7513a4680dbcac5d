"""Names of known things by kind, for the features of the recogniser: a trie of folded names with a set of kinds each.

It is part of the model and not of the vocabulary: whichever vocabulary a user links to, the model sees what it
was trained with. It holds names only, no identifiers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import marisa_trie
import numpy as np
import numpy.typing as npt

from kg_pipeline.extraction.mentions.ner.tokens import Token, fold_token, tokenize
from kg_pipeline.vocabulary.names.variants import singular_word

#: Kinds by the bit that stands for them.
KINDS = ("chem", "dis", "gene", "spec", "cell", "anat", "proc", "fam")
#: Families of genes and proteins, which annotators treat as genes only some of the time.
FAMILY = "fam"
_MAX_TOKENS = 10
_CACHED = 200_000
Found = tuple[int, int, int]


class Lexicon:
    """Folded names in a trie, and the kinds of each as bits, by the number that the trie gives it."""

    def __init__(self, trie: marisa_trie.Trie, kinds: npt.NDArray[np.uint8]) -> None:
        self.trie, self.kinds = trie, kinds
        # Texts ask for the same words again and again.
        self._entry = lru_cache(maxsize=_CACHED)(self._look_up)

    @classmethod
    def build(cls, names: Mapping[str, int]) -> Lexicon:
        """A lexicon of folded names (`lexicon_key`) with their kinds as bits."""
        trie = marisa_trie.Trie(sorted(names))
        kinds = np.zeros(len(trie), np.uint8)
        for key, bits in names.items():
            kinds[trie[key]] = bits
        return cls(trie, kinds)

    def __len__(self) -> int:
        return len(self.trie)

    def find(self, tokens: Sequence[Token]) -> list[Found]:
        """All names as (first token, last token, kinds), also those inside others; the plural of the last word counts."""
        folded = [fold_token(token.text) for token in tokens]
        words = [index for index, word in enumerate(folded) if word]
        found: list[Found] = []
        for place, first in enumerate(words):
            text = ""
            for index in words[place : place + _MAX_TOKENS]:
                word = folded[index]
                kinds, goes_on = self._entry(text + word + " ")
                if kinds is None and word[-1] == "s":
                    kinds, _ = self._entry(text + singular_word(word) + " ")
                if kinds is not None:
                    found.append((first, index, kinds))
                if not goes_on:
                    break
                text += word + " "
        return found

    def _look_up(self, key: str) -> tuple[int | None, bool]:
        """Kinds of the name of this key, `None` where there is none, and whether names start with the key."""
        number = self.trie.get(key)
        goes_on = next(self.trie.iterkeys(key), None) is not None
        return None if number is None else int(self.kinds[number]), goes_on


def lexicon_key(name: str) -> str:
    """The form under which a name is held: folded words, each with a space behind it."""
    return "".join(folded + " " for token in tokenize(name) if (folded := fold_token(token.text)))
