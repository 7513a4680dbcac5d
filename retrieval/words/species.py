"""Species that a text is about: what was found in mice answers nothing about rats.

The words are those by which the vocabulary tells the species of an article, and some more animals. They stand in many
names too (human immunodeficiency virus, bovine serum albumin, sheep red blood cells), so a word counts only where it is
no part of the name of an entity, and where it means the animal itself or what an animal has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from kg_pipeline.graph.reader import Entity
from kg_pipeline.vocabulary.linking.taxa import taxa_of
from kg_pipeline.vocabulary.names.words import words
from retrieval.layout import type_name
from retrieval.words.terms import STOP_WORDS, Name, Token, name_keys, singular, tokenise

#: Animals that the vocabulary does not tell from others, since no gene of theirs is named.
_OTHERS = re.compile(
    r"\b(?:(?P<monkey>monkeys?|macaques?)|(?P<horse>horses?|equine)|(?P<sheep>sheep|ovine)|(?P<cat>cats?|feline)"
    r"|(?P<hamster>hamsters?)|(?P<ferret>ferrets?))\b",
    re.IGNORECASE,
)
#: What an animal or a person has or is; before any other noun the word for a species is part of a name.
_OF_ANIMALS = words(
    "model cell tissue strain embryo larvae pup study experiment brain liver kidney lung heart muscle skin retina spleen "
    "macrophage neuron hepatocyte"
)
#: The second word of a species' name.
_SECOND = words("sapiens musculus norvegicus cerevisiae melanogaster rerio elegans coli thaliana fly dawley")
_ILLNESSES = frozenset({"Disease", "PhenotypicFeature", "DiseaseOrPhenotypicFeature"})
_NAMES_COMPARED = 20


def species_in(text: str, entities: Iterable[Entity] = ()) -> frozenset[str]:
    """The species that a text is about, each by one word or id.

    Parameters
    ----------
    text
        A question or a sentence.
    entities
        Entities that the text may name. A word inside the name of one is none of these words, and an illness has a
        species ("murine lupus").

    Examples
    --------
    >>> species_in("Infected mice and murine cells") == species_in("in a mouse")
    True
    >>> species_in("Tenofovir inhibits human immunodeficiency virus.")
    frozenset()

    """
    found = {match.start(): match.lastgroup for match in _OTHERS.finditer(text) if match.lastgroup}
    taxa = taxa_of(text)
    named = {**dict(zip(taxa.positions, taxa.taxa, strict=True)), **found}
    if not named:
        return frozenset()
    known = [(type_name(e.category), name_keys([e.name, *e.aliases[:_NAMES_COMPARED]])) for e in entities]
    names = list(chain.from_iterable(keys for _, keys in known))
    illnesses = list(chain.from_iterable(keys for category, keys in known if category in _ILLNESSES))
    tokens = tokenise(text)
    stems = tuple(singular(token.text) for token in tokens)
    return frozenset(
        "guinea pig" if at and tokens[at - 1].text == "guinea" else species
        for at, token in enumerate(tokens)
        if (species := named.get(token.start))
        and not _is_symbol(text, token)
        and not _is_inside(stems, at, names)
        and (_is_meant(text, tokens, at) or _begins(stems, at + 1, illnesses))
    )


def _is_symbol(text: str, token: Token) -> bool:
    return text[token.start : token.end].isupper()


def _is_inside(stems: Sequence[str], at: int, names: Iterable[Name]) -> bool:
    """Whether a name goes on after the word: in "house mouse" it is what is named."""
    return any(
        tuple(stems[start : start + len(name)]) == name
        for name in names
        for start in range(max(at - len(name) + 2, 0), at + 1)
    )


def _begins(stems: Sequence[str], at: int, names: Iterable[Name]) -> bool:
    return any(tuple(stems[at : at + len(name)]) == name for name in names)


def _is_meant(text: str, tokens: Sequence[Token], at: int) -> bool:
    """Whether a word means the animal: in the plural, with no noun after it, or before what an animal has."""
    token = tokens[at]
    if token.text == "mice" or singular(token.text) != token.text:
        return True
    if at + 1 == len(tokens):
        return True
    following = tokens[at + 1]
    apart = text[token.end : following.start].strip(" -‐‑") != ""
    return apart or following.text in STOP_WORDS or singular(following.text) in _OF_ANIMALS | _SECOND
