"""Proteins of viruses, whose symbols are also those of genes of their hosts: C6 of vaccinia virus is no complement C6.

An article introduces such a protein with its virus (`vaccinia virus protein C6`, `MPXV C6`) and uses the symbol alone
later. So a gene right behind the name of a virus is taken for none of ours, and where the first use of a symbol stands
there, neither is any other use of it in the article, unless the article says what the symbol stands for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from kg_pipeline.extraction.mentions.mention import Mention
from kg_pipeline.vocabulary.categories import GENE, ORGANISM, group_of
from kg_pipeline.vocabulary.index.lookup import Vocabulary
from kg_pipeline.vocabulary.names.symbols import is_symbol

_VIRUSES = "MESH:D014780"
_BETWEEN = re.compile(r"(?:['’]s)?[\s-]{1,2}(?:(?:proteins?|genes?|antigens?)\s)?", re.IGNORECASE)


def without_host_genes(text: str, mentions: Sequence[Mention], vocabulary: Vocabulary) -> list[Mention]:
    """The mentions of an article, by position, with those of viral proteins linked to no gene."""
    viral = set(_behind_viruses(text, mentions, vocabulary))
    if not viral:
        return list(mentions)
    first: dict[str, Mention] = {}
    for mention in mentions:
        if group_of(mention.category) == GENE:
            first.setdefault(mention.text, mention)
    introduced = {name for name, mention in first.items() if mention in viral and is_symbol(name)}

    def is_viral(mention: Mention) -> bool:
        return mention in viral or (mention.text in introduced and mention.normal_form == mention.text)

    return [_open(mention) if is_viral(mention) else mention for mention in mentions]


def _behind_viruses(text: str, mentions: Sequence[Mention], vocabulary: Vocabulary) -> Iterator[Mention]:
    """Genes that stand right behind the name of a virus."""
    for before, mention in pairwise(mentions):
        if group_of(mention.category) == GENE and group_of(before.category) == ORGANISM:
            is_next = _BETWEEN.fullmatch(text, before.end, mention.start) is not None
            if is_next and _is_virus(before, vocabulary):
                yield mention


def _is_virus(mention: Mention, vocabulary: Vocabulary) -> bool:
    if mention.normal_form.lower().endswith(("virus", "viruses")):
        return True
    return mention.concept_id is not None and vocabulary.is_a(mention.concept_id, _VIRUSES)


def _open(mention: Mention) -> Mention:
    # Its candidates stay, so that standardisation knows of them and joins it to none of them by its spelling.
    return replace(mention, concept_id=None)
