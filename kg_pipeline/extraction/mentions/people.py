"""Words for people and for animals in general, which corpora annotate as organisms and a graph has no use for.

BioRED marks every `patient` and `women` as Homo sapiens. As an entity it would stand in nearly every article, and
join everything that was ever seen in a patient.
"""

from __future__ import annotations

from kg_pipeline.extraction.mentions.mention import Mention
from kg_pipeline.vocabulary.categories import ORGANISM, group_of
from kg_pipeline.vocabulary.linking.rewrite_words import PEOPLE
from kg_pipeline.vocabulary.names.variants import singular_word
from kg_pipeline.vocabulary.names.words import words

#: As general as people are, in the singular.
_ANIMALS = words("animal mammal vertebrate rodent")
_HUMAN = "homo sapiens"


def is_people(mention: Mention) -> bool:
    """Whether a mention names people, or animals without saying which."""
    if group_of(mention.category) != ORGANISM:
        return False
    name = mention.text.lower()
    last = name.split()[-1]
    return name == _HUMAN or last in PEOPLE or singular_word(last) in PEOPLE | _ANIMALS
