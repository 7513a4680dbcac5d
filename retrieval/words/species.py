"""Species that a text is about: what was found in mice answers nothing about rats.

The words for them stand in many names too (human immunodeficiency virus, swine flu, bovine serum albumin, the enzyme CAT).
So a plural counts, and any other word only at the end, or before what an animal has or is.
"""

from __future__ import annotations

from kg_pipeline.vocabulary.names.words import words
from retrieval.words.terms import Token, tokenise

#: Words that mean animals wherever they stand, and the one word for each species.
_ANIMALS = {
    word: species
    for species, said in {
        "mouse": "mice",
        "rat": "rats",
        "human": "humans",
        "rabbit": "rabbits",
        "zebrafish": "zebrafish",
        "drosophila": "drosophila flies",
        "chicken": "chickens",
        "bovine": "cows cattle",
        "porcine": "pigs",
        "canine": "dogs",
        "feline": "cats",
        "monkey": "monkeys macaques",
        "horse": "horses",
        "sheep": "sheep",
        "hamster": "hamsters",
        "ferret": "ferrets",
    }.items()
    for word in said.split()
}
#: Words that do where no name goes on after them.
_PERHAPS = {
    word: species
    for species, said in {
        "mouse": "mouse murine",
        "rat": "rat",
        "human": "human",
        "rabbit": "rabbit",
        "drosophila": "fly",
        "chicken": "chicken",
        "yeast": "yeast",
        "bovine": "cow bovine",
        "porcine": "pig porcine swine",
        "canine": "dog canine",
        "feline": "cat feline",
        "monkey": "monkey macaque",
        "horse": "horse equine",
        "sheep": "ovine",
        "hamster": "hamster",
        "ferret": "ferret",
    }.items()
    for word in said.split()
}
_OF_ANIMALS = words(
    "model models cell cells tissue tissues strain strains embryo embryos larvae pup pups study studies experiment "
    "experiments brain liver kidney kidneys lung lungs heart muscle skin retina spleen macrophages neurons hepatocytes"
)


def species_in(text: str) -> frozenset[str]:
    """The species that a text is about, each by one word.

    >>> species_in("Infected mice and murine cells") == {"mouse"}
    True
    >>> species_in("Tenofovir inhibits human immunodeficiency virus.")
    frozenset()
    """
    tokens = tokenise(text)
    return frozenset(filter(None, (_species(text, tokens, at) for at in range(len(tokens)))))


def _species(text: str, tokens: tuple[Token, ...], at: int) -> str:
    token = tokens[at]
    if text[token.start : token.end].isupper():
        return ""  # a symbol
    following = tokens[at + 1].text if at + 1 < len(tokens) else ""
    is_meant = not following or following in _OF_ANIMALS
    found = _ANIMALS.get(token.text) or (_PERHAPS.get(token.text, "") if is_meant else "")
    return "guinea pig" if found == "porcine" and at and tokens[at - 1].text == "guinea" else found
