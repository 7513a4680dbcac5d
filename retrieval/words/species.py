"""Species that a text names: what was found in mice answers nothing about rats."""

from __future__ import annotations

from kg_pipeline.vocabulary.names.guard_words import SPECIES_WORDS
from retrieval.words.terms import singular, tokenise

#: Other words for them, and those of animals that are patients.
_OTHERS = {
    word: species
    for species, words in {
        "mouse": "mice murine",
        "drosophila": "fly",
        "bovine": "cow cattle",
        "porcine": "pig swine",
        "canine": "dog",
        "feline": "cat",
        "monkey": "macaque",
        "horse": "horse equine",
        "sheep": "sheep ovine",
        "hamster": "hamster",
        "ferret": "ferret",
    }.items()
    for word in words.split()
}


def species_in(text: str) -> frozenset[str]:
    """The species that a text names, each by one word.

    >>> species_in("Infected mice and murine cells") == {"mouse"}
    True
    """
    words = {singular(token.text) for token in tokenise(text)}
    return frozenset(_OTHERS.get(word, word) for word in words & (SPECIES_WORDS | _OTHERS.keys()))
