"""Which words of a sentence are verbs of the lexicon, and what they mean by what follows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_pipeline.extraction.lexicon.predicate_lexicon import Meaning, verb_forms, verb_meanings
from kg_pipeline.extraction.syntax.dependency import children

if TYPE_CHECKING:
    from spacy.tokens import Token


def sense_of(token: Token) -> dict[str, Meaning] | None:
    """Marker to meaning of a token that is used as a verb of the lexicon, or as an adjective made from one."""
    lemma = verb_forms().get(token.lower_)
    if lemma is None:
        if token.lemma_.lower() == "give" and any(child.lower_ == "rise" for child in token.children):
            return verb_meanings()["give rise"]
        return None
    if token.pos_ in ("VERB", "AUX"):
        return verb_meanings()[lemma]
    has_subject = bool(children(token, "nsubj", "nsubjpass", "auxpass"))
    is_participle = (
        token.pos_ == "ADJ" and token.dep_ in ("acomp", "ROOT", "conj") and token.lower_.endswith("ed")
    )
    return verb_meanings()[lemma] if has_subject or is_participle else None
