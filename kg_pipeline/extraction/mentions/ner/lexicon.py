"""Names of known things by kind, for the features of the recogniser: a trie of folded names with a set of kinds each.

It is part of the model and not of the vocabulary: whichever vocabulary a user links to, the model sees what it
was trained with. It holds names only, no identifiers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import marisa_trie
import numpy as np
import numpy.typing as npt

from kg_pipeline.extraction.mentions.ner.tokens import Token, fold_token, tokenize
from kg_pipeline.vocabulary.variants import singular_word

#: Kinds by the bit that stands for them.
KINDS = ("chem", "dis", "gene", "spec", "cell", "anat", "proc", "fam")
#: Families of genes and proteins, which annotators treat as genes only some of the time.
FAMILY = "fam"
_MAX_TOKENS = 10
Found = tuple[int, int, int]


class Lexicon:
    """Folded names in a trie, and the kinds of each as bits, by the number that the trie gives it."""

    def __init__(self, trie: marisa_trie.Trie, kinds: npt.NDArray[np.uint8]) -> None:
        self.trie, self.kinds = trie, kinds

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
            window = words[place : place + _MAX_TOKENS]
            text, ends = "", {}
            for index in window:
                text += folded[index] + " "
                ends[len(text)] = index
            seen = set()
            for key in self.trie.prefixes(text):
                if len(key) in ends:
                    seen.add(ends[len(key)])
                    found.append((first, ends[len(key)], int(self.kinds[self.trie[key]])))
            text = ""
            for index in window:
                word = folded[index]
                if word[-1] == "s" and index not in seen:
                    one = singular_word(word)
                    key = text + one + " "
                    if one != word and key in self.trie:
                        found.append((first, index, int(self.kinds[self.trie[key]])))
                text += word + " "
        return found


def lexicon_key(name: str) -> str:
    """The form under which a name is held: folded words, each with a space behind it."""
    return "".join(folded + " " for token in tokenize(name) if (folded := fold_token(token.text)))
