"""Map an author's or a model's words for a relation onto the closed set of predicates.

The map says which predicate and in which direction, never whether the words deny it: `denies` answers that, so
that "was not associated with" keeps its predicate and is flagged as negated by the caller.
"""

from __future__ import annotations

import re
from itertools import pairwise

from kg_pipeline.extraction.lexicon.inflection import singular
from kg_pipeline.extraction.lexicon.predicate_lexicon import (
    EFFECT_NOUNS,
    EVENT_NOUNS,
    OBJECT,
    PARTICIPLES,
    RELATION_NOUNS,
    RISK_NOUNS,
    ROLE_NOUNS,
    Meaning,
    verb_forms,
    verb_meanings,
)
from kg_pipeline.vocabulary.predicates import PREDICATES

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_HYPHENS = re.compile(r"[\u2010-\u2015\u2212_]")
_PREFIXED = re.compile(r"\b(up|down|over|dys|de)-(?=regulat|modulat|express|phosphorylat)")
_BE = frozenset({"is", "are", "was", "were", "be", "been", "being", "gets", "get"})
_ARTICLES = (["a"], ["an"], ["the"])
_DENYING = frozenset(
    {
        "not",
        "no",
        "never",
        "neither",
        "nor",
        "without",
        "cannot",
        "lack",
        "lacks",
        "lacked",
        "fail",
        "fails",
        "failed",
        "unable",
    }
)
_PREPOSITIONS = frozenset(
    {
        "to",
        "in",
        "of",
        "with",
        "by",
        "from",
        "for",
        "on",
        "against",
        "into",
        "as",
        "between",
        "at",
        "within",
        "upon",
    }
)
#: Phrases that no single word decides; the first that is found wins.
_PHRASES: tuple[tuple[re.Pattern[str], Meaning], ...] = tuple(
    (re.compile(pattern), meaning)
    for pattern, meaning in (
        (r"\b(reduc|lower|decreas|diminish)\w* (the )?(\w+ )?(risk|incidence|likelihood|odds) (of|for)", Meaning("prevents")),
        (r"\b(risk|likelihood|odds|susceptibility|predisposition) (\w+ )?(of|for|to|factors?)\b", Meaning("predisposes")),
        (r"\bhas risk factor\b", Meaning("predisposes", inverted=True)),
        (r"\b(due|secondary|owing) to\b", Meaning("causes", inverted=True)),
        (r"\b(because|as a (result|consequence)) of\b", Meaning("causes", inverted=True)),
        (r"\bresponsible for\b", Meaning("causes")),
        (r"\bpositively (regulat|modulat|affect|influenc)", Meaning("increases")),
        (r"\bnegatively (regulat|modulat|affect|influenc)", Meaning("decreases")),
        (r"\b(used|approved|indicated|prescribed|effective|given) (to treat|for|in|against)\b", Meaning("treats")),
        (r"\b(used|given) to prevent\b", Meaning("prevents")),
        (r"\bhas (the )?(symptom|manifestation|complication|feature)\b", Meaning("manifestation_of", inverted=True)),
        (r"\b(has|have) (the )?(part|component|subunit)s?\b", Meaning("part_of", inverted=True)),
        (r"\b(has|have) (the )?(kind|subtype|subclass)s?\b", Meaning("subclass_of", inverted=True)),
        (r"\bcharacteri[sz]ed by\b", Meaning("manifestation_of", inverted=True)),
        (r"\b(diagnosed|predicted|indicated) (by|with)\b", Meaning("biomarker_of", inverted=True)),
        (r"\b(subtype|subclass|type|kind|form|variant|member|example)s? of\b|^(is|are) an?$|^is a$", Meaning("subclass_of")),
        (r"\b(part|component|subunit|constituent)s? of\b", Meaning("part_of")),
        (r"\bmetaboli[sz]ed by\b|\bdegraded by\b", Meaning("decreases", inverted=True)),
        (r"\bassociated? physically\b|\bphysically (associat|interact)", Meaning("binds")),
    )
)  # fmt: skip


def map_predicate(text: str) -> tuple[str, bool] | None:
    """Predicate of the closed set that the words express, and whether the subject of the words is its tail.

    `None` where they express none of them.

    >>> map_predicate("is up-regulated by"), map_predicate("leads to"), map_predicate("inhibition of by")
    (('increases', True), ('causes', False), ('inhibits', True))
    """
    clean = _PREFIXED.sub(r"\1", _HYPHENS.sub("-", text.casefold()).strip())
    words = _WORD.findall(clean)
    joined = " ".join(words)
    meaning = _by_label(joined) or _by_phrase(joined) or _by_verb(words) or _by_noun(words)
    return None if meaning is None else (meaning.predicate, meaning.inverted)


def denies(text: str) -> bool:
    """Whether the words deny the relation: "was not associated with", "failed to reduce"."""
    words = _WORD.findall(text.casefold())
    count = sum(
        (word in _DENYING or word.endswith("n't"))
        and not (word == "not" and words[i + 1 : i + 2] == ["only"])
        for i, word in enumerate(words)
    )
    return bool(count % 2)


def _by_label(joined: str) -> Meaning | None:
    for predicate in PREDICATES.values():
        if joined in (predicate.name.replace("_", " "), predicate.label):
            return Meaning(predicate.name)
        if joined == predicate.inverse_label:
            return Meaning(predicate.name, inverted=True)
    return None


def _by_phrase(joined: str) -> Meaning | None:
    return next((meaning for pattern, meaning in _PHRASES if pattern.search(joined)), None)


def _by_verb(words: list[str]) -> Meaning | None:
    forms, meanings = verb_forms(), verb_meanings()
    if any(" ".join(pair) in forms for pair in pairwise(words)):
        return meanings["give rise"]["to"]
    for i, word in enumerate(words):
        is_noun = singular(word) in ROLE_NOUNS and (
            words[i - 1 : i] in _ARTICLES or words[i + 1 : i + 2] == ["of"]
        )
        if word not in forms or is_noun:
            continue
        markers = meanings[forms[word]]
        after = next((w for w in words[i + 1 :] if w in _PREPOSITIONS), "")
        participle = word.endswith(("ed", "en")) or word == "bound"
        is_passive = participle and (after == "by" or any(w in _BE for w in words[:i]))
        if after in markers:
            return markers[after]
        if OBJECT not in markers:
            continue
        meaning = markers[OBJECT]
        return Meaning(meaning.predicate, meaning.inverted != is_passive)
    return None


def _by_noun(words: list[str]) -> Meaning | None:
    for i, word in enumerate(words):
        noun, after = singular(word), words[i + 1 :]
        if noun in EVENT_NOUNS:
            return Meaning(EVENT_NOUNS[noun], inverted="by" in after)
        if noun in ROLE_NOUNS:
            return ROLE_NOUNS[noun]
        if noun in RISK_NOUNS:
            return Meaning("predisposes")
        if noun in RELATION_NOUNS:
            return Meaning(RELATION_NOUNS[noun])
        if noun in EFFECT_NOUNS:
            return Meaning(EFFECT_NOUNS[noun][0])
        if word in PARTICIPLES:
            return Meaning(PARTICIPLES[word])
    return None
